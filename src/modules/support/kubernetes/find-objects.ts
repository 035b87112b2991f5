/** Reads the objects that a task asks for, as kubernetes.core's k8s_info does. */
import type { Reader } from '../../../engine/module.ts';
import { ApiError, isNotFound } from '../../../kubernetes/api-error.ts';
import type { ServedKind } from '../../../kubernetes/served-kind.ts';
import type { Cluster } from './cluster.ts';
import { type Json, memberOf, textOf } from './json.ts';
import { matchesLabels } from './label-filter.ts';
import { predictedObject, predictedObjects } from './predicted-objects.ts';
import { apiVersionOf, pathOf, type Target, targetOf } from './target.ts';

/** Which objects of a kind are meant. */
export interface Selection {
  readonly kind: ServedKind;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly labels: readonly string[];
  readonly fields: readonly string[];
}

/** Where objects are looked for; in a check run, as earlier tasks would have left them. */
export interface Ground {
  readonly reader: Pick<Reader, 'predicted' | 'predictedAll'>;
  readonly cluster: Pick<Cluster, 'server' | 'client'>;
}

/** The objects of a selection: none where there is no object of that name. Throws the errors of the client. */
export async function findObjects(ground: Ground, selection: Selection): Promise<readonly Json[]> {
  const { name, ...all } = selection;
  return name === undefined ? await list(ground, all) : await get(ground, { ...all, name });
}

/** Whether an object is only there in the forecast of a check run: nobody makes it ready. */
export function isForeseen({ reader, cluster }: Ground, kind: ServedKind, object: Json): boolean {
  const target = targetOf(kind, object);
  const { name } = target;
  return name !== undefined && predictedObject(reader, cluster, { ...target, name }) !== undefined;
}

async function get(
  { reader, cluster }: Ground,
  { kind, name, namespace, labels, fields }: Selection & { readonly name: string },
): Promise<readonly Json[]> {
  const target = { kind, name, namespace: kind.isNamespaced ? namespace : undefined };
  const foreseen = predictedObject(reader, cluster, target);
  if (foreseen !== undefined) return foreseen.object === undefined ? [] : [foreseen.object];
  const query = queryOf(labels, fields);
  const found = await cluster.client.find<Json>(pathOf(target), { query });
  return found === undefined ? [] : [found];
}

async function list(
  { reader, cluster }: Ground,
  { kind, namespace, labels, fields }: Omit<Selection, 'name'>,
): Promise<readonly Json[]> {
  const target: Target = {
    kind,
    name: undefined,
    namespace: kind.isNamespaced ? namespace : undefined,
  };
  const query = queryOf(labels, fields);
  const { items } = await cluster.client.list<Json>(pathOf(target), { query });
  // Items of a list do not say what they are.
  const found = items.map((item) => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...item,
  }));
  const foreseen = predictedObjects(reader, cluster).filter(
    (each) => each['kind'] === kind.kind && each['apiVersion'] === apiVersionOf(kind),
  );
  const isWanted = (each: Json) =>
    (target.namespace === undefined || namespaceOf(each) === target.namespace) &&
    (labels.length === 0 || matchesLabels(each, labels)) &&
    fields.length === 0;
  const kept = found.filter(
    (each) =>
      !isForeseenGone({ reader, cluster }, kind, each) &&
      !foreseen.some((other) => keyOf(other) === keyOf(each)),
  );
  return [...kept, ...foreseen.filter(isWanted)];
}

function isForeseenGone({ reader, cluster }: Ground, kind: ServedKind, object: Json): boolean {
  const target = targetOf(kind, object);
  const { name } = target;
  if (name === undefined) return false;
  const foreseen = predictedObject(reader, cluster, { ...target, name });
  return foreseen !== undefined && foreseen.object === undefined;
}

function queryOf(labels: readonly string[], fields: readonly string[]) {
  return { labelSelector: labels.join(','), fieldSelector: fields.join(',') };
}

function namespaceOf(object: Json): string | undefined {
  return textOf(memberOf(object, 'metadata'), 'namespace');
}

function keyOf(object: Json): string {
  return `${namespaceOf(object) ?? ''}/${textOf(memberOf(object, 'metadata'), 'name')}`;
}

/** The message where a server says that it does not understand a selection. */
export function misunderstood(error: unknown): string | undefined {
  return error instanceof ApiError && error.code === 400 ? error.message : undefined;
}

/** The message where a kind is not served any more that the cluster has known: lists are there as long as their kind. */
export function unservedSince(error: unknown): string | undefined {
  return isNotFound(error) && error instanceof Error ? error.message : undefined;
}
