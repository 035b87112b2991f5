/** Building POSIX shell text in which no value can inject: the only way the project writes commands. */

/** A piece of shell script. Made by `sh`, never by hand. */
export interface Command {
  readonly line: string;
}

/**
 * Tagged template for shell text: every interpolated string or number becomes one quoted word, an array
 * becomes one word each, and a `Command` is inserted as it is.
 */
export function sh(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Command | readonly (string | number)[])[]
): Command {
  // An escape that JavaScript does not know makes its part undefined: it has to be written with two backslashes.
  if (parts.some((part) => part === undefined)) throw new SyntaxError('an invalid escape in sh`…`');
  return { line: parts.reduce((line, part, i) => line + word(values[i - 1] ?? '') + part) };
}

/** Joins commands with a separator: `; `, ` && `, newline. */
export function joinCommands(commands: readonly Command[], separator: string): Command {
  return { line: commands.map(({ line }) => line).join(separator) };
}

function word(value: string | number | Command | readonly (string | number)[]): string {
  if (typeof value === 'string' || typeof value === 'number') return quote(String(value));
  if (Array.isArray(value)) return value.map((each) => quote(String(each))).join(' ');
  return (value as Command).line; // An array was the only other possibility.
}

/** One word for a POSIX shell. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
