/** Finds the templates of shell text in sources: what stands between their holes, and in them. */

export interface ShellTemplate {
  readonly line: number;
  readonly parts: readonly string[];
  readonly holes: readonly string[];
}

/** Every `sh` template of a source, those within the holes of others included. */
export function shellTemplates(source: string): readonly ShellTemplate[] {
  return [...source.matchAll(/(?<![\w/`])sh`/g)].map(({ index }) => {
    const { parts, holes } = readTemplate(source, index + 'sh`'.length);
    return { line: source.slice(0, index).split('\n').length, parts: parts.map(cooked), holes };
  });
}

interface Template {
  readonly parts: readonly string[];
  readonly holes: readonly string[];
  /** Behind the last backquote. */
  readonly end: number;
}

function readTemplate(source: string, start: number): Template {
  const parts: string[] = [];
  const holes: string[] = [];
  let from = start;
  let at = start;
  while (source[at] !== '`') {
    if (at >= source.length) throw new Error('a template does not end');
    if (source.startsWith('${', at)) {
      parts.push(source.slice(from, at));
      const end = endOfHole(source, at + 2);
      holes.push(source.slice(at + 2, end));
      from = end + 1;
      at = from;
    } else at += source[at] === '\\' ? 2 : 1;
  }
  return { parts: [...parts, source.slice(from, at)], holes, end: at + 1 };
}

function endOfHole(source: string, start: number): number {
  let depth = 0;
  let at = start;
  while (depth > 0 || source[at] !== '}') {
    if (at >= source.length) throw new Error('a hole does not end');
    depth += { '{': 1, '}': -1 }[source[at] ?? ''] ?? 0;
    at = behind(source, at);
  }
  return at;
}

/** Behind the text that begins here, or behind the character. */
function behind(source: string, at: number): number {
  if (source[at] === '`') return readTemplate(source, at + 1).end;
  return source[at] === "'" || source[at] === '"' ? endOfText(source, at) : at + 1;
}

function endOfText(source: string, start: number): number {
  let at = start + 1;
  while (source[at] !== source[start]) at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The text that JavaScript makes of it. */
function cooked(raw: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', 0: '\0' };
  return raw.replaceAll(/\\(.)/gs, (_, char: string) => escapes[char] ?? char);
}
