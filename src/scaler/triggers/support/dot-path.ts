/** The value at names between dots; in a list a name is an index. Undefined where there is none. */
export function valueAtDots(root: unknown, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    return (value as Record<string, unknown>)[name];
  }, root);
}
