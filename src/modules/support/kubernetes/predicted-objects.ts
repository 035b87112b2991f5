/** In a check run: objects of a cluster as earlier tasks would have left them. Outside of one nothing is predicted. */
import type { Effect, Reader } from '../../../engine/module.ts';
import type { Cluster } from './cluster.ts';
import type { Json } from './json.ts';
import type { NamedTarget } from './target.ts';

type Prediction = Extract<Effect, { kind: 'cluster-object' }>;

/** What a task would leave of an object; undefined: it would be gone. */
export function predictionOf(
  cluster: Pick<Cluster, 'server'>,
  target: NamedTarget,
  object: Json | undefined,
): Prediction {
  return { kind: 'cluster-object', name: nameOf(cluster, target), object };
}

/** The object as earlier tasks would have left it; undefined where they would not have touched it. */
export function predictedObject(
  reader: Pick<Reader, 'predicted'>,
  cluster: Pick<Cluster, 'server'>,
  target: NamedTarget,
): { readonly object: Json | undefined } | undefined {
  const found = reader.predicted('cluster-object', nameOf(cluster, target));
  return found && { object: found.object as Json | undefined }; // Only predictionOf makes them.
}

/** Every object of the cluster that earlier tasks would have written, as it would be. */
export function predictedObjects(
  reader: Pick<Reader, 'predictedAll'>,
  { server }: Pick<Cluster, 'server'>,
): readonly Json[] {
  const all = reader
    .predictedAll('cluster-object')
    .filter(({ name }) => name.startsWith(`${server} `));
  const last = new Map(all.map(({ name, object }) => [name, object as Json | undefined]));
  return [...last.values()].filter((object) => object !== undefined);
}

function nameOf(
  { server }: Pick<Cluster, 'server'>,
  { kind, namespace, name }: NamedTarget,
): string {
  return `${server} ${kind.resource}.${kind.group} ${namespace ?? ''}/${name}`;
}
