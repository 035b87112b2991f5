import { createContext, Script } from 'node:vm';
import { BoundedCache } from './bounded-cache.ts';
import { TemplateError } from './errors.ts';
import { type RegexFlags, translateRegex } from './regex-translate.ts';

/** How long one match may take where its pattern may take for ever. */
const MATCH_TIMEOUT_MS = 1000;
/** Texts shorter than this are matched without a guard. */
const SHORT_TEXT = 24;

export interface RegexOptions {
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
}

interface Compiled {
  readonly regex: RegExp;
  readonly risky: boolean;
}

const compiled = new BoundedCache<string, Compiled>(2000);

/** A compiled pattern of Python's `re`. */
export class Regex {
  readonly #regex: RegExp;
  readonly #risky: boolean;

  constructor({ regex, risky }: Compiled) {
    this.#regex = regex;
    this.#risky = risky;
  }

  /** The first match at or after an offset, or null. Throws TemplateError where matching does not end. */
  exec(text: string, from = 0): RegExpExecArray | null {
    this.#regex.lastIndex = from;
    if (!this.#risky || text.length < SHORT_TEXT) return this.#regex.exec(text);
    return guardedExec(this.#regex, text);
  }

  /** All matches, as Python's finditer finds them. */
  *matches(text: string): Generator<RegExpExecArray> {
    let at = 0;
    while (at <= text.length) {
      const match = this.exec(text, at);
      if (match === null) return;
      yield match;
      const end = match.index + match[0].length;
      // After an empty match the next may not begin at the same place.
      at = match[0] === '' ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
    }
  }

  /** How many groups the pattern has. */
  get groupCount(): number {
    return (new RegExp(`${this.#regex.source}|`, this.#regex.flags.replace('g', '')).exec('')?.length ?? 1) - 1;
  }

  get groupNames(): readonly string[] {
    const groups = new RegExp(`${this.#regex.source}|`, this.#regex.flags.replace('g', '')).exec('')?.groups;
    return Object.keys(groups ?? {});
  }
}

/** Compiles a pattern of Python's `re`. Throws TemplateError on a bad one. */
export function compileRegex(pattern: string, options: RegexOptions = {}): Regex {
  const { ignoreCase = false, multiline = false } = options;
  const key = `${Number(ignoreCase)}${Number(multiline)}${pattern}`;
  const known = compiled.get(key);
  if (known !== undefined) return new Regex(known);
  const made = makeRegex(pattern, { ignoreCase, multiline, dotAll: false, verbose: false });
  compiled.set(key, made);
  return new Regex(made);
}

function makeRegex(pattern: string, flags: RegexFlags): Compiled {
  const { source, ignoreCase, risky } = translateRegex(pattern, flags);
  try {
    return { regex: new RegExp(source, ignoreCase ? 'gui' : 'gu'), risky };
  } catch (cause) {
    throw new TemplateError(`bad regular expression ${JSON.stringify(pattern)}`, { cause });
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
