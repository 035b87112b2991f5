import { createContext, Script } from 'node:vm';
import { translateRegex } from '../../shared/python-regex/syntax.ts';
import { PythonRegex, type RegexMatch, RegexSyntaxError } from '../../shared/python-regex.ts';
import { BoundedCache } from './bounded-cache.ts';
import { TemplateError } from './errors.ts';

/** How long one match may take where its pattern may take for ever. */
const MATCH_TIMEOUT_MS = 1000;
/** Texts shorter than this are matched without a guard, whatever the pattern. */
const SHORT_TEXT = 20;
/** As many repeated or optional parts as this are suspicious even without groups. */
const MANY_REPEATS = 8;
/** Texts longer than this are guarded where the pattern repeats more than one part. */
const LONG_TEXT = 500;

/** Characters of a pattern: it takes much more than that to compile it. */
const MAX_PATTERN = 100_000;

export interface RegexOptions {
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
}

const compiled = new BoundedCache<string, Regex>(2000);

/** A pattern of Python's `re` that cannot hang: a match that takes too long is given up. */
export class Regex {
  readonly #python: PythonRegex;
  readonly #regex: RegExp;
  /** How long a text must be for a match to need a guard. */
  readonly #riskyLength: number;

  constructor(pattern: string, options: RegexOptions) {
    if (pattern.length > MAX_PATTERN) throw new TemplateError('the pattern is too large');
    this.#python = new PythonRegex(pattern, options);
    const { source, flags } = translateRegex(pattern, options);
    this.#regex = new RegExp(source, `${flags.replace('g', '')}g`);
    const bare = pattern.replace(/\\[\s\S]|\[\^?\]?[^\]]*\]/g, 'x');
    this.#riskyLength = riskyLength(bare);
  }

  /** The first match at or after an offset. Throws TemplateError where matching does not end. */
  exec(text: string, from = 0): RegexMatch | undefined {
    this.#regex.lastIndex = from;
    const found =
      text.length >= this.#riskyLength ? guardedExec(this.#regex, text) : this.#regex.exec(text);
    if (found === null) return undefined;
    const { groupCount, names } = this.#python;
    const numbered = Array.from(
      { length: groupCount },
      (_, index) => found.groups?.[`g${index + 1}`],
    );
    const groups = [found[0], ...numbered];
    const named = new Map([...names].map(([name, number]) => [name, groups[number]]));
    return { start: found.index, end: found.index + found[0].length, groups, named };
  }

  /** All matches, as Python's finditer finds them. */
  *matches(text: string): Generator<RegexMatch> {
    let at = 0;
    while (at <= text.length) {
      const match = this.exec(text, at);
      if (match === undefined) return;
      yield match;
      // After an empty match the next may not begin at the same place.
      const step = (text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1;
      at = match.end > match.start ? match.end : match.end + step;
    }
  }

  /** Fills the references of a replacement. Throws TemplateError on an unknown group or escape. */
  expand(replacement: string, match: RegexMatch): string {
    return asTemplateError(() => this.#python.expand(replacement, match));
  }

  /** The text of a group by number or name, null where it took no part. */
  group(match: RegexMatch, group: string | number): string | null {
    const index = typeof group === 'number' ? group : this.#python.names.get(group);
    if (index === undefined || index > this.#python.groupCount) {
      throw new TemplateError(`the pattern has no group ${group}`);
    }
    return match.groups[index] ?? null;
  }
}

/**
 * From which length of text on a pattern may take for ever: repeated groups and many optional parts can
 * take time exponential in it, several repeated parts a high power of it.
 */
function riskyLength(pattern: string): number {
  const repeats = pattern.match(/[*+?{]/g)?.length ?? 0;
  if (/\)[*+{]/.test(pattern) || repeats >= MANY_REPEATS) return SHORT_TEXT;
  return repeats >= 2 ? LONG_TEXT : Number.POSITIVE_INFINITY;
}

/** Compiles a pattern of Python's `re`. Throws TemplateError on a bad one. */
export function compileRegex(
  pattern: string,
  { ignoreCase = false, multiline = false }: RegexOptions = {},
): Regex {
  const key = `${Number(ignoreCase)}${Number(multiline)}${pattern}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const regex = asTemplateError(() => new Regex(pattern, { ignoreCase, multiline }));
  compiled.set(key, regex);
  return regex;
}

function asTemplateError<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof RegexSyntaxError)) throw cause;
    throw new TemplateError(`bad regular expression: ${cause.message}`, { cause });
  }
}

// Only a script run by node:vm can be stopped in the middle of a match. Its text is ours, the pattern is data.
const context: { regex: RegExp; text: string } = { regex: /^/, text: '' };
let script: Script | undefined;

function guardedExec(regex: RegExp, text: string): RegExpExecArray | null {
  if (script === undefined) {
    createContext(context);
    script = new Script('regex.exec(text)');
  }
  context.regex = regex;
  context.text = text;
  try {
    return script.runInContext(context, { timeout: MATCH_TIMEOUT_MS }) as RegExpExecArray | null; // What exec gives.
  } catch (cause) {
    throw new TemplateError('the regular expression takes too long on this text', { cause });
  }
}
