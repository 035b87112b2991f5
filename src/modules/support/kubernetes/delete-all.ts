import { TaskError } from '../../../engine/module.ts';
import type { Json } from './json.ts';
import { listed } from './list-objects.ts';
import type { Scene } from './object-failure.ts';
import { predictedObjects } from './predicted-objects.ts';
import { resolveKind } from './resolve-kind.ts';
import { expectNamespace, targetOf } from './target.ts';

/** Every object of the kind in the namespace that the labels select. Throws TaskError where the task names no kind. */
export async function definitionsOfAll(scene: Scene): Promise<readonly Json[]> {
  const { kind: word, api_version: apiVersion, namespace } = scene.args;
  if (word === undefined) {
    throw new TaskError("'kind' option is required to specify the resource type.");
  }
  const named = { apiVersion, kind: word };
  const { kind, isPending } = await resolveKind(
    scene,
    named,
    predictedObjects(scene.reader, scene.cluster),
  );
  const target = targetOf(kind, { metadata: { namespace } });
  expectNamespace(target, 'delete');
  return listed(scene, target, { isPending });
}
