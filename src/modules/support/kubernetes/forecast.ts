/** What would become of an object that is to be there: asked of the API server, or else reckoned here. */
import { ApiError, isNotFound } from '../../../kubernetes/api-error.ts';
import type { Cluster } from './cluster.ts';
import { type Json, memberOf, overlaid, withoutNulls } from './json.ts';
import type { K8sArgs } from './k8s-args.ts';
import { diffObjects, isChange } from './object-diff.ts';
import type { Forecast, ObjectState } from './object-state.ts';
import { expectNamespace, pathOf, type Target } from './target.ts';
import { annotated, applyPatch } from './three-way-merge.ts';
import { methodFor, verbOf, type Wish, writeObject } from './write-object.ts';

/** How often to look again when somebody else writes the object at the same time. */
const MOST_LOOKS = 4;

/** The object; undefined where there is none, or its kind is only ever created (reviews). */
export async function findObject(cluster: Cluster, target: Target): Promise<Json | undefined> {
  if (target.name === undefined || (target.kind.isNamespaced && target.namespace === undefined)) {
    return undefined;
  }
  try {
    return await cluster.client.get<Json>(pathOf(target));
  } catch (error) {
    const isNotServed = error instanceof ApiError && error.code === 405;
    if (isNotFound(error) || isNotServed) return undefined;
    throw error;
  }
}

/** By a dry run. Rejects as the client does; an object is looked at again where it is written meanwhile. */
export async function askForecast(
  cluster: Cluster,
  wish: Wish,
  args: K8sArgs,
  looksLeft = MOST_LOOKS,
): Promise<ObjectState> {
  let failure: unknown;
  try {
    const state = await ask(cluster, wish, args);
    if (looksLeft === 0 || !isMoved(wish.existing, state.after)) return state;
  } catch (error) {
    if (isDryRunRefused(error)) return reckonForecast(wish, args);
    if (looksLeft === 0 || !isGoneOrMade(error, wish)) throw error;
    failure = error;
  }
  const existing = await findObject(cluster, wish.target);
  const isThereAsBefore = (existing === undefined) === (wish.existing === undefined);
  if (failure !== undefined && isThereAsBefore) throw failure;
  return askForecast(cluster, { ...wish, existing }, args, looksLeft - 1);
}

async function ask(cluster: Cluster, wish: Wish, args: K8sArgs): Promise<ObjectState> {
  const { target, definition, existing } = wish;
  const { object, warnings } = await writeObject(cluster, wish, args, { isDryRun: true });
  const forecast = forecastOf(existing, object, true);
  const method = methodFor(existing, args);
  return { definition, target, method, existing, forecast, after: object, warnings };
}

/** A dry run keeps the version: another one is somebody else's. */
function isMoved(existing: Json | undefined, after: Json | undefined): boolean {
  return existing !== undefined && after !== undefined && versionOf(existing) !== versionOf(after);
}

function isGoneOrMade(error: unknown, { existing }: Wish): boolean {
  if (existing !== undefined) return isNotFound(error);
  return error instanceof ApiError && error.reason === 'AlreadyExists';
}

/** A namespace that every cluster has. */
const TRIAL_NAMESPACE = 'default';

/**
 * What would become of an object that was refused with an error which what is written before it cures. Where its namespace
 * is not there yet, another one is asked: what is not valid there is not valid anywhere, and that is the error then.
 */
export async function foreseeAfter(
  error: unknown,
  cluster: Cluster,
  wish: Wish,
  args: K8sArgs,
): Promise<ObjectState> {
  const { target, definition } = wish;
  if (!isNotFound(error) || target.namespace === undefined) return reckonForecast(wish, args);
  const trial = { ...wish, target: { ...target, namespace: TRIAL_NAMESPACE } };
  try {
    const inTrial = { ...trial, definition: inNamespace(definition, TRIAL_NAMESPACE) };
    const { object, warnings } = await writeObject(cluster, inTrial, args, { isDryRun: true });
    const state = reckonForecast(wish, args);
    // The annotation of what was applied names the namespace too.
    const own = { metadata: memberOf(state.after, 'metadata') };
    return { ...state, after: overlaid(object, own) as Json, warnings }; // Both are objects.
  } catch (failure) {
    if (isInvalid(failure)) throw failure;
    return reckonForecast(wish, args);
  }
}

function inNamespace(object: Json, namespace: string): Json {
  return { ...object, metadata: { ...memberOf(object, 'metadata'), namespace } };
}

function isInvalid(error: unknown): boolean {
  return error instanceof ApiError && [400, 422].includes(error.code) && !isDryRunRefused(error);
}

/** Without the API server: the definition on top of what is there. Throws TaskError where it names too little. */
export function reckonForecast({ target, definition, existing }: Wish, args: K8sArgs): ObjectState {
  const method = methodFor(existing, args);
  expectNamespace(target, verbOf(method));
  const base = method === 'replace' ? {} : (existing ?? {});
  const after = withoutNulls(overlaid(base, reckoned(existing, definition, args)));
  const object = after as Json; // Of objects comes an object.
  const forecast = forecastOf(existing, object, false);
  return { definition, target, method, existing, forecast, after: object, warnings: [] };
}

function reckoned(existing: Json | undefined, definition: Json, args: K8sArgs): Json {
  if (!args.apply || args.server_side_apply !== undefined) return definition;
  return existing === undefined ? annotated(definition) : (applyPatch(existing, definition) ?? {});
}

function forecastOf(existing: Json | undefined, after: Json, isSure: boolean): Forecast {
  const isSame = existing !== undefined && !isChange(diffObjects(existing, after));
  return isSame ? { kind: 'same' } : { kind: 'change', isSure };
}

function versionOf(object: Json): unknown {
  return memberOf(object, 'metadata')['resourceVersion'];
}

/** A webhook with side effects, or an API server of its own, that knows no dry runs. */
function isDryRunRefused(error: unknown): boolean {
  return error instanceof ApiError && error.code === 400 && /dry.?run/i.test(error.message);
}
