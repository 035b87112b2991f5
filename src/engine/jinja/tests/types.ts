import { type Builtin, define } from '../builtin.ts';
import { isFloat, isInt, isNumber } from '../numbers.ts';
import {
  EmptyUndefined,
  isList,
  isMap,
  isText,
  Markup,
  PyFunction,
  Range,
  Undefined,
  type Val,
} from '../objects.ts';

function isIterable(value: Val): boolean {
  const isSequence = isText(value) || isList(value) || isMap(value) || value instanceof Range;
  return isSequence || value instanceof EmptyUndefined;
}

function question(names: string, answer: (value: Val) => boolean): Builtin {
  return define(names, 'value', (_runtime, value) => answer(value));
}

/** Tests about what kind of value something is. */
export const typeTests: readonly Builtin[] = [
  define('defined', 'value', (_runtime, value) => !(value instanceof Undefined), {
    acceptsUndefined: true,
  }),
  define('undefined', 'value', (_runtime, value) => value instanceof Undefined, {
    acceptsUndefined: true,
  }),
  question('none', (value) => value === null),
  question('boolean', (value) => typeof value === 'boolean'),
  question('true', (value) => value === true),
  question('false', (value) => value === false),
  question('integer', (value) => isInt(value, false)),
  question('float', (value) => isFloat(value)),
  question('number', (value) => isNumber(value)),
  question('string', (value) => isText(value)),
  question('mapping', (value) => isMap(value)),
  question('iterable', isIterable),
  question('sequence', isIterable),
  question('callable', (value) => value instanceof PyFunction || value instanceof EmptyUndefined),
  question('escaped', (value) => value instanceof Markup),
];
