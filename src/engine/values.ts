/**
 * The values a playbook works with. They are Python's, because the language is Ansible's:
 *
 * | Python | here |
 * | --- | --- |
 * | None | `null` |
 * | bool | `boolean` |
 * | int | `number` (safe integers), `bigint` beyond |
 * | float | `number` with a fraction, `Float` where the value is integral, NaN or infinite |
 * | str | `string` |
 * | list, tuple | array |
 * | dict | `Map`: keeps order and key types, and has no prototype that a template could reach |
 * | datetime.date, datetime | `Timestamp` |
 *
 * A plain string is data and is never rendered. Text that may be rendered exists only as a
 * `TrustedTemplate`, made by the YAML loader from the user's own files. Containers are immutable by
 * convention: whoever changes one makes a new one.
 */
export type Value = Scalar | readonly Value[] | ReadonlyMap<Value, Value>;

/** A value that holds no others. */
export type Scalar =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Timestamp
  | TrustedTemplate
  | VaultText
  | Omit;

/** A dict with string keys, the usual case for variables and results. */
export type Dict = ReadonlyMap<string, Value>;

/** Where a value was written. Lines and columns count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where a text begins. */
export interface TextPosition extends Position {
  /** What is written from there on where it is not the text itself, and what stands for one visible character of it. */
  readonly written?: { readonly text: string; readonly unit: RegExp } | undefined;
}

/** A Python float whose value a JavaScript number could not tell from an int (1.0, inf, nan). */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }

  /** As Python's str() prints it. */
  toString(): string {
    if (Number.isNaN(this.value)) return 'nan';
    if (!Number.isFinite(this.value)) return this.value > 0 ? 'inf' : '-inf';
    return Math.abs(this.value) < 1e16 ? this.value.toFixed(1) : exponential(this.value);
  }
}

function exponential(value: number): string {
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A date or a moment read from YAML. `text` is what Python's str() prints. */
export class Timestamp {
  readonly text: string;
  readonly isDate: boolean;
  constructor(text: string, isDate: boolean) {
    this.text = text;
    this.isDate = isDate;
  }
}

/** Text from the user's own files that contains `{{`, `{%` or `{#`: the only thing that is ever rendered. */
export class TrustedTemplate {
  readonly text: string;
  readonly position: TextPosition | undefined;
  constructor(text: string, position?: TextPosition) {
    this.text = text;
    this.position = position;
  }
}

/** An inline `!vault` scalar. Decrypted when it is used, so that an unused secret needs no password. */
export class VaultText {
  readonly ciphertext: string;
  readonly position: Position | undefined;
  readonly #decrypt: (vault: VaultText) => string;
  #plain: string | undefined;
  constructor(
    ciphertext: string,
    position: Position | undefined,
    decrypt: (vault: VaultText) => string,
  ) {
    this.ciphertext = ciphertext;
    this.position = position;
    this.#decrypt = decrypt;
  }

  /** The secret. Throws InvalidInput where no given password opens it. */
  plain(): string {
    this.#plain ??= this.#decrypt(this);
    return this.#plain;
  }
}

/** Ansible's `omit`: an argument with this value is as if it had not been written. */
export class Omit {
  readonly kind = 'omit';
}
export const OMIT = new Omit();

/** Whether a text needs rendering when it comes from a trusted place. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%') || text.includes('{#');
}

export function isDict(value: unknown): value is ReadonlyMap<Value, Value> {
  return value instanceof Map;
}

/** Makes a dict from a plain object; nested objects and arrays are converted, `undefined` members dropped. */
export function fromPlain(plain: unknown): Value {
  if (Array.isArray(plain)) return plain.map(fromPlain);
  if (plain === undefined) return null;
  if (isPlainObject(plain)) {
    const entries = Object.entries(plain).filter(([, member]) => member !== undefined);
    return new Map(entries.map(([key, member]) => [key, fromPlain(member)]));
  }
  return plain as Value; // Whatever is left is a scalar of the model already, or a Map.
}

/**
 * Makes plain JSON-like data (objects, arrays, scalars) of a fully rendered value, for modules and JSON
 * output. Integral floats become numbers, timestamps text, non-string keys text; members that are
 * `OMIT` are left out. Throws TypeError on a template that was not rendered.
 */
export function toPlain(value: Value): unknown {
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<Value, Value>)].filter(
      ([, member]) => member !== OMIT,
    );
    return Object.fromEntries(members.map(([key, member]) => [keyText(key), toPlain(member)]));
  }
  if (Array.isArray(value)) return value.filter((member) => member !== OMIT).map(toPlain);
  if (value instanceof Float) return value.value;
  if (value instanceof Timestamp) return value.text;
  if (value instanceof VaultText) return value.plain();
  if (value instanceof TrustedTemplate) throw new TypeError(`unrendered template: ${value.text}`);
  if (value === OMIT) return undefined;
  if (typeof value === 'bigint') return Number(value);
  return value;
}

function keyText(key: Value): string {
  if (key === null) return 'null';
  return String(toPlain(key));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
