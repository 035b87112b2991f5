/** Building POSIX shell text in which no value can inject: the only way the project writes commands. */
import { type Hole, readHoles } from './shell-holes.ts';

declare const MADE: unique symbol;

import { TaskError } from './errors.ts';
import { hasRawBytes } from './raw-bytes.ts';

/** A piece of shell script. Made by `sh`, never by hand. */
export interface Command {
  readonly line: string;
  readonly [MADE]: 'command';
}

/** Text without any character that means something to a shell: it may stand within quotes too. */
export interface PlainText {
  readonly plain: string;
  readonly [MADE]: 'plain';
}

/** Text that a shell is to run: the one word behind `sh -c`. */
export interface Script {
  readonly script: string;
  readonly [MADE]: 'script';
}

type Value = string | number | Command | PlainText | Script | readonly (string | number)[];

/** What was found in each template. */
const known = new WeakMap<readonly string[], readonly Hole[]>();

/**
 * Tagged template for shell text: every interpolated string or number becomes one quoted word, an array becomes one
 * word each, and a `Command` is inserted as it is. Throws SyntaxError for a value within quotes, where quoting would
 * not protect it, and for one that a shell would run (`eval`, `sh -c`) unless it is a `Script`.
 */
export function sh(parts: TemplateStringsArray, ...values: readonly Value[]): Command {
  // An escape that JavaScript does not know makes its part undefined: it has to be written with two backslashes.
  if (parts.some((part) => part === undefined)) throw new SyntaxError('an invalid escape in sh`…`');
  let holes = known.get(parts);
  if (holes === undefined) {
    holes = readHoles(parts);
    known.set(parts, holes);
  }
  let line = parts[0] ?? '';
  for (const [i, hole] of holes.entries()) {
    line += filled(hole, values[i] ?? '') + (parts[i + 1] ?? '');
  }
  return command(line);
}

/** Joins commands with a separator: `; `, ` && `, newline. */
export function joinCommands(commands: readonly Command[], separator: string): Command {
  return command(commands.map(({ line }) => line).join(separator));
}

/** Shell text that the user has written, or a constant. Never a value. */
export function givenScript(text: string): Script {
  return { script: text } as Script; // The mark is known to the compiler alone.
}

/** A script as the one word behind `sh -c`. */
export function innerScript({ line }: Command): Script {
  return givenScript(line);
}

/** The text itself, as a part of the script around it. */
export function inlined({ script }: Script): Command {
  return command(script);
}

/** The name of a variable, of a program, or a number with a unit. Throws SyntaxError for anything else. */
export function plainName(text: string): PlainText {
  if (/^\w+$/.test(text)) return plainText(text);
  throw new SyntaxError(`no plain name for a shell: ${text}`);
}

/** Bytes in base64, in lines of a length that every tool takes. */
export function base64Lines(bytes: Buffer): PlainText {
  return plainText(
    bytes
      .toString('base64')
      .replaceAll(/.{4096}/g, '$&\n')
      .trimEnd(),
  );
}

/** The text of a value. Throws SyntaxError where its kind cannot stand. */
function filled(hole: Hole, value: Value): string {
  const { text, fits } = shown(value);
  if (fits.includes(hole)) return text;
  throw new SyntaxError(
    `a value of another kind is needed in sh\`…\`: this is the place of a ${hole}`,
  );
}

function shown(value: Value): { readonly text: string; readonly fits: readonly Hole[] } {
  if (typeof value === 'number') {
    return { text: String(value), fits: Number.isFinite(value) ? ['word', 'quoted'] : [] };
  }
  if (typeof value === 'string') return { text: quote(value), fits: ['word'] };
  if ('plain' in value) return { text: value.plain, fits: ['word', 'quoted'] };
  if ('script' in value) return { text: quote(value.script), fits: ['word', 'script'] };
  if ('line' in value) return { text: value.line, fits: ['word'] };
  return { text: value.map((each) => quote(String(each))).join(' '), fits: ['word'] };
}

function command(line: string): Command {
  return { line } as Command; // The mark is known to the compiler alone.
}

function plainText(plain: string): PlainText {
  return { plain } as PlainText; // The mark is known to the compiler alone.
}

/** One word for a POSIX shell. Throws TaskError on a NUL character, which a shell drops without a word, and on bytes that are no text. */
export function quote(text: string): string {
  if (text.includes('\0'))
    throw new TaskError('a path or a command cannot contain a NUL character');
  if (hasRawBytes(text))
    throw new TaskError('a path or a command cannot contain bytes that are no UTF-8');
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
