/** Playbooks of collections, by their full names. */
import { join, resolve } from 'node:path';
import { isFile } from './source.ts';

const EXTENSIONS = ['.yml', '.yaml', ''];

export interface CollectionPlaces {
  readonly playbookDir: string;
  /** Where collections are installed. */
  readonly collectionsPath?: readonly string[] | undefined;
}

/** Where a playbook may lie: beside the one that asks, or where collections are installed. */
function pathsOf(name: string, { playbookDir, collectionsPath = [] }: CollectionPlaces): string[] {
  const [, namespace, collection, rest] = /^(\w+)\.(\w+)\.([\w.]+)$/.exec(name) ?? [];
  if (namespace === undefined || collection === undefined || rest === undefined) return [];
  const inside = join(
    'ansible_collections',
    namespace,
    collection,
    'playbooks',
    ...rest.split('.'),
  );
  return [join(playbookDir, 'collections'), ...collectionsPath].map((path) => join(path, inside));
}

/** The file of a playbook that is named in full, as `acme.site.upgrade`; undefined where there is none. */
export function collectedPlaybook(name: string, places: CollectionPlaces): string | undefined {
  return pathsOf(name, places)
    .flatMap((path) => EXTENSIONS.map((extension) => path + extension))
    .find(isFile);
}

/** Where the roles of the collection lie to which a playbook belongs. */
export function rolesBeside(playbookDir: string): string[] {
  const [, root] =
    /^(.*\/ansible_collections\/\w+\/\w+)\/playbooks(?:\/|$)/.exec(resolve(playbookDir)) ?? [];
  return root === undefined ? [] : [join(root, 'roles')];
}
