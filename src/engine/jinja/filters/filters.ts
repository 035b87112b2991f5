import { type Builtin, tableOf } from '../builtin.ts';
import { convertFilters } from './convert.ts';
import { jsonFilters } from './json.ts';

const CORE: readonly Builtin[] = [...convertFilters, ...jsonFilters];

/** All filters by short and by full name: Jinja's and Ansible's own, and those of collections. */
export const FILTERS = {
  core: tableOf(CORE, ['ansible.builtin', 'ansible.legacy']),
  collections: new Map<string, Builtin>(),
};
