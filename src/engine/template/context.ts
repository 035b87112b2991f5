import { type Dict, toPlain, type Value } from '../values.ts';

/** All that templates can find behind the data: how an object prints, which is as JSON. */
const BASE: object = Object.freeze(
  Object.assign(Object.create(null), {
    toString(this: object) {
      return JSON.stringify(this);
    },
  }),
);
/** The variables together do not print: they would all have to be made. */
const TOP: object = Object.freeze(
  Object.assign(Object.create(null), { toString: () => 'variables' }),
);

/** Variables as an object whose members are made when they are first read. */
export function contextOf(variables: Dict): object {
  const context: object = Object.create(TOP);
  for (const name of variables.keys()) {
    Object.defineProperty(context, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = bare(variables.get(name));
        Object.defineProperty(context, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return context;
}

/** Plain data in which no object has a prototype with anything to reach. */
function bare(value: Value | undefined): unknown {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.map(bare);
  if (!(value instanceof Map)) return toPlain(value);
  const object: object = Object.create(BASE);
  for (const [key, member] of value) {
    Object.defineProperty(object, String(toPlain(key)), { value: bare(member), enumerable: true });
  }
  return object;
}
