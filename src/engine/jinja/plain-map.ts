import type { ValMap } from './objects.ts';

/** Whether a dict is an ordinary one, not a subclass that makes its members on demand. */
export function isPlainMap(map: ValMap): boolean {
  return Object.getPrototypeOf(map) === Map.prototype;
}
