/** How far configparser follows values that name others. */
const MAX_DEPTH = 10;

/** Sections of an INI text as Python's configparser reads it, or undefined where it is not one. */
export function parseIni(text: string): Record<string, Record<string, string>> | undefined {
  const sections: Record<string, Record<string, string>> = {};
  let current: Record<string, string> | undefined;
  for (const line of text.split('\n')) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const [, title] = /^\[(.+)\]/.exec(line) ?? [];
    const [, name, value = ''] = /^([^=:\s][^=:]*?)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (title !== undefined) current = sections[title] ??= {};
    else if (name === undefined || current === undefined) return undefined;
    else current[name.toLowerCase()] = value.trim();
  }
  return sections;
}

/** Replaces `%(name)s` in a section by its other values and `%%` by a percent sign, as configparser does. */
export function interpolate(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([name, value]) => [name, filled(value, values, 0)]));
}

function filled(text: string, values: Readonly<Record<string, string>>, depth: number): string {
  if (depth > MAX_DEPTH) throw new Error(`the value of ${text} refers to itself`);
  return text.replace(/%(%|\(([^)]*)\)s|)/g, (found: string, rest: string, name = '', at = 0) => {
    if (rest === '')
      throw new Error(`'%' must be followed by '%' or '(', found: '${text.slice(at)}'`);
    if (rest === '%') return '%';
    const value = Object.hasOwn(values, name.toLowerCase())
      ? values[name.toLowerCase()]
      : undefined;
    if (value === undefined) throw new Error(`${found} names no value of its section`);
    return filled(value, values, depth + 1);
  });
}
