import { getAttribute } from '../access.ts';
import { type Builtin, define } from '../builtin.ts';
import { isMap, Undefined } from '../objects.ts';
import { reprOf, requireText } from '../text.ts';

/** Filters that fit nowhere else. */
export const miscFilters: readonly Builtin[] = [
  define('pprint', 'value', (_runtime, value) => reprOf(value)),
  define('attr', 'value, name', (runtime, value, name) =>
    isMap(value)
      ? new Undefined('a dict has members, not attributes')
      : getAttribute(value, requireText(name, 'the name of an attribute'), runtime),
  ),
];
