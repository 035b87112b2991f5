import { type Builtin, define, tableOf } from '../builtin.ts';
import { requireText } from '../text.ts';
import { compareTests } from './compare.ts';
import { fileTests } from './files.ts';
import { resultTests } from './results.ts';
import { textTests } from './text.ts';
import { typeTests } from './types.ts';
import { versionTests } from './version.ts';

const nameTests: readonly Builtin[] = [
  define(
    'filter',
    'value',
    (runtime, value) =>
      runtime.engine.filter(requireText(value, 'the name of a filter')) !== undefined,
  ),
  define(
    'test',
    'value',
    (runtime, value) => runtime.engine.test(requireText(value, 'the name of a test')) !== undefined,
  ),
];

/** All tests by short and by full name. */
export const TESTS: ReadonlyMap<string, Builtin> = tableOf(
  [
    ...typeTests,
    ...compareTests,
    ...textTests,
    ...resultTests,
    ...fileTests,
    ...versionTests,
    ...nameTests,
  ],
  ['ansible.builtin', 'ansible.legacy'],
);
