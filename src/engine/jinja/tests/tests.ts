import { type Builtin, tableOf } from '../builtin.ts';
import { typeTests } from './types.ts';

/** All tests by short and by full name. */
export const TESTS: ReadonlyMap<string, Builtin> = tableOf(
  [...typeTests],
  ['ansible.builtin', 'ansible.legacy'],
);
