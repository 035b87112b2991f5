/**
 * Parameters of triggers: one declaration yields the TypeScript type, the reading of text as KEDA reads it, the
 * published JSON Schema and the reference page. A parameter cannot be declared without a description.
 */
import { parseDuration } from '../shared/duration.ts';

declare const value: unique symbol;

/**
 * Where a value may come from: the trigger's metadata, its authentication, or the environment of the scale target's
 * container, named by `<parameter>FromEnv` in the metadata.
 */
export type Origin = 'metadata' | 'authentication' | 'environment';

export type ParameterKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'duration'
  | 'choice'
  | 'list'
  | 'map'
  | 'query';

/** One parameter of a trigger, which remembers the TypeScript type of its value. */
export interface Parameter<T> {
  readonly kind: ParameterKind;
  readonly description: string;
  /** In order of precedence; the first value that is not blank wins. */
  readonly from: readonly Origin[];
  /** Other spellings, tried in order after the parameter's own name. */
  readonly aliases: readonly string[];
  readonly required: boolean;
  readonly default?: T;
  /** The values of a choice, or of the elements of a list of choices. */
  readonly choices?: readonly string[];
  /** Never logged or shown. */
  readonly secret: boolean;
  /** Giving it in two places is an error. */
  readonly isSingle?: true;
  /** In the metadata, the name of a variable of the container, or of the key that it comes from, stands for its value. */
  readonly mayNameVariable?: true;
  /** Set where the parameter is gone: using it is an error, and this is the cure. */
  readonly removed?: string;
  /** Set where metadata may no longer have the parameter, and only there: giving it is an error, this is the cure. */
  readonly removedFromMetadata?: string;
  /** Set where the parameter will go: using it is told in an event. */
  readonly deprecated?: string;
  /** The value of a text; throws a RangeError that says what is expected. */
  readonly parse: (text: string) => T;
  /** Type-level only; never present at run time. */
  readonly [value]?: T;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type ValuesOf<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

interface Rules<T> {
  /** Default: `['metadata']`. */
  readonly from?: readonly Origin[];
  readonly aliases?: readonly string[];
  /** Used where nothing is given. A parameter with a default is never required. */
  readonly default?: T;
  readonly deprecated?: string;
  readonly removedFromMetadata?: string;
  readonly isSingle?: true;
  readonly mayNameVariable?: true;
}
interface NumberRules extends Rules<number> {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
}
interface ListRules<T> extends Rules<readonly T[]> {
  /** Default: a comma. */
  readonly separator?: string;
}

export function text(description: string, rules: Rules<string> = {}): Parameter<string> {
  return parameter('text', description, rules, (given) => given);
}

/** Text that must never be logged or shown; from the authentication unless `rules` says otherwise. */
export function secret(description: string, rules: Rules<string> = {}): Parameter<string> {
  return { ...text(description, { from: ['authentication'], ...rules }), secret: true };
}

export function integer(description: string, rules: NumberRules = {}): Parameter<number> {
  return parameter('integer', description, rules, (given) => parseInteger(given, rules));
}

export function number(description: string, rules: NumberRules = {}): Parameter<number> {
  return parameter('number', description, rules, (given) => parseNumber(given, rules));
}

/** As Go's ParseBool: `1 t T true True TRUE 0 f F false False FALSE`. */
export function boolean(description: string, rules: Rules<boolean> = {}): Parameter<boolean> {
  return parameter('boolean', description, rules, parseBoolean);
}

/** In milliseconds. Written as Go does (`1h30m`, `500ms`) or as a bare integer of milliseconds. */
export function duration(description: string, rules: Rules<number> = {}): Parameter<number> {
  return parameter('duration', description, rules, parseMilliseconds);
}

export function choice<const T extends string>(
  choices: readonly T[],
  description: string,
  rules: Rules<NoInfer<T>> = {},
): Parameter<T> {
  const parse = (given: string) => parseChoice(given, choices);
  return { ...parameter('choice', description, rules, parse), choices };
}

/** Elements between separators, without the blanks around them. */
export function list(
  description: string,
  rules: ListRules<string> = {},
): Parameter<readonly string[]> {
  return parameter('list', description, rules, (given) => split(given, rules.separator));
}

/** Integers between commas; `a-b` is a range. */
export function integerList(
  description: string,
  rules: Rules<readonly number[]> = {},
): Parameter<readonly number[]> {
  return parameter('list', description, rules, parseIntegers);
}

export function choiceList<const T extends string>(
  choices: readonly T[],
  description: string,
  rules: Rules<readonly NoInfer<T>[]> = {},
): Parameter<readonly T[]> {
  const parse = (given: string) => split(given).map((element) => parseChoice(element, choices));
  return { ...parameter<readonly T[]>('list', description, rules, parse), choices };
}

/** `k=v,k2=v2`. */
export function map(
  description: string,
  rules: Rules<Readonly<Record<string, string>>> = {},
): Parameter<Readonly<Record<string, string>>> {
  return parameter('map', description, rules, parseMap);
}

/** Text in the form of a URL's query. */
export function query(
  description: string,
  rules: Rules<URLSearchParams> = {},
): Parameter<URLSearchParams> {
  return parameter('query', description, rules, (given) => new URLSearchParams(given));
}

export function optional<T>(of: Parameter<T>): Parameter<T | undefined> {
  return { ...(of as Parameter<T | undefined>), required: false };
}

/** A parameter that no longer exists; `cure` says what to write in its place. */
export function removed(description: string, cure: string): Parameter<undefined> {
  return { ...(optional(text(description)) as Parameter<undefined>), removed: cure };
}

function parameter<T>(
  kind: ParameterKind,
  description: string,
  rules: Rules<T>,
  parse: (text: string) => T,
): Parameter<T> {
  const { from = ['metadata'], aliases = [], default: fallback } = rules;
  const { deprecated, removedFromMetadata, isSingle, mayNameVariable } = rules;
  return {
    kind,
    description,
    from,
    aliases,
    required: fallback === undefined,
    ...(fallback !== undefined && { default: fallback }),
    ...(deprecated !== undefined && { deprecated }),
    ...(removedFromMetadata !== undefined && { removedFromMetadata }),
    ...(isSingle && { isSingle }),
    ...(mayNameVariable && { mayNameVariable }),
    secret: false,
    parse,
  };
}

/** Numbers are read as JSON does: `07`, `+1` and `0x10` are none. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const JSON_INTEGER = /^-?(?:0|[1-9]\d*)$/;

function parseInteger(given: string, rules: NumberRules = {}): number {
  if (!JSON_INTEGER.test(given)) throw new RangeError('must be an integer');
  return withinLimits(Number(given), rules);
}

function parseNumber(given: string, rules: NumberRules): number {
  if (!JSON_NUMBER.test(given)) throw new RangeError('must be a number');
  return withinLimits(Number(given), rules);
}

function withinLimits(given: number, { minimum, exclusiveMinimum }: NumberRules): number {
  if (minimum !== undefined && given < minimum) {
    throw new RangeError(`must be at least ${minimum}`);
  }
  if (exclusiveMinimum !== undefined && given <= exclusiveMinimum) {
    throw new RangeError(`must be more than ${exclusiveMinimum}`);
  }
  return given;
}

function parseBoolean(given: string): boolean {
  if (/^(?:1|t|T|true|True|TRUE)$/.test(given)) return true;
  if (/^(?:0|f|F|false|False|FALSE)$/.test(given)) return false;
  throw new RangeError('must be "true" or "false"');
}

function parseMilliseconds(given: string): number {
  const text = given.replace(/^\+/, '');
  const milliseconds = /^\d+$/.test(text) ? Number(text) : parseDuration(text);
  if (milliseconds === undefined) {
    throw new RangeError('must be a duration, such as "500ms", "1h30m" or 500 (milliseconds)');
  }
  return milliseconds;
}

function parseChoice<T extends string>(given: string, choices: readonly T[]): T {
  const found = choices.find((candidate) => candidate === given);
  if (found === undefined) throw new RangeError(`must be one of ${choices.join(', ')}`);
  return found;
}

function split(given: string, separator = ','): readonly string[] {
  return given.split(separator).map((element) => element.trim());
}

function parseIntegers(given: string): readonly number[] {
  return split(given).flatMap((element) => {
    const range = /^(\d+)-(\d+)$/.exec(element);
    if (range === null) return [parseInteger(element, { minimum: 0 })];
    const [first, last] = [Number(range[1]), Number(range[2])];
    if (last < first) throw new RangeError(`has a range that runs backwards: ${element}`);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

function parseMap(given: string): Readonly<Record<string, string>> {
  const entries = split(given).map((entry) => {
    const [key, content, ...rest] = entry.split('=');
    if (key === undefined || content === undefined || rest.length > 0) {
      throw new RangeError(`must be key=value pairs between commas, and "${entry}" is none`);
    }
    return [key.trim(), content.trim()] as const;
  });
  return Object.fromEntries(entries);
}
