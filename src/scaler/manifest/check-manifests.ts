/** Checks manifests as far as it can be done without a cluster. */
import { didYouMean, type Place, type Problem } from '../../shared/errors.ts';
import { formatPath, type ValueProblem } from '../../shared/schema-problem.ts';
import { checkScaledJob, checkScaledObject } from '../decide/check-spec.ts';
import {
  apiVersionOf,
  type Compatibility,
  KEDA_NAMES,
  type Names,
  TSPROV_NAMES,
  VERSION,
} from '../names.ts';
import { resources } from '../resources/all.ts';
import type { Resource } from '../resources/resource.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { TriggerAuthentication } from '../resources/trigger-authentication.ts';
import { checkAuthentication } from './check-authentication.ts';
import { checkFormula, formulaOf } from './check-formula.ts';
import { checkRequests } from './check-requests.ts';
import { checkSchema } from './check-schema.ts';
import { checkTogether } from './check-together.ts';
import { checkTriggers, type Registry } from './check-triggers.ts';
import { checkUsefulness } from './check-usefulness.ts';
import { type ObjectProblem, parsePath } from './object-problem.ts';
import { isRecord, type Manifest } from './read-manifests.ts';

export interface CheckedManifests {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** How many objects were ours. */
  readonly checkedCount: number;
  /** Objects of other APIs, which are left to others. */
  readonly otherCount: number;
  /** The ScaledObjects that are fine. */
  readonly scaledObjects: readonly ScaledObject[];
}

interface Checked {
  readonly manifest: Manifest;
  readonly resource: Resource;
  readonly problems: readonly ObjectProblem[];
}

/** Every problem of the manifests, in their order. */
export function checkManifests(
  manifests: readonly Manifest[],
  registry: Registry,
  compatibility: Compatibility,
): CheckedManifests {
  const strays = manifests.flatMap((manifest) => checkHeader(manifest, compatibility));
  const ours = manifests.flatMap((manifest) => {
    const found = resourceOf(manifest, compatibility);
    return found === undefined ? [] : [{ manifest, ...found }];
  });
  const checked = ours.map(({ manifest, resource, names }) => ({
    manifest,
    resource,
    names,
    problems: checkObject(manifest.value, resource, registry, names),
  }));
  const objects = checked.filter(({ resource, problems }) => isGoodObject(resource, problems));
  const scaledObjects = objects.map(({ manifest }) => manifest.value as unknown as ScaledObject); // Its schema has been checked.
  const together = checkTogether(scaledObjects, namesOf(compatibility));
  const located = [
    ...checked.flatMap((each) => locate(each, each.problems)),
    ...objects.flatMap((each, index) => locate(each, together[index] ?? [])),
    ...objects.flatMap((each, index) => {
      const object = scaledObjects[index];
      return object === undefined ? [] : locate(each, checkRequests(object, manifests));
    }),
  ];
  return {
    problems: [...strays, ...located.filter(({ isWarning }) => !isWarning).map(withoutMark)],
    warnings: located.filter(({ isWarning }) => isWarning).map(withoutMark),
    checkedCount: ours.length,
    otherCount: manifests.length - ours.length - strays.length,
    scaledObjects,
  };
}

function namesOf(compatibility: Compatibility): Names {
  return compatibility === 'keda' ? KEDA_NAMES : TSPROV_NAMES;
}

function groupOf({ value }: Manifest): string | undefined {
  const { apiVersion } = value;
  return typeof apiVersion === 'string' && apiVersion.includes('/')
    ? apiVersion.slice(0, apiVersion.indexOf('/'))
    : undefined;
}

/** The resource of a manifest that is ours, with the names of its group. */
function resourceOf(
  manifest: Manifest,
  compatibility: Compatibility,
): { readonly resource: Resource; readonly names: Names } | undefined {
  const group = groupOf(manifest);
  const groups = compatibility === 'keda' ? [KEDA_NAMES, TSPROV_NAMES] : [TSPROV_NAMES];
  const names = groups.find((candidate) => candidate.group === group);
  if (names === undefined || manifest.value['apiVersion'] !== apiVersionOf(names)) return undefined;
  const resource = resources.find(({ kind }) => kind === manifest.value['kind']);
  return resource && { resource, names };
}

/** What is wrong with apiVersion and kind. */
function checkHeader(manifest: Manifest, compatibility: Compatibility): readonly Problem[] {
  const { apiVersion, kind } = manifest.value;
  const missing = ['apiVersion', 'kind'].filter((key) => typeof manifest.value[key] !== 'string');
  if (missing.length > 0) {
    return missing.map((key) => ({
      place: manifest.placeOf([key]),
      message: `"${key}" is missing`,
    }));
  }
  const group = groupOf(manifest);
  const place = manifest.placeOf(['apiVersion']);
  if (group === KEDA_NAMES.group && compatibility !== 'keda') {
    const hint = `write ${apiVersionOf(TSPROV_NAMES)}, or use --compat keda`;
    return [{ place, message: `apiVersion ${String(apiVersion)} is that of KEDA`, hint }];
  }
  const names = [TSPROV_NAMES, KEDA_NAMES].find((candidate) => candidate.group === group);
  if (names === undefined) return [];
  if (apiVersion !== apiVersionOf(names)) {
    const hint = `the version is ${VERSION}`;
    return [{ place, message: `apiVersion ${String(apiVersion)} does not exist`, hint }];
  }
  const kinds = resources.map((resource) => resource.kind);
  if (kinds.includes(String(kind))) return [];
  const hint = didYouMean(String(kind), kinds) ?? `there are ${kinds.join(', ')}`;
  return [
    { place: manifest.placeOf(['kind']), message: `kind "${String(kind)}" is unknown`, hint },
  ];
}

function checkObject(
  value: Manifest['value'],
  resource: Resource,
  registry: Registry,
  names: Names,
): readonly ObjectProblem[] {
  const schema = checkSchema(resource, value).map(schemaProblem);
  const named = [...checkName(value), ...schema];
  // Rules across members need every member in its place.
  const rules = named.length === 0 ? checkRules(value, resource, registry, names) : [];
  if (resource.kind !== 'ScaledObject' && resource.kind !== 'ScaledJob')
    return [...named, ...rules];
  const metadata = value['metadata'] as { name?: string; namespace?: string } | undefined; // Only for messages.
  const owner = {
    kind: resource.kind,
    namespace: metadata?.namespace ?? 'default',
    name: metadata?.name ?? '',
    hasFormula: formulaOf(value) !== undefined,
  };
  const triggers = isRecord(value['spec']) ? value['spec']['triggers'] : undefined;
  return [
    ...named,
    ...rules,
    ...checkTriggers(triggers, owner, registry),
    ...(resource.kind === 'ScaledObject' ? checkFormula(value) : []),
  ];
}

function schemaProblem({ path, message, hint }: ValueProblem): ObjectProblem {
  const subject = `${formatPath(path)}: `;
  const isUnknown = message.endsWith('is not known here');
  return {
    path,
    message: message.startsWith(subject) ? message.slice(subject.length) : message,
    hint: hint ?? (message.endsWith('is not text') ? 'put it in quotes' : undefined),
    isSentence: true,
    isKey: isUnknown,
  };
}

function checkName({ metadata }: Manifest['value']): readonly ObjectProblem[] {
  if (isRecord(metadata) && typeof metadata['name'] === 'string' && metadata['name'] !== '')
    return [];
  return [{ path: ['metadata', 'name'], message: 'is missing' }];
}

function checkRules(
  value: Manifest['value'],
  { kind }: Resource,
  registry: Registry,
  names: Names,
): readonly ObjectProblem[] {
  // The schema has been checked.
  if (kind === 'ScaledObject') {
    const object = value as unknown as ScaledObject;
    return [
      ...spread(checkScaledObject(object, registry, names)),
      ...checkUsefulness(object.spec, registry),
    ];
  }
  if (kind === 'ScaledJob') return spread(checkScaledJob(value as unknown as ScaledJob, registry));
  return checkAuthentication(kind, (value as unknown as TriggerAuthentication).spec);
}

function spread(
  problems: readonly { readonly path: string; readonly message: string }[],
): readonly ObjectProblem[] {
  return problems.map(({ path, message }) => ({ path: parsePath(path), message }));
}

function isGoodObject({ kind }: Resource, problems: readonly ObjectProblem[]): boolean {
  return kind === 'ScaledObject' && problems.every(({ isWarning }) => isWarning === true);
}

type Marked = Problem & { readonly isWarning: boolean };

function locate({ manifest, resource }: Checked, problems: readonly ObjectProblem[]): Marked[] {
  const { metadata } = manifest.value;
  const name =
    isRecord(metadata) && typeof metadata['name'] === 'string' ? ` ${metadata['name']}` : '';
  return problems.map(({ path, message, hint, offset, isSentence, isWarning, isKey }) => {
    const place: Place =
      offset === undefined
        ? manifest.placeOf(path, isKey === true ? 'key' : 'value')
        : manifest.placeIn(path, offset);
    const subject = `${formatPath(path)}${isSentence === true ? ':' : ''}`;
    return {
      place,
      message: `${resource.kind}${name}: ${subject} ${message}`,
      hint,
      isWarning: isWarning === true,
    };
  });
}

function withoutMark({ place, message, hint }: Marked): Problem {
  return { place, message, hint };
}
