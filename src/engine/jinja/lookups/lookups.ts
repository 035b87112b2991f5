import { type Builtin, tableOf } from '../builtin.ts';

/** All lookups by short and by full name. */
export const LOOKUPS: ReadonlyMap<string, Builtin> = tableOf([], ['ansible.builtin', 'ansible.legacy']);
