/** A word of a host line. Columns count from 1. */
export interface IniWord {
  readonly text: string;
  readonly column: number;
}

/**
 * Splits a host line into words as a POSIX shell does; an unquoted `#` begins a comment even inside a word.
 * Throws RangeError where a quote is not closed.
 */
export function splitIniWords(line: string): IniWord[] {
  const words: IniWord[] = [];
  const pattern = /\s*((?:[^\s#'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+)/y;
  for (;;) {
    const start = pattern.lastIndex;
    const match = pattern.exec(line);
    const [all = '', word] = match ?? [];
    if (word === undefined) return finish(words, line.slice(start));
    words.push({ text: unquote(word), column: start + all.length - word.length + 1 });
  }
}

function finish(words: IniWord[], rest: string): IniWord[] {
  const trimmed = rest.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return words;
  const fault =
    trimmed === '\\' ? 'a backslash ends the line' : `a quote is not closed: ${trimmed}`;
  throw new RangeError(fault);
}

function unquote(word: string): string {
  return word.replace(
    /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g,
    (_, escaped, single, double) => {
      if (escaped !== undefined) return escaped;
      return single ?? String(double).replace(/\\(["\\])/g, '$1');
    },
  );
}
