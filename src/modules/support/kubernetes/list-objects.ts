/** All objects of a kind, or those that labels select. */
import { isJson, type Json } from './json.ts';
import { matchesLabels } from './label-filter.ts';
import { failureOf, type Scene } from './object-failure.ts';
import { predictedObject, predictedObjects } from './predicted-objects.ts';
import { apiVersionOf, type NamedTarget, pathOf, type Target, targetOf } from './target.ts';

/** What the API server has of a kind, in the namespace where the target has one. Throws TaskError. */
export async function listStored(scene: Scene, target: Target): Promise<readonly Json[]> {
  const query = { labelSelector: scene.args.label_selectors?.join(',') };
  const { kind } = target;
  try {
    const path = pathOf({ ...target, name: undefined });
    const { items } = await scene.cluster.client.list<unknown>(path, { query });
    return items
      .filter(isJson)
      .map((item) => ({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...item }));
  } catch (error) {
    throw await failureOf(scene, error, 'retrieve requested', target);
  }
}

/** The same, in a check run as earlier tasks would have left it. Of a pending kind nothing is stored. */
export async function listed(
  scene: Scene,
  target: Target,
  { isPending }: { readonly isPending: boolean },
): Promise<readonly Json[]> {
  const stored = isPending ? [] : await listStored(scene, target);
  const untouched = stored.filter((each) => predictionFor(scene, target, each) === undefined);
  const { label_selectors: selectors = [] } = scene.args;
  const predicted = predictedObjects(scene.reader, scene.cluster).filter(
    (each) => isOfKind(target, each) && (selectors.length === 0 || matchesLabels(each, selectors)),
  );
  return [...untouched, ...predicted];
}

function predictionFor({ reader, cluster }: Scene, { kind }: Target, object: Json) {
  const named = targetOf(kind, object) as NamedTarget; // It is stored, so it has a name.
  return predictedObject(reader, cluster, named);
}

function isOfKind({ kind, namespace }: Target, object: Json): boolean {
  const isSameKind = object['kind'] === kind.kind && object['apiVersion'] === apiVersionOf(kind);
  return isSameKind && (namespace === undefined || targetOf(kind, object).namespace === namespace);
}
