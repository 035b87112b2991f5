/** A text as one word of a POSIX shell, written as Python's shlex.quote writes it. */
export function quoteShell(text: string): string {
  if (text === '') return "''";
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
