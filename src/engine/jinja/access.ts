import type { Builtin } from './builtin.ts';
import { mapGet } from './compare.ts';
import { TemplateError } from './errors.ts';
import { dictMethods } from './methods/dict.ts';
import { listMethods, rangeMethods } from './methods/list.ts';
import { floatMethods, intMethods } from './methods/number.ts';
import { stringMethods } from './methods/string.ts';
import { isFloat, isInt } from './numbers.ts';
import {
  Failed,
  isList,
  isMap,
  isText,
  Markup,
  PyFunction,
  PyObject,
  Range,
  type Runtime,
  Tuple,
  typeName,
  Undefined,
  type Val,
  type ValMap,
} from './objects.ts';
import { characterAt, characters, labelOf, sliceText, textLength, textOf } from './text.ts';

/** `object.name`: a method of the type, then a member. Undefined where there is neither. */
export function getAttribute(object: Val, name: string, runtime: Runtime): Val {
  if (isMap(object)) return method(dictMethods, object, name) ?? member(object, name, runtime);
  if (object instanceof Undefined) return object;
  return attributeOf(object, name, runtime) ?? missing(object, name);
}

function attributeOf(object: Val, name: string, runtime: Runtime): Val | undefined {
  if (isText(object)) return method(stringMethods, object, name);
  if (isList(object)) return listAttribute(object, name, runtime);
  if (object instanceof Range) return method(rangeMethods, object, name);
  if (object instanceof PyObject) return object.attribute(name, runtime);
  if (isInt(object)) return method(intMethods, object, name);
  return isFloat(object) ? method(floatMethods, object, name) : undefined;
}

function listAttribute(list: readonly Val[], name: string, runtime: Runtime): Val | undefined {
  if (list instanceof NamedTuple) {
    const named = list.member(name);
    if (named !== undefined) return runtime.lazy(named);
  }
  return method(listMethods, list, name);
}

/** A tuple whose items also have names, e.g. a group of `groupby`. */
export class NamedTuple extends Tuple {
  #names: readonly string[] = [];

  static make(names: readonly string[], items: readonly Val[]): NamedTuple {
    const tuple = new NamedTuple();
    for (const item of items) tuple.push(item);
    tuple.#names = names;
    return tuple;
  }

  member(name: string): Val | undefined {
    const index = this.#names.indexOf(name);
    return index === -1 ? undefined : this[index];
  }
}

function method(
  table: ReadonlyMap<string, Builtin>,
  self: Val,
  name: string,
): PyFunction | undefined {
  const found = table.get(name);
  if (found === undefined) return undefined;
  return new PyFunction(name, (args, kwargs, runtime) =>
    found.invoke(runtime, [self, ...args], kwargs),
  );
}

function member(map: ValMap, key: Val, runtime: Runtime): Val {
  const value = memberOf(map, key);
  return value === undefined ? missing(map, key) : runtime.lazy(value);
}

/** A member of `hostvars` or `vars` is rendered when it is read: where that fails, it fails when it is used. */
function memberOf(map: ValMap, key: Val): Val | undefined {
  try {
    return mapGet(map, key);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { message, variable, isUndefined } = error;
    return isUndefined ? new Undefined(message, { variable, failure: error }) : new Failed(error);
  }
}

function missing(object: Val, key: Val): Undefined {
  if (typeof key !== 'string')
    return new Undefined(`${typeName(object)} has no element ${labelOf(key)}`);
  const candidates = () =>
    isMap(object) ? [...object.keys()].filter((name) => typeof name === 'string') : [];
  return new Undefined(`object of type '${typeName(object)}' has no attribute '${key}'`, {
    candidates,
  });
}

/** `object[key]`: a member or an item, then a method. Undefined where there is none. */
export function getItem(object: Val, key: Val, runtime: Runtime): Val {
  if (object instanceof Undefined) return object;
  if (key instanceof Undefined) return key.fail();
  if (isMap(object)) return mapItem(object, key, runtime);
  if (isInt(key)) return itemAt(object, Number(key), runtime) ?? missing(object, key);
  if (isText(key)) return getAttribute(object, key instanceof Markup ? key.value : key, runtime);
  return missing(object, null);
}

function mapItem(map: ValMap, key: Val, runtime: Runtime): Val {
  const text = key instanceof Markup ? key.value : key;
  const value = memberOf(map, text);
  if (value !== undefined) return runtime.lazy(value);
  const bound = typeof text === 'string' ? method(dictMethods, map, text) : undefined;
  return bound ?? missing(map, text);
}

function itemAt(object: Val, index: number, runtime: Runtime): Val | undefined {
  if (isText(object)) return characterAt(textOf(object), index);
  if (object instanceof Range) {
    const position = index < 0 ? index + object.length : index;
    return position >= 0 && position < object.length ? object.at(position) : undefined;
  }
  const item = isList(object) ? fromEnd(object, index) : undefined;
  return item === undefined ? undefined : runtime.lazy(item);
}

function fromEnd<T>(items: readonly T[], index: number): T | undefined {
  return items[index < 0 ? index + items.length : index];
}

export interface SliceBounds {
  readonly start: Val;
  readonly stop: Val;
  readonly step: Val;
}

/** `object[start:stop:step]` with Python's rules. Throws TemplateError where the object has no items. */
export function getSlice(object: Val, bounds: SliceBounds, runtime: Runtime): Val {
  const indexesOf = (length: number) => indexes(sliceOf(length, bounds), runtime);
  if (object instanceof Undefined) return object;
  if (isText(object)) return textSlice(textOf(object), bounds, runtime);
  if (isList(object)) {
    const items = indexesOf(object.length).map((index) => object[index] ?? null);
    return object instanceof Tuple ? Tuple.fromItems(items) : items;
  }
  if (object instanceof Range) {
    return indexesOf(object.length).map((index) => object.at(index));
  }
  throw new TemplateError(`'${typeName(object)}' object is not subscriptable`);
}

function textSlice(text: string, bounds: SliceBounds, runtime: Runtime): string {
  const slice = sliceOf(textLength(text), bounds);
  const { start, step, count } = slice;
  if (step === 1) return sliceText(text, start, start + count);
  const items = characters(text);
  return indexes(slice, runtime)
    .map((index) => items[index] ?? '')
    .join('');
}

interface Slice {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

function sliceOf(length: number, bounds: SliceBounds): Slice {
  const step = bound(bounds.step, 1);
  if (step === 0) throw new TemplateError('slice step cannot be zero');
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const [first, last] = step > 0 ? [low, high] : [high, low];
  const clamped = (value: Val, fallback: number) =>
    value === null ? fallback : Math.min(Math.max(bound(value, 0, length), low), high);
  const start = clamped(bounds.start, first);
  const stop = clamped(bounds.stop, last);
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)) };
}

function indexes({ start, step, count }: Slice, runtime: Runtime): readonly number[] {
  runtime.checkItems(count);
  return Array.from({ length: count }, (_, index) => start + index * step);
}

function bound(value: Val, fallback: number, length?: number): number {
  if (value === null) return fallback;
  if (value instanceof Undefined) value.fail();
  if (!isInt(value)) throw new TemplateError('slice indices must be integers');
  const index = Number(value);
  return index < 0 && length !== undefined ? index + length : index;
}
