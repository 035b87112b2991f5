import { TemplateError } from './errors.ts';
import {
  Bytes,
  EmptyUndefined,
  isList,
  isMap,
  isText,
  Range,
  type Runtime,
  typeName,
  Undefined,
  type Val,
  type ValMap,
} from './objects.ts';
import { characters, textLength, textOf } from './text.ts';

/** The items Python would iterate over, or undefined for what cannot be iterated. */
export function tryIterate(value: Val, runtime: Runtime): readonly Val[] | undefined {
  if (isList(value)) {
    runtime.step(value.length);
    return value;
  }
  return makeItems(value, runtime);
}

function makeItems(value: Val, runtime: Runtime): readonly Val[] | undefined {
  if (isMap(value)) {
    runtime.step(value.size);
    return [...value.keys()];
  }
  if (isText(value)) {
    runtime.checkItems(textOf(value).length);
    return characters(textOf(value));
  }
  if (value instanceof EmptyUndefined) return [];
  if (value instanceof Undefined) return value.fail();
  if (value instanceof Bytes) {
    runtime.checkItems(value.buffer.length);
    return [...value.buffer];
  }
  if (!(value instanceof Range)) return undefined;
  runtime.checkItems(value.length);
  return Array.from({ length: value.length }, (_, index) => value.at(index));
}

/** The items Python would iterate over. Throws TemplateError on what cannot be iterated. */
export function membersOf(value: Val, runtime: Runtime): readonly Val[] {
  const items = tryIterate(value, runtime);
  if (items === undefined) throw new TemplateError(`'${typeName(value)}' object is not iterable`);
  return items;
}

/** The same for those who look at every item: an undefined one is an error. */
export function iterate(value: Val, runtime: Runtime): readonly Val[] {
  const items = membersOf(value, runtime);
  requirePresent(items);
  return items;
}

function requirePresent(members: Iterable<Val>): void {
  for (const member of members) {
    if (member instanceof Undefined && !(member instanceof EmptyUndefined)) member.fail();
  }
}

/** The length of a text, list, dict or range. Throws TemplateError on what has none. */
export function lengthOf(value: Val): number {
  if (isText(value)) return textLength(textOf(value));
  if (isList(value)) return value.length;
  if (isMap(value)) return value.size;
  if (value instanceof Range) return value.length;
  if (value instanceof Bytes) return value.buffer.length;
  if (value instanceof EmptyUndefined) return 0;
  if (value instanceof Undefined) return value.fail();
  throw new TemplateError(`object of type '${typeName(value)}' has no length`);
}

/** The value as a dict. Throws TemplateError where it is none. */
export function mapOf(value: Val, what: string): ValMap {
  if (isMap(value)) return value;
  throw new TemplateError(`${what} must be a dict, not '${typeName(value)}'`);
}

/** The same for those who look at every member: an undefined one is an error. */
export function requireMap(value: Val, what: string): ValMap {
  const map = mapOf(value, what);
  requirePresent(map.values());
  return map;
}

/** The value as a list. Throws TemplateError where it is none, or has an undefined item. */
export function requireList(value: Val, what: string): readonly Val[] {
  if (!isList(value)) throw new TemplateError(`${what} must be a list, not '${typeName(value)}'`);
  requirePresent(value);
  return value;
}
