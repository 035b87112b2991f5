import type { Resource } from './objects.ts';

/** A kind that the cluster serves. */
export interface ServedKind extends Resource {
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Whether its objects have the subresource `scale`. */
  readonly isScalable: boolean;
  /** Other words for it: plural, singular, short names. */
  readonly aliases: readonly string[];
}

/** What the API server answers about the kinds of one version. */
export interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly singularName?: string;
    readonly shortNames?: readonly string[];
  }[];
}

/** The kinds of a version, from what the API server says of it. */
export function parseKinds(
  { group, version }: Omit<Resource, 'resource'>,
  { resources }: ResourceList,
): readonly ServedKind[] {
  const names = new Set(resources.map(({ name }) => name));
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, singularName, shortNames = [] }) => ({
      group,
      version,
      resource: name,
      kind,
      isNamespaced: namespaced,
      isScalable: names.has(`${name}/scale`),
      aliases: [name, ...(singularName ? [singularName] : []), ...shortNames],
    }));
}

/** Whether a word means this kind. */
export function isCalled({ kind, aliases }: ServedKind, word: string): boolean {
  return kind === word || aliases.includes(word);
}

/** The kind that a word means: first by kind, then plural, singular, short name. */
export function findByWord(kinds: readonly ServedKind[], word: string): ServedKind | undefined {
  const byKind = kinds.find(({ kind }) => kind === word);
  if (byKind !== undefined) return byKind;
  const found = kinds.filter(({ aliases }) => aliases.includes(word));
  const rank = ({ aliases }: ServedKind) => aliases.indexOf(word);
  return found.sort((a, b) => rank(a) - rank(b))[0];
}
