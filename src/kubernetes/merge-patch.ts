type Mapping = Readonly<Record<string, unknown>>;

/**
 * The JSON merge patch (RFC 7386) that makes one value of another; undefined where they are equal. Lists are replaced
 * whole; members that are undefined count as absent.
 */
export function mergePatch(from: Mapping, to: Mapping): Mapping | undefined {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  const members = [...names].flatMap((name) => memberPatch(name, from[name], to[name]));
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function memberPatch(name: string, from: unknown, to: unknown): readonly [string, unknown][] {
  if (isEqual(from, to)) return [];
  if (to === undefined || to === null)
    return from === undefined || from === null ? [] : [[name, null]];
  if (!isMapping(to)) return [[name, to]];
  // An empty object over nothing has no members to patch, and is wanted all the same.
  return [[name, mergePatch(isMapping(from) ? from : {}, to) ?? {}]];
}

/** Whether two JSON values are the same, whatever the order of members. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => isEqual(each, b[index]));
  }
  if (!isMapping(a) || !isMapping(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isEqual(a[name], b[name]));
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
