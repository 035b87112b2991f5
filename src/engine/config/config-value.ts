import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { didYouMean } from '../../shared/errors.ts';

/** Where a value was written: relative paths start there. */
interface ValueOrigin {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One configuration setting: its names, its default, its type. */
export interface Setting<T> {
  /** `section.key` in a file; the first found counts. */
  readonly keys: readonly string[];
  /** Names of environment variables without their TSPROV_ or ANSIBLE_ prefix. */
  readonly variables: readonly string[];
  readonly fallback: T;
  /** Throws RangeError that says what is wrong with the text. */
  readonly parse: (text: string, origin: ValueOrigin) => T;
}

type Names = string | readonly string[];

function setting<T>(
  keys: Names,
  variables: Names,
  fallback: T,
  parse: Setting<T>['parse'],
): Setting<T> {
  return { keys: [keys].flat(), variables: [variables].flat(), fallback, parse };
}

export function text(keys: Names, variables: Names): Setting<string | undefined>;
export function text(keys: Names, variables: Names, fallback: string): Setting<string>;
export function text(
  keys: Names,
  variables: Names,
  fallback?: string,
): Setting<string | undefined> {
  return setting<string | undefined>(keys, variables, fallback, unquote);
}

/** A whole number, or undefined where there is no default. */
export function integer(keys: Names, variables: Names): Setting<number | undefined>;
export function integer(keys: Names, variables: Names, fallback: number): Setting<number>;
export function integer(
  keys: Names,
  variables: Names,
  fallback?: number,
): Setting<number | undefined> {
  return setting<number | undefined>(keys, variables, fallback, parseInteger);
}

/** True or false, or undefined where there is no default. */
export function flag(keys: Names, variables: Names): Setting<boolean | undefined>;
export function flag(keys: Names, variables: Names, fallback: boolean): Setting<boolean>;
export function flag(
  keys: Names,
  variables: Names,
  fallback?: boolean,
): Setting<boolean | undefined> {
  return setting<boolean | undefined>(keys, variables, fallback, parseFlag);
}

/** One of a few words. */
export function choice<const Choice extends string>(
  keys: Names,
  variables: Names,
  [fallback, ...others]: readonly [Choice, ...Choice[]],
): Setting<Choice> {
  return setting<Choice>(keys, variables, fallback, (value) =>
    parseChoice(value, [fallback, ...others]),
  );
}

/** Words separated by commas. */
export function list(
  keys: Names,
  variables: Names,
  fallback: readonly string[] = [],
): Setting<readonly string[]> {
  return setting(keys, variables, fallback, (value) => splitTrimmed(unquote(value), ','));
}

/** A file or directory; `~`, `$HOME` and `{{CWD}}` are expanded, a relative path starts at the file that names it. */
export function path(keys: Names, variables: Names): Setting<string | undefined> {
  return setting<string | undefined>(keys, variables, undefined, (value, origin) =>
    value.trim() === '' ? undefined : expandPath(unquote(value), origin),
  );
}

/** Paths separated by colons, or by commas for an inventory. */
export function paths(
  keys: Names,
  variables: Names,
  fallback: readonly string[] = [],
  separator = ':',
): Setting<readonly string[]> {
  return setting(keys, variables, fallback, (value, origin) =>
    splitTrimmed(unquote(value), separator).map((each) => expandPath(each, origin)),
  );
}

function parseInteger(value: string): number {
  const number = Number(unquote(value));
  if (value.trim() !== '' && Number.isSafeInteger(number)) return number;
  throw new RangeError(`"${value}" is not a whole number`);
}

function parseFlag(value: string): boolean {
  const word = unquote(value).toLowerCase();
  if (/^(?:y|yes|on|1|1\.0|true|t)$/.test(word)) return true;
  if (/^(?:n|no|off|0|0\.0|false|f)$/.test(word)) return false;
  throw new RangeError(`"${value}" is neither true nor false`);
}

function parseChoice<Choice extends string>(value: string, choices: readonly Choice[]): Choice {
  const word = unquote(value);
  const found = choices.find((each) => each === word);
  if (found !== undefined) return found;
  const hint = didYouMean(word, choices) ?? `one of ${choices.join(', ')}`;
  throw new RangeError(`"${word}" is not a choice (${hint})`);
}

function splitTrimmed(value: string, separator: string): string[] {
  return value
    .split(separator)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function expandPath(value: string, { directory, environment }: ValueOrigin): string {
  const expanded = value
    .replaceAll('{{CWD}}', process.cwd())
    .replace(/^~(?=\/|$)/, homedir())
    .replace(/\$(?:(\w+)|\{(\w+)\})/g, (all, bare, braced) => environment[bare ?? braced] ?? all);
  return resolve(directory, expanded);
}

function unquote(value: string): string {
  const trimmed = value.trim();
  return /^(?:"[^"]*"|'[^']*')$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
