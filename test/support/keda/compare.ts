/** In what we differ from KEDA, by what both have made of the same objects. */
import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './trial.ts';

/** Members of the status that say the same. */
const STATUS = [
  ...['scaleTargetKind', 'scaleTargetGVKR', 'originalReplicaCount', 'pausedReplicaCount'],
  ...['externalMetricNames', 'resourceMetricNames', 'compositeScalerName', 'hpaName'],
  ...['triggersTypes', 'authenticationsTypes'],
];
/** What the HPA says of itself depends on when it was asked. */
const OTHERS = ['HPAActive'];
/** Each product has its own. */
const VERSION = 'app.kubernetes.io/version';

/** A member, and what each has there. */
export interface Difference {
  readonly name: string;
  readonly member: string;
  readonly keda: unknown;
  readonly ours: unknown;
}

/** All differences between two outcomes of an object; that of KEDA is the first. */
export function compareOutcomes(keda: Outcome, ours: Outcome | undefined): readonly Difference[] {
  const theirs = membersOf(keda);
  const own = ours === undefined ? {} : membersOf(ours);
  const members = [...new Set([...Object.keys(theirs), ...Object.keys(own)])];
  return members
    .filter((member) => !isDeepStrictEqual(theirs[member], own[member]))
    .map((member) => ({ name: keda.name, member, keda: theirs[member], ours: own[member] }));
}

function membersOf({ hpa, status = {} }: Outcome): Readonly<Record<string, unknown>> {
  const conditions = (status.conditions ?? [])
    .filter(({ type }) => !OTHERS.includes(type))
    .map(({ type, status: holds, reason = '' }) => [type, `${holds} ${reason}`.trim()] as const);
  const said = (name: string) => {
    const value = status[name];
    return value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value;
  };
  return {
    ...(hpa && hpaMembers(hpa)),
    ...Object.fromEntries(STATUS.map((name) => [`status.${name}`, said(name)])),
    ...Object.fromEntries(conditions.map(([type, said]) => [`condition ${type}`, said])),
  };
}

function hpaMembers({ metadata, spec }: NonNullable<Outcome['hpa']>) {
  const { [VERSION]: _version, ...labels } = metadata.labels ?? {};
  const { name, annotations = {} } = metadata;
  const described = { 'hpa.name': name, 'hpa.labels': labels, 'hpa.annotations': annotations };
  const specified = Object.entries(spec).map(([member, value]) => [`hpa.${member}`, value]);
  return { ...described, ...Object.fromEntries(specified) };
}
