/** Which object of a cluster a definition means. */
import { TaskError } from '../../../engine/module.ts';
import type { ObjectPath } from '../../../kubernetes/objects.ts';
import type { ServedKind } from '../../../kubernetes/served-kind.ts';
import { isJson, type Json, memberOf, textOf } from './json.ts';

export interface Target {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  /** Undefined where the API server makes it up, or several objects are meant. */
  readonly name: string | undefined;
}

export type NamedTarget = Target & { readonly name: string };

export function targetOf(kind: ServedKind, definition: Json): Target {
  const metadata = memberOf(definition, 'metadata');
  const namespace = kind.isNamespaced ? textOf(metadata, 'namespace') : undefined;
  return { kind, namespace: namespace || undefined, name: textOf(metadata, 'name') || undefined };
}

/** The address of the object; without its name, that of all of its kind in the namespace. */
export function pathOf({ kind, namespace, name }: Target): ObjectPath {
  const { group, version, resource } = kind;
  return { group, version, resource, namespace, name };
}

/** `Deployment shop/web`, as messages name it. */
export function labelOf({ kind: { kind }, namespace, name = '(no name)' }: Target): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** `apps/v1`; `v1` for the core. */
export function apiVersionOf({ group, version }: Pick<ServedKind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Throws TaskError where an object of a namespace names none. */
export function expectNamespace({ kind, namespace }: Target, doing: string): void {
  if (!kind.isNamespaced || namespace !== undefined) return;
  throw new TaskError(
    `Failed to ${doing} object: Namespace is required for ${apiVersionOf(kind)}.${kind.kind}`,
    { hint: 'give metadata.namespace, or the argument namespace' },
  );
}

/** The kind that a CustomResourceDefinition will bring, if it is this one. */
export function kindFromDefinition(
  definition: Json,
  apiVersion: string,
  word: string,
): ServedKind | undefined {
  const spec = memberOf(definition, 'spec');
  const names = memberOf(spec, 'names');
  const group = textOf(spec, 'group') ?? '';
  const [kind, resource] = [textOf(names, 'kind'), textOf(names, 'plural')];
  const versions = (Array.isArray(spec['versions']) ? spec['versions'] : [])
    .filter(isJson)
    .map((each) => String(each['name']));
  const version = versions.find((each) => `${group}/${each}` === apiVersion || each === apiVersion);
  if (version === undefined || kind === undefined || resource === undefined) return undefined;
  const short = Array.isArray(names['shortNames']) ? names['shortNames'].map(String) : [];
  const aliases = [resource, textOf(names, 'singular') ?? kind.toLowerCase(), ...short];
  if (kind !== word && !aliases.includes(word)) return undefined;
  const isNamespaced = spec['scope'] !== 'Cluster';
  return { group, version, resource, kind, isNamespaced, isScalable: false, aliases };
}
