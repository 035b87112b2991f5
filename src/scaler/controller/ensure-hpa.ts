/** Makes the HPA of a ScaledObject what it has to be: creation, adoption, rename, repair. */
import { type Hpa, hpaNameOf, renderHpa } from '../decide/hpa.ts';
import { isExternal, type TriggerMetric } from '../decide/metrics.ts';
import { keysOf, type Names } from '../names.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import { deleteOwnHpa } from './delete-hpa.ts';
import type { ScalerCluster, StoredHpa, TargetKind } from './ports.ts';

/** Why an HPA cannot be had; for the author of the ScaledObject. */
export class HpaRefused extends Error {
  override readonly name = 'HpaRefused';
}

export interface HpaWish {
  readonly object: ScaledObject;
  readonly kind: TargetKind;
  readonly metrics: readonly TriggerMetric[];
  /** Positions of triggers whose metrics are not known; what the HPA holds for them stays. */
  readonly unknownIndexes: readonly number[];
  readonly version: string;
}

export async function ensureHpa(
  wish: HpaWish,
  { cluster, names }: { readonly cluster: ScalerCluster; readonly names: Names },
  signal: AbortSignal,
): Promise<StoredHpa> {
  const { object } = wish;
  const namespace = object.metadata.namespace ?? '';
  const name = hpaNameOf(object, names);
  refuseRivals(wish, cluster, names);
  const stored = cluster.hpa(namespace, name);
  const wanted = withUnknown(renderWish(wish, names), stored, wish.unknownIndexes);
  await removeFormer(object, name, cluster, signal);
  return write(wanted, stored, wish, { cluster, names }, signal);
}

/** Whether what is stored differs in something that we decide; what the cluster adds does not count. */
export function hasDrifted(stored: StoredHpa, wanted: Hpa): boolean {
  return !(
    includes(stored.spec, wanted.spec) &&
    isSame(stored.spec.metrics, wanted.spec.metrics) &&
    isSame(stored.spec.behavior, wanted.spec.behavior) &&
    includes(stored.metadata.labels ?? {}, wanted.metadata.labels) &&
    includes(stored.metadata.annotations ?? {}, wanted.metadata.annotations) &&
    includes(stored.metadata.ownerReferences ?? [], wanted.metadata.ownerReferences)
  );
}

async function write(
  wanted: Hpa,
  cached: StoredHpa | undefined,
  { object }: HpaWish,
  { cluster, names }: { readonly cluster: ScalerCluster; readonly names: Names },
  signal: AbortSignal,
): Promise<StoredHpa> {
  if (cached === undefined) {
    const created = await cluster.createHpa(wanted, signal);
    if (created !== undefined) return created;
  }
  const { namespace = '', name } = wanted.metadata;
  const read = () => cluster.readHpa(namespace, name, signal);
  const place = async (stored: StoredHpa | undefined) => {
    if (stored === undefined) return undefined;
    refuseForeign(stored, object, names);
    return hasDrifted(stored, wanted) ? cluster.replaceHpa(stored, wanted, signal) : stored;
  };
  // The HPA controller writes it, too, and the cache may be behind that.
  const placed = (await place(cached)) ?? (await place(await read()));
  if (placed === undefined) throw new Error(`HPA ${name} was written by others meanwhile`);
  return placed;
}

function renderWish({ object, kind, metrics, version }: HpaWish, names: Names): Hpa {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const target = { apiVersion, kind: kind.kind, name: object.spec.scaleTargetRef.name };
  return renderHpa({ object, metrics, target, names, version });
}

/** A metric that cannot be read keeps the HPA from scaling in; one that is gone would not. */
function withUnknown(wanted: Hpa, stored: StoredHpa | undefined, indexes: readonly number[]): Hpa {
  const isComposite = wanted.spec.metrics.some(
    (metric) => 'external' in metric && !/^s\d+-/.test(metric.external.metric.name),
  );
  if (indexes.length === 0 || stored === undefined || isComposite) return wanted;
  const kept = stored.spec.metrics.filter(
    (metric) =>
      'external' in metric &&
      indexes.some((index) => metric.external.metric.name.startsWith(`s${index}-`)),
  );
  return { ...wanted, spec: { ...wanted.spec, metrics: [...wanted.spec.metrics, ...kept] } };
}

/** An HPA that somebody else owns is taken over only where that is asked for. */
function refuseForeign(stored: StoredHpa, object: ScaledObject, names: Names): void {
  const { uid } = object.metadata;
  const owners = stored.metadata.ownerReferences ?? [];
  if (owners.some((owner) => owner.uid === uid)) return;
  const keys = keysOf(names);
  const given = object.spec.advanced?.horizontalPodAutoscalerConfig?.name;
  const isTransfer = object.metadata.annotations?.[keys.transferHpaOwnership] === 'true';
  if (isTransfer && given === stored.metadata.name) return;
  const owner = owners[0];
  const whose = owner === undefined ? 'has no owner' : `belongs to ${owner.kind} ${owner.name}`;
  throw new HpaRefused(
    `HPA ${stored.metadata.name} exists and ${whose}: to take it over, set the annotation ` +
      `${keys.transferHpaOwnership}: "true" and name it in advanced.horizontalPodAutoscalerConfig.name`,
  );
}

/** Two HPAs on one workload fight each other. */
function refuseRivals(wish: HpaWish, cluster: ScalerCluster, names: Names): void {
  const { object, kind } = wish;
  const namespace = object.metadata.namespace ?? '';
  const own = [hpaNameOf(object, names), object.status?.hpaName];
  const rival = cluster
    .hpasOf(namespace, kind, object.spec.scaleTargetRef.name)
    .find(
      ({ metadata }) =>
        !own.includes(metadata.name) &&
        metadata.annotations?.[keysOf(names).hpaOwnershipCheck] !== 'false' &&
        !metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid),
    );
  if (rival === undefined) return;
  throw new HpaRefused(
    `the workload ${object.spec.scaleTargetRef.name} is already scaled by HPA ${rival.metadata.name}: ` +
      'delete that one, or take it over by its name in advanced.horizontalPodAutoscalerConfig.name',
  );
}

/** The HPA under an earlier name. */
async function removeFormer(
  object: ScaledObject,
  name: string,
  cluster: ScalerCluster,
  signal: AbortSignal,
): Promise<void> {
  const former = object.status?.hpaName;
  if (former === undefined || former === name) return;
  await deleteOwnHpa(object, former, cluster, signal);
}

/** Names of the metrics that the HPA reads from us and by itself. */
export function metricNamesOf(metrics: readonly TriggerMetric[]) {
  return {
    externalMetricNames: metrics.filter(isExternal).map(({ metricName }) => metricName),
    resourceMetricNames: metrics.flatMap(({ metric }) =>
      metric.kind === 'resource' && !metric.container ? [metric.resource] : [],
    ),
  };
}

/** Whether every member of `part` is in `whole`, at any depth; lists by position. */
function includes(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return whole === part;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(
    ([key, member]) =>
      member === undefined || includes((whole as Record<string, unknown>)[key], member),
  );
}

/** Equal in both directions, but for what the API server fills in. */
function isSame(stored: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return stored === undefined || stored === null;
  if (Array.isArray(wanted) !== Array.isArray(stored)) return false;
  if (Array.isArray(wanted) && Array.isArray(stored) && wanted.length !== stored.length)
    return false;
  return includes(stored, wanted);
}
