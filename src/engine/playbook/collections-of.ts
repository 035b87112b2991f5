/** Where short names of modules are searched beside ansible.builtin. */
import type { Value } from '../values.ts';
import { type Container, enclosing } from './model.ts';

/** The collections in which the short name of a module is searched, the role's own first. */
export function collectionsOf(own: Value | undefined, parent: Container): string[] {
  const lists = [own, ...[...enclosing(parent)].map(({ keywords }) => keywords.get('collections'))];
  const nearest = lists.find((list) => list !== undefined && list !== null);
  const named = nearest === undefined || nearest === null ? [] : [nearest].flat().map(String);
  return [...ownCollection(parent), ...named];
}

/** Roles of a collection call its modules by their short names. */
function ownCollection(parent: Container): string[] {
  const { role } = [...enclosing(parent)].find((container) => container.role !== undefined) ?? {};
  const collected = collectedRole(role?.path ?? '');
  return collected === undefined ? [] : [collected.collection];
}

interface CollectedRole {
  readonly collection: string;
  /** Its name within the collection. */
  readonly short: string;
}

/** Which role of a collection lies at a path. */
export function collectedRole(path: string): CollectedRole | undefined {
  const [, namespace, name, inside = ''] = COLLECTED_ROLE.exec(path) ?? [];
  if (namespace === undefined) return undefined;
  return { collection: `${namespace}.${name}`, short: inside.replaceAll('/', '.') };
}

const COLLECTED_ROLE = /\/ansible_collections\/(\w+)\/(\w+)\/roles\/(.+)$/;
