import { EmptyUndefined, Failed, isList, isMap, Undefined, type Val } from './objects.ts';

/**
 * A rendered value without its members that are undefined, at any depth; undefined where it is so itself. Throws
 * TemplateError on a member that fails for another reason.
 */
export function definedParts(value: Val): Val | undefined {
  if (value instanceof Failed) return value.fail();
  if (value instanceof Undefined) return undefined;
  if (isList(value)) return value.flatMap((each) => wrapped(definedParts(each)));
  if (!isMap(value)) return value;
  return new Map(
    [...value].flatMap(([name, each]) => wrapped(definedParts(each)).map((part) => [name, part])),
  );
}

function wrapped(value: Val | undefined): readonly Val[] {
  return value === undefined ? [] : [value];
}

/** Throws TemplateError where the value, or an item or member of it, is undefined. */
export function requireDefined(value: Val): void {
  const parts = isList(value) ? value : isMap(value) ? value.values() : [value];
  for (const part of parts) {
    if (part instanceof Undefined && !(part instanceof EmptyUndefined)) part.fail();
  }
}
