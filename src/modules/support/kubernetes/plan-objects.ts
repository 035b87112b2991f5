/** From what a probe has found to a plan. Pure. */
import { type Diff, type Plan, run, type Step } from '../../../engine/module.ts';
import { sh } from '../../../shared/shell.ts';
import type { Cluster } from './cluster.ts';
import type { Json } from './json.ts';
import type { K8sArgs } from './k8s-args.ts';
import { diffObjects, shownDiff } from './object-diff.ts';
import { errorOf, type ObjectState } from './object-state.ts';
import { predictionOf } from './predicted-objects.ts';
import { labelOf } from './target.ts';

export interface K8sState {
  readonly server: string;
  readonly objects: readonly ObjectState[];
}

type PlanArgs = Pick<K8sArgs, 'continue_on_error' | 'wait' | 'hidden_fields'>;

/** Throws TaskError where an object cannot be had and the task does not go on without it. */
export function planObjects(current: K8sState, args: PlanArgs): Plan<K8sState> {
  const { objects, server } = current;
  for (const { forecast } of objects) {
    if (forecast.kind === 'failure' && !args.continue_on_error) throw errorOf(forecast);
  }
  const changing = objects.filter(({ forecast }) => forecast.kind === 'change');
  const diff = changing.flatMap((each) => diffOf(each, args) ?? []);
  const [only, ...others] = diff;
  const warnings = objects.flatMap((each) => each.warnings);
  return {
    before: current,
    after: current,
    steps: objects.flatMap((each) => stepsFor(each, args)),
    effects: changing.flatMap((each) => effectsOf(each, { server })),
    ...(only !== undefined && { diff: others.length === 0 ? only : diff }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Not proved by a second look: others write to the cluster at the same time. */
function stepsFor({ method, target, forecast }: ObjectState, { wait }: PlanArgs): readonly Step[] {
  if (method === undefined) return [];
  const label = labelOf(target);
  const isDue = forecast.kind === 'change';
  return [
    ...(isDue ? [run(sh`: ${method} ${label}`, { always: true })] : []),
    ...(wait ? [run(sh`: wait for ${label}`, { always: true, quiet: true })] : []),
  ];
}

function effectsOf(
  { target, method, deletions = [], after }: ObjectState,
  cluster: Pick<Cluster, 'server'>,
) {
  if (method === 'delete') return deletions.map((each) => predictionOf(cluster, each, undefined));
  const { name } = target;
  return name === undefined ? [] : [predictionOf(cluster, { ...target, name }, after)];
}

/** What a new object says of itself is what was wanted; the rest comes from the API server. */
const SERVERS_OWN = ['status', 'metadata.managedFields'];

function diffOf(
  { existing = {}, after = {}, method, target }: ObjectState,
  { hidden_fields: hidden = [] }: PlanArgs,
): Diff | undefined {
  const isWhole = method === 'delete' || Object.keys(existing).length === 0;
  const sides: { before: Json; after: Json } | undefined = isWhole
    ? { before: existing, after: method === 'delete' ? {} : after }
    : diffObjects(existing, after);
  if (sides === undefined) return undefined;
  const hiddenFields = [...hidden, ...(isWhole ? SERVERS_OWN : [])];
  return shownDiff(sides, { kind: target.kind.kind, hiddenFields });
}
