import { getAttribute } from '../access.ts';
import { type Builtin, define } from '../builtin.ts';
import { reprOf, requireText } from '../text.ts';

/** Filters that fit nowhere else. */
export const miscFilters: readonly Builtin[] = [
  define('pprint', 'value', (_runtime, value) => reprOf(value)),
  define('attr', 'value, name', (runtime, value, name) =>
    getAttribute(value, requireText(name, 'the name of an attribute'), runtime),
  ),
];
