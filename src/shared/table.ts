/** A table in which words of users are looked up: it has no members but its own, so that `constructor` is none. */
export function table<T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), members);
}
