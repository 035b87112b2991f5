/** Looks at every object of a task, and asks what would become of it. Nothing is changed. */
import { TaskError } from '../../../engine/module.ts';
import { withHash } from './append-hash.ts';
import { askForecast, foreseeAfter, reckonForecast } from './forecast.ts';
import type { Json } from './json.ts';
import { matchesLabels } from './label-filter.ts';
import { failureOf, isOfObject, type Scene } from './object-failure.ts';
import { failureFrom, type ObjectState } from './object-state.ts';
import { isCuredBy } from './pending.ts';
import { predictedObjects } from './predicted-objects.ts';
import { lookAtDeletion, predictionFor, retrieve, unconcerned } from './probe-deletion.ts';
import { resolveKind } from './resolve-kind.ts';
import { apiVersionOf, type Target, targetOf } from './target.ts';
import { methodFor, verbOf, type Wish } from './write-object.ts';

/** Looks at the objects of a task, all at once. Throws TaskError where the cluster is away. */
export async function probeObjects(
  scene: Scene,
  definitions: readonly Json[],
): Promise<readonly ObjectState[]> {
  const looks = await Promise.all(
    definitions.map((definition, i) => attempt(scene, definition, definitions.slice(0, i))),
  );
  const states: ObjectState[] = [];
  for (const each of looks) states.push(await settle(scene, each, states));
  return states;
}

/** A state, or an error that what is written before the object may cure. */
type Look = ObjectState | { readonly wish: Wish; readonly error: unknown };

/** A look, or the failure of this very object. Throws what concerns the whole cluster. */
async function attempt(scene: Scene, given: Json, earlier: readonly Json[]): Promise<Look> {
  try {
    return await look(scene, given, earlier);
  } catch (error) {
    if (!(error instanceof TaskError) || !isOfObject(error)) throw error;
    const kind = { ...NO_KIND, kind: String(given['kind']) };
    const failed = unconcerned(given, targetOf(kind, given), {});
    return { ...failed, forecast: failureFrom(error) };
  }
}

/** Stands for the kind of an object that cannot be looked at. */
const NO_KIND = {
  ...{ group: '', version: '', resource: '', aliases: [] },
  ...{ isNamespaced: true, isScalable: false },
};

async function look(scene: Scene, given: Json, earlier: readonly Json[]): Promise<Look> {
  const { cluster, args } = scene;
  const known = [...predictedObjects(scene.reader, cluster), ...earlier];
  const { kind, isPending } = await resolveKind(scene, given, known);
  const named = { ...given, kind: kind.kind, apiVersion: apiVersionOf(kind) };
  const definition = args.append_hash ? withHash(named) : named;
  const target = targetOf(kind, definition);
  if (args.state === 'absent') return lookAtDeletion(scene, { definition, target, isPending });
  const { label_selectors: selectors } = args;
  if (selectors !== undefined && !matchesLabels(definition, selectors)) {
    const { namespace = 'None', name = 'None' } = target;
    const text = `resource 'kind=${given['kind']},name=${name},namespace=${namespace}' filtered by label_selectors.`;
    return unconcerned(definition, target, { message: text });
  }
  const predicted = predictionFor(scene, target);
  const existing = predicted
    ? predicted.object
    : isPending
      ? undefined
      : await retrieve(scene, target);
  if (existing === undefined && args.state === 'patched') {
    const text = `resource 'kind=${target.kind.kind},name=${target.name ?? 'None'}' was not found but will not be created as 'state' parameter has been set to 'patched'`;
    return unconcerned(definition, target, { warnings: [text] });
  }
  const wish = { target, definition, existing };
  if (predicted !== undefined || isPending) return reckonForecast(wish, args);
  return askForecast(cluster, wish, args).catch((error: unknown) => ({ wish, error }));
}

/** What the looks at the objects before it say of one: it may be cured, or may be the same object. */
async function settle(
  scene: Scene,
  found: Look,
  earlier: readonly ObjectState[],
): Promise<ObjectState> {
  const { args } = scene;
  const changed = earlier.filter(({ forecast }) => forecast.kind === 'change');
  const wish = 'wish' in found ? found.wish : wishOf(found);
  const before = changed.findLast((each) => isSameObject(each.target, wish.target));
  if (before !== undefined && args.state !== 'absent') {
    return reckonForecast({ ...wish, existing: before.after }, args);
  }
  if (!('wish' in found)) return found;
  const bringing = changed.map(({ after }) => after).filter((each) => each !== undefined);
  const known = [...predictedObjects(scene.reader, scene.cluster), ...bringing];
  try {
    if (!isCuredBy(found.error, known)) throw found.error;
    return await foreseeAfter(found.error, scene.cluster, wish, args);
  } catch (failure) {
    const method = methodFor(wish.existing, args);
    const error = await failureOf(scene, failure, verbOf(method), wish.target);
    return { ...wish, method, forecast: failureFrom(error), warnings: [] };
  }
}

function wishOf({ target, definition, existing }: ObjectState): Wish {
  return { target, definition, existing };
}

function isSameObject(a: Target, b: Target): boolean {
  if (a.name === undefined || a.name !== b.name || a.namespace !== b.namespace) return false;
  return a.kind.group === b.kind.group && a.kind.resource === b.kind.resource;
}
