import { getItem } from '../access.ts';
import { isText, type Runtime, Undefined, type Val } from '../objects.ts';
import { textOf } from '../text.ts';

/** Gives the key by which a filter looks at an item. */
export type KeyOf = (item: Val) => Val;

/** The steps of a dotted path such as `opts.0.name`; whole numbers are indexes. */
function stepsOf(path: Val): readonly Val[] {
  if (!isText(path)) return [path];
  return textOf(path)
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** Follows a path through an item. What is missing is undefined, or the fallback where one is given. */
export function attributeGetter(runtime: Runtime, path: Val, fallback?: Val): KeyOf {
  const steps = stepsOf(path);
  return (item) => {
    let value = item;
    for (const step of steps) {
      value = getItem(value, step, runtime);
      if (value instanceof Undefined && fallback !== undefined) return fallback;
    }
    return runtime.force(value);
  };
}

/** The item by its attribute, or by itself where no attribute is asked for. */
export function keyGetter(runtime: Runtime, attribute: Val): KeyOf {
  return attribute === null ? (item) => item : attributeGetter(runtime, attribute);
}

/** The same key for texts that differ in case only, unless case matters. */
export function caseKey(key: Val, caseSensitive: boolean): Val {
  return !caseSensitive && isText(key) ? textOf(key).toLowerCase() : key;
}
