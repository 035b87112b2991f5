/** Looks at what a task deletes. */

import { findObject } from './forecast.ts';
import type { Json } from './json.ts';
import { listed } from './list-objects.ts';
import { failureOf, type Scene } from './object-failure.ts';
import { failureFrom, type ObjectState } from './object-state.ts';
import { predictedObject } from './predicted-objects.ts';
import { type NamedTarget, type Target, targetOf } from './target.ts';
import { deleteObject } from './write-object.ts';

export interface Deletion {
  readonly definition: Json;
  readonly target: Target;
  readonly isPending: boolean;
}

/** What there is to delete, and what the API server says to that: by name, or all that labels select. */
export async function lookAtDeletion(scene: Scene, wanted: Deletion): Promise<ObjectState> {
  const { definition, target, isPending } = wanted;
  const isNamed = target.name !== undefined;
  const { label_selectors: selectors } = scene.args;
  if (!isNamed && selectors === undefined) {
    return unconcerned(definition, target, {
      method: 'delete',
      warnings: [`no name of a ${target.kind.kind} is given: nothing is deleted`],
    });
  }
  const predicted = predictionFor(scene, target);
  if (isNamed && (isPending || predicted)) {
    const existing = predicted?.object;
    return deletionState(wanted, existing === undefined ? [] : [existing], existing ? [{}] : []);
  }
  const found = isNamed
    ? [await retrieve(scene, target)]
    : await listed(scene, target, { isPending });
  const existing = found.filter((each) => each !== undefined);
  const targets = existing.map((each) => targetOf(target.kind, each) as NamedTarget); // It is stored, so it has a name.
  try {
    const answers = await Promise.all(
      targets.map((each) =>
        // What is only predicted cannot be asked about; it answers as what is gone.
        deleteObject(scene.cluster, each, scene.args, { isDryRun: true }),
      ),
    );
    return deletionState(wanted, existing, answers);
  } catch (error) {
    const failure = await failureOf(scene, error, 'delete', target);
    return {
      ...unconcerned(definition, target, { method: 'delete' }),
      existing: existing[0],
      forecast: failureFrom(failure),
    };
  }
}

function deletionState(
  { definition, target }: Deletion,
  existing: readonly Json[],
  answers: readonly Json[],
): ObjectState {
  const [only = {}] = answers;
  return {
    definition,
    target,
    method: 'delete',
    existing: existing[0],
    deletions: existing.map((each) => targetOf(target.kind, each) as NamedTarget), // As above.
    forecast: existing.length === 0 ? { kind: 'same' } : { kind: 'change', isSure: true },
    answer: target.name === undefined && answers.length > 0 ? answers : only,
    warnings: [],
  };
}

/** An object that nothing is done with. */
export function unconcerned(
  definition: Json,
  target: Target,
  more: Partial<Pick<ObjectState, 'message' | 'warnings' | 'method'>>,
): ObjectState {
  return { definition, target, forecast: { kind: 'same' }, warnings: [], ...more };
}

/** In a check run: the object as earlier tasks would have left it, if they would have touched it. */
export function predictionFor({ reader, cluster }: Scene, target: Target) {
  const { name } = target;
  return name === undefined ? undefined : predictedObject(reader, cluster, { ...target, name });
}

/** The object; undefined where there is none. Throws TaskError. */
export async function retrieve(scene: Scene, target: Target): Promise<Json | undefined> {
  try {
    return await findObject(scene.cluster, target);
  } catch (error) {
    throw await failureOf(scene, error, 'retrieve requested', target);
  }
}
