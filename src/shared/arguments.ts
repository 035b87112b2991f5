/** Reads what a user wrote for a module's arguments: names, aliases, types, defaults. */
import { coerce, Unfit } from './coerce.ts';
import { didYouMean } from './errors.ts';
import type { Field, Shape } from './schema.ts';
import { formatPath, type ValueProblem } from './schema-problem.ts';

type Path = readonly (string | number)[];

/** A value in the making, and where it goes: the user's path, and the path by canonical names. */
interface Spot {
  readonly path: Path;
  readonly pointer: string;
  readonly secret: boolean;
}

/** One reading of one module's arguments. */
export class ArgumentReader {
  readonly problems: ValueProblem[] = [];
  readonly presence = new Map<string, 'given' | 'maybe'>();
  /** Pointers of values of which nothing more is to be said: templates, and those that are unfit already. */
  readonly settled = new Set<string>();
  /** The user's own path to each value that was read, by pointer. */
  readonly spots = new Map<string, Spot>();
  readonly #isTemplated: (value: unknown) => boolean;

  constructor(isTemplated: (value: unknown) => boolean) {
    this.#isTemplated = isTemplated;
  }

  /** The arguments by canonical names, converted, with defaults; unknown ones are kept where `open`. */
  arguments(shape: Shape, input: Readonly<Record<string, unknown>>, open: boolean) {
    const root = { path: [], pointer: '', secret: false };
    const values = this.#members(shape, input, root, open);
    for (const [name, field] of Object.entries(shape)) {
      for (const key of spellings(name, field)) this.#notePresence(name, input[key]);
    }
    return values;
  }

  #notePresence(name: string, value: unknown): void {
    if (isUnset(value)) return;
    this.presence.set(name, this.#isTemplated(value) ? 'maybe' : 'given');
  }

  #members(shape: Shape, input: Readonly<Record<string, unknown>>, spot: Spot, open: boolean) {
    const known = new Set<string>();
    const values: [string, unknown][] = [];
    for (const [name, field] of Object.entries(shape)) {
      for (const key of spellings(name, field)) known.add(key);
      const value = this.#member(name, field, input, spot);
      if (value !== undefined) values.push([name, value]);
    }
    for (const [key, value] of Object.entries(input)) {
      if (known.has(key)) continue;
      if (open) values.push([key, value]);
      else this.#unknown(key, spot.path, shape);
    }
    return Object.fromEntries(values);
  }

  #member(
    name: string,
    field: Field<unknown>,
    input: Record<string, unknown>,
    spot: Spot,
  ): unknown {
    const [key, other] = spellings(name, field).filter((each) => !isUnset(input[each]));
    if (key === undefined) {
      if (field.required) this.#refuse(spot.path, `missing required argument: ${name}`);
      return field.default;
    }
    if (other !== undefined) {
      this.#refuse([...spot.path, other], `${key} and ${other} are the same argument: give one`);
    }
    return this.#value(field, input[key], below(spot, field, key, name));
  }

  #value(field: Field<unknown>, value: unknown, spot: Spot): unknown {
    this.spots.set(spot.pointer, spot);
    if (this.#isTemplated(value)) {
      this.settled.add(spot.pointer);
      return undefined;
    }
    const { element, shape } = field;
    const read = this.#converted(field, value, spot);
    if (element !== undefined && Array.isArray(read)) {
      return read.map((item, i) => this.#value(element, item, below(spot, element, i, i)));
    }
    if (shape === undefined || read === undefined) return read;
    return this.#members(shape, read as Record<string, unknown>, spot, false); // `object` is read as a mapping.
  }

  #converted(field: Field<unknown>, value: unknown, spot: Spot): unknown {
    try {
      return coerce(field, value);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      this.settled.add(spot.pointer);
      const message = spot.secret ? 'the value does not fit' : error.message;
      this.#refuse(spot.path, `${formatPath(spot.path)}: ${message}`);
      return undefined;
    }
  }

  #unknown(key: string, path: Path, shape: Shape): void {
    const names = Object.keys(shape);
    const all = Object.entries(shape).flatMap(([name, field]) => spellings(name, field));
    const supported = `supported: ${names.sort().join(', ')}`;
    const guess = didYouMean(key, all);
    const hint = guess === undefined ? supported : `${guess} ${supported}`;
    this.#refuse([...path, key], `unknown argument "${key}"`, hint);
  }

  #refuse(path: Path, message: string, hint?: string): void {
    this.problems.push({ path, message, hint });
  }
}

function below(
  spot: Spot,
  field: Field<unknown>,
  key: string | number,
  name: string | number,
): Spot {
  const part = String(name).replaceAll('~', '~0').replaceAll('/', '~1');
  return {
    path: [...spot.path, key],
    pointer: `${spot.pointer}/${part}`,
    secret: spot.secret || field.secret,
  };
}

function spellings(name: string, field: Field<unknown>): readonly string[] {
  return [name, ...field.aliases];
}

function isUnset(value: unknown): boolean {
  return value === null || value === undefined;
}
