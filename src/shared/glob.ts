/** Shell patterns as Python's fnmatch reads them. */

/** Whether a text fits a pattern: `*` and `?` stand for anything, `[…]` and `[!…]` for one character of a set. */
export function matchesGlob(text: string, pattern: string): boolean {
  return new RegExp(`^${translate(pattern)}$`, 'su').test(text);
}

function translate(pattern: string): string {
  return pattern.replace(/\[(!?)(\]?[^\]]*)\]|[*?]|[^*?]/gsu, (part, not: string, set: string) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    if (set === undefined) return escapeLiteral(part);
    return `[${not === '!' ? '^' : ''}${set.replace(/[\\[\]^]/g, '\\$&')}]`;
  });
}

function escapeLiteral(char: string): string {
  return /[\\^$.|+()[\]{}/]/.test(char) ? `\\${char}` : char;
}
