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
