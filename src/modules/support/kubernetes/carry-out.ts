/** Writes what a task wants of its objects, one after the other, and waits for them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TaskError } from '../../../engine/module.ts';
import { isConflict, isNotFound } from '../../../kubernetes/api-error.ts';
import type { Cluster } from './cluster.ts';
import { findObject } from './forecast.ts';
import { isJson, type Json, memberOf } from './json.ts';
import { diffObjects, isChange } from './object-diff.ts';
import { failureOf, type Scene } from './object-failure.ts';
import { failedResult, type ObjectResult, resultOf } from './object-result.ts';
import { type Done, errorOf, type ObjectState } from './object-state.ts';
import { apiVersionOf, type Target, targetOf } from './target.ts';
import { conditionsOf, type Waited, waitUntilGone, waitUntilReady } from './wait-for-object.ts';
import { deleteObject, methodFor, verbOf, writeObject } from './write-object.ts';

export interface Acting extends Scene {
  readonly signal: AbortSignal | undefined;
}

/** Brings about what was planned; gives the results in the order of the objects. Throws TaskError. */
export async function carryOut(
  acting: Acting,
  states: readonly ObjectState[],
): Promise<readonly ObjectResult[]> {
  const results: ObjectResult[] = [];
  for (const state of states) {
    const hasChanged = results.some(({ changed }) => changed);
    try {
      results.push(await carryOutOne(acting, state, hasChanged));
    } catch (error) {
      if (isTimeUp(acting)) throw new TaskError('timed out', { cause: error });
      if (!acting.args.continue_on_error || !(error instanceof TaskError)) throw error;
      results.push(failedResult(error));
    }
  }
  return results;
}

/** Whether the task has a limit (`timeout`) and is past it. */
function isTimeUp({ signal }: Acting): boolean {
  return signal?.aborted === true && signal.reason?.name === 'TimeoutError';
}

async function carryOutOne(
  acting: Acting,
  state: ObjectState,
  hasChanged: boolean,
): Promise<ObjectResult> {
  const { args } = acting;
  if (state.method === undefined) {
    if (state.forecast.kind === 'failure') throw errorOf(state.forecast);
    return resultOf(state, undefined, args);
  }
  const done = await write(acting, state, hasChanged);
  if (!args.wait) return resultOf(state, done, args);
  const waited = await wait(acting, state, done);
  const { isDone, seen: object, seconds } = waited;
  const answer = done.method === 'delete' ? done.answer : (object ?? {});
  const result = { ...resultOf(state, { ...done, answer }, args), duration: seconds };
  if (isDone) return result;
  const { kind, name = 'None' } = { ...state.target, kind: state.target.kind.kind };
  throw new TaskError(`"${kind}" "${name}": Timed out waiting on resource`, {
    hint: conditionsOf(object),
    result: { ...result },
  });
}

async function write(acting: Acting, state: ObjectState, hasChanged: boolean): Promise<Done> {
  const { forecast, existing = {}, method = 'update' } = state;
  if (forecast.kind === 'failure' && !hasChanged) throw errorOf(forecast);
  try {
    if (method === 'delete') return await remove(acting, state);
    if (forecast.kind === 'same') {
      return { method, changed: false, answer: existing, warnings: state.warnings };
    }
    return await place(acting, state, forecast.kind === 'change' && forecast.isSure);
  } catch (error) {
    throw await failureOf(acting, error, verbOf(method), state.target);
  }
}

async function remove(acting: Acting, { deletions = [], target }: ObjectState): Promise<Done> {
  const answers: Json[] = [];
  for (const each of deletions) {
    answers.push(
      await deleteObject(acting.cluster, each, acting.args, {
        isDryRun: false,
        signal: acting.signal,
      }),
    );
  }
  const [only = {}] = answers;
  const isMany = target.name === undefined && answers.length > 0;
  const changed = deletions.length > 0;
  return { method: 'delete', changed, answer: isMany ? answers : only, warnings: [] };
}

/** Writes over what the probe has seen, or where that may be out of date over what is there now. */
async function place(acting: Acting, state: ObjectState, isSeen: boolean): Promise<Done> {
  if (!isSeen) return placeAnew(acting, state);
  try {
    return await send(acting, state, state.existing);
  } catch (error) {
    // It was made or deleted since.
    if (!isConflict(error) && !isNotFound(error)) throw error;
    return placeAnew(acting, state);
  }
}

async function placeAnew(acting: Acting, state: ObjectState): Promise<Done> {
  const { cluster } = acting;
  const { group, version, kind } = state.target.kind;
  const served = await cluster.discovery.lookUp(apiVersionOf({ group, version }), kind);
  const target = targetOf(served, state.definition);
  return send(acting, { ...state, target }, await findObject(cluster, target));
}

async function send(
  { cluster, args, signal }: Acting,
  { target, definition }: Pick<ObjectState, 'target' | 'definition'>,
  existing: Json | undefined,
): Promise<Done> {
  const method = methodFor(existing, args);
  const wish = { target, definition, existing };
  const { object, warnings } = await writeObject(cluster, wish, args, { isDryRun: false, signal });
  if (definition['kind'] === 'CustomResourceDefinition') await awaitServed(cluster, object, signal);
  const changed = existing === undefined || isChange(diffObjects(existing, object));
  return { method, changed, answer: object, warnings };
}

/** How long a new kind may take until it is served, and how often to look. */
const SERVED_MS = 15_000;
const LOOK_MS = 100;

/** What comes next may be of the kind that has just been defined. */
async function awaitServed(
  { discovery }: Cluster,
  definition: Json,
  signal: AbortSignal | undefined,
): Promise<void> {
  const spec = memberOf(definition, 'spec');
  const versions = (Array.isArray(spec['versions']) ? spec['versions'] : []).filter(isJson);
  const served = versions.filter((each) => each['served'] === true);
  const kind = String(memberOf(spec, 'names')['kind']);
  const deadline = performance.now() + SERVED_MS;
  for (const { name } of served) {
    const isKnown = () => discovery.isServed(`${spec['group']}/${name}`, kind, signal);
    while (!(await isKnown()) && performance.now() < deadline) {
      await sleep(LOOK_MS, undefined, signal && { signal });
    }
  }
}

async function wait(acting: Acting, state: ObjectState, done: Done): Promise<Waited> {
  const { signal } = acting;
  try {
    if (done.method === 'delete') return await waitUntilGone(acting, state.target, signal);
    const written: Target = targetOf(state.target.kind, isJson(done.answer) ? done.answer : {});
    return await waitUntilReady(acting, written, signal);
  } catch (error) {
    throw await failureOf(acting, error, 'wait for', state.target);
  }
}
