/** Files of kernel parameters, as sysctl(8) reads them. */

/** The value of a key; the last line that sets it counts. */
export function sysctlValue(text: string, key: string): string | undefined {
  return text
    .split('\n')
    .map(parseLine)
    .findLast((entry) => entry?.key === key)?.value;
}

/**
 * The text with a key set, or taken out where `value` is undefined. Every setting becomes one line `key=value`, at
 * the place of its first line and with the value of its last; comments and all else stay.
 */
export function withSysctl(text: string, key: string, value: string | undefined): string {
  const seen = new Set<string>();
  const lines = text.split('\n').flatMap((line) => {
    const entry = parseLine(line);
    if (entry === undefined) return [line];
    if (seen.has(entry.key)) return [];
    seen.add(entry.key);
    const kept = entry.key === key ? value : sysctlValue(text, entry.key);
    return kept === undefined ? [] : [`${entry.key}=${kept}`];
  });
  if (lines.at(-1) === '') lines.pop();
  if (value !== undefined && !seen.has(key)) lines.push(`${key}=${value}`);
  return lines.map((line) => `${line}\n`).join('');
}

function parseLine(line: string): { readonly key: string; readonly value: string } | undefined {
  const match = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
  if (match === null) return undefined;
  const [, key = '', value = ''] = match;
  return { key, value };
}

/**
 * The file of a key below `/proc/sys`. Where a slash stands first among the separators, slashes separate and dots
 * belong to names (`net/ipv4/conf/eth0.100/forwarding`), else it is the other way round.
 */
export function sysctlPath(key: string): string {
  const [separator] = /[./]/.exec(key) ?? [];
  if (separator === '/') return key;
  return key.replace(/[./]/g, (each) => (each === '.' ? '/' : '.'));
}

/** Whether two values mean the same to the kernel, which separates numbers by tabs. */
export function sameSysctl(a: string, b: string): boolean {
  const words = (text: string) => text.trim().split(/\s+/).join(' ');
  return words(a) === words(b);
}
