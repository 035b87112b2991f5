/** Values of formulas, and code that yields them. */
import { FormulaFault, KindFault } from './formula-error.ts';

/** `undefined` is nil. */
export type Value =
  | number
  | string
  | boolean
  | undefined
  | Duration
  | ReadonlyMap<Value, Value>
  | readonly Value[];

export type Kind = 'number' | 'string' | 'boolean' | 'list' | 'map' | 'duration';

/** A span of time. */
export class Duration {
  readonly nanoseconds: number;

  constructor(nanoseconds: number) {
    this.nanoseconds = nanoseconds;
  }
}

/** What one evaluation works on. */
export interface Frame {
  /** Of variables, by their number. */
  readonly variables: readonly Value[];
  /** Of `let` and `#`, by their number. */
  readonly locals: Value[];
  /** Steps that are left. */
  budget: number;
}

/** A part of a formula, ready to run. */
export interface Code {
  /** Where it begins. */
  readonly start: number;
  /** Absent where only running it tells. */
  readonly kind?: Kind | undefined;
  /** Of a number: whether expr has it as an integer. Absent where only running it tells. */
  readonly isWhole?: boolean | undefined;
  /** What it is called in messages, where it has a name of its own. */
  readonly title?: string | undefined;
  readonly run: (frame: Frame) => Value;
}

interface KindTypes {
  readonly number: number;
  readonly string: string;
  readonly boolean: boolean;
  readonly list: readonly Value[];
  readonly map: ReadonlyMap<Value, Value>;
  readonly duration: Duration;
}

const ARTICLES: Readonly<Record<Kind, string>> = {
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  list: 'a list',
  map: 'a map',
  duration: 'a duration',
};

export function kindOf(value: Value): Kind | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'map';
  if (value instanceof Duration) return 'duration';
  return typeof value as Kind; // The other three kinds are JavaScript's own.
}

/** The code's value, which has to be of a kind: refused now where that is known, else when it runs. */
export function expecting<K extends Kind>(code: Code, kind: K): (frame: Frame) => KindTypes[K] {
  if (code.kind !== undefined && code.kind !== kind) throw kindFault(code, kind, code.kind);
  return (frame) => required(code.run(frame), kind, code);
}

/** A value of the code, which has to be of a kind. */
export function required<K extends Kind>(value: Value, kind: K, code: Code): KindTypes[K] {
  const found = kindOf(value);
  if (found === kind) return value as KindTypes[K];
  throw found === undefined ? noValue(code) : kindFault(code, kind, found);
}

export function noValue({ start, title }: Code): FormulaFault {
  const cure = title === undefined ? undefined : `give a default, as in ${title} ?? 0`;
  return new FormulaFault(`${title ?? 'this'} has no value`, start, cure);
}

/** Counts work, so that no formula keeps the operator busy. */
export function charge(frame: Frame, steps: number, start: number): void {
  frame.budget -= steps;
  if (!(frame.budget >= 0)) throw new FormulaFault('the formula needs too many steps', start);
}

/** Whether two values are the same; lists by their elements, each of which counts as a step. */
export function isEqual(a: Value, b: Value, frame: Frame, start: number): boolean {
  charge(frame, 1, start);
  if (a instanceof Duration && b instanceof Duration) return a.nanoseconds === b.nanoseconds;
  if (a instanceof Map && b instanceof Map) {
    const isSame = ([key, value]: [Value, Value]) =>
      b.has(key) && isEqual(value, b.get(key), frame, start);
    return a.size === b.size && [...a].every(isSame);
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  const isSame = (element: Value, index: number) => isEqual(element, b[index], frame, start);
  return a.length === b.length && a.every(isSame);
}

function kindFault({ start }: Code, wanted: Kind, found: Kind): KindFault {
  return new KindFault(`${ARTICLES[wanted]} is needed and not ${ARTICLES[found]}`, start);
}
