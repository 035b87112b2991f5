/** Objects of a cluster as plain data, and texts of them as Python writes them. */

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member that is an object; an empty one where it is not. */
export function memberOf(object: unknown, name: string): Json {
  const member = isJson(object) ? object[name] : undefined;
  return isJson(member) ? member : {};
}

/** A member that is text. */
export function textOf(object: unknown, name: string): string | undefined {
  const member = isJson(object) ? object[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

/** `over` on top of `base`, object by object; lists and scalars are replaced. */
export function overlaid(base: unknown, over: unknown): unknown {
  if (!isJson(base) || !isJson(over)) return over;
  const merged = Object.entries(over).map(([name, value]) => [name, overlaid(base[name], value)]);
  return { ...base, ...Object.fromEntries(merged) };
}

/** JSON as Python's `json.dumps` writes it without blanks, in ASCII and with sorted members. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(',')}]`;
  if (!isJson(value)) return asciiJson(value);
  // By hand: JavaScript keeps members that look like numbers before all others.
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${asciiJson(name)}:${pythonJson(member)}`).join(',')}}`;
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Without the members of objects that are null, as the API server keeps none. */
export function withoutNulls(value: unknown): unknown {
  if (!isJson(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
