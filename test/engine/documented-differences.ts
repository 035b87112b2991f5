import { readFileSync } from 'node:fs';

/**
 * What gives another answer on purpose than ansible-core, from a file: each case with the row of docs/differences.md
 * that tells why. A line `# row` begins the cases of a row.
 */
export function differencesIn(file: URL): ReadonlyMap<string, string> {
  const text = readFileSync(file, 'utf8');
  let reason = '';
  const differences = new Map<string, string>();
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('# ')) reason = line.slice(2);
    else differences.set(line, reason);
  }
  return differences;
}

/** The identifiers of the rows of docs/differences.md. */
export function documentedIds(): ReadonlySet<string> {
  const page = new URL('../../docs/differences.md', import.meta.url);
  return new Set(
    [...readFileSync(page, 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(([, id]) => id ?? ''),
  );
}
