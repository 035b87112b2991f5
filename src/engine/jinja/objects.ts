import { didYouMean } from '../../shared/errors.ts';
import {
  Float,
  Omit,
  type Position,
  type Scalar,
  Timestamp,
  type TrustedTemplate,
} from '../values.ts';
import { bytesRepr } from './bytes-repr.ts';
import { TemplateError } from './errors.ts';
import type { JinjaHost, Scope, TemplateName } from './host.ts';
import type { Syntax } from './syntax.ts';

/** Everything an expression can compute with: the values of a playbook and the evaluator's own objects. */
export type Val = Scalar | PyObject | readonly Val[] | ReadonlyMap<Val, Val>;

export type ValMap = ReadonlyMap<Val, Val>;

/** Keyword arguments of a call. */
export type Kwargs = ReadonlyMap<string, Val>;

/** One evaluation: where variables come from, what has been rendered so far, and how much is left of the limits. */
export interface Runtime {
  readonly engine: Engine;
  readonly scope: Scope<Val>;
  readonly host: JinjaHost;
  /** Counts work. Throws TemplateError where an evaluation does not come to an end. */
  step(count?: number): void;
  /** Throws TemplateError where an operation would make a longer text than memory should hold. */
  checkSize(size: number): void;
  /** Counts the items of a new list as work. Throws TemplateError where they are too many for memory. */
  checkItems(count: number): void;
  /** The search path as messages show it. */
  searchText(): string;
  /** Runs something one level deeper. Throws TemplateError where that has no end. */
  deeper<T>(what: string, run: () => T): T;
  /** Refuses, in speculative evaluation, what depends on more than variables. Repeatable is what comes out the same again. */
  requireImpure(what: string, isRepeatable?: boolean): void;
  /** From now on variables are copied, because the template changes lists or dicts in place. */
  copyVariables(): void;
  /** A variable or global. Text is rendered; a list or dict may still hold templates (see `force`). */
  resolve(name: string): Val;
  /** A global of the language, never a variable of the playbook. */
  resolveGlobal(name: string): Val;
  /** The same evaluation with stronger variables on top. */
  over(variables: ReadonlyMap<string, Val>): Runtime;
  /** A value as it is used: a template rendered, a secret opened; the inside of containers untouched. */
  lazy(value: Val): Val;
  /** The value with every template inside rendered. A template that fails becomes an undefined member. */
  force(value: Val): Val;
}

/** What the runtime needs of the engine: to compile, and to find what names mean. */
export interface Engine {
  renderText(template: TrustedTemplate, runtime: Runtime): Val;
  /** `object.name` and `object[key]`, undefined where there is neither. */
  attribute(object: Val, name: string, runtime: Runtime): Val;
  item(object: Val, key: Val, runtime: Runtime): Val;
  global(name: string, runtime: Runtime): Val | undefined;
  filter(name: string): Callback | undefined;
  test(name: string): Callback | undefined;
  lookup(name: string): Callback | undefined;
  lookupNames(): Iterable<string>;
  /** Renders a template file's text, e.g. for the template lookup. */
  renderFile(request: FileRequest, runtime: Runtime): Val;
}

/** A template file to render within an evaluation. */
export interface FileRequest extends TemplateName {
  readonly text: string;
  readonly syntax: Partial<Syntax>;
  /** Variables only for this file. */
  readonly variables: ReadonlyMap<string, Val>;
}

/** A filter, test or lookup with its arguments still to be bound. */
export interface Callback {
  readonly name: string;
  readonly acceptsUndefined: boolean;
  invoke(runtime: Runtime, args: readonly Val[], kwargs?: ReadonlyMap<string, Val>): Val;
}

/** An object of the evaluator that is no plain value. A subclass answers only the attributes it names itself. */
export abstract class PyObject {
  /** The name of the Python type. */
  abstract readonly typeName: string;

  /** The attribute, or undefined where there is none of that name. */
  attribute(_name: string, _runtime: Runtime): Val | undefined {
    return undefined;
  }

  /** What `str()` prints. */
  text(): string {
    return `<${this.typeName}>`;
  }

  /** What `repr()` prints, as inside of lists. */
  repr(): string {
    return this.text();
  }
}

export interface UndefinedDetails {
  /** The variable's name, where a variable is what does not exist. */
  readonly variable?: string | undefined;
  /** The failure of the nested template that was to give the value. */
  readonly failure?: TemplateError | undefined;
  /** Where the value should have come from. */
  readonly position?: Position | undefined;
  /** The names that exist, for "did you mean". */
  readonly candidates?: (() => Iterable<string>) | undefined;
}

/** A value that does not exist. Using it fails; `is defined` and `default` accept it. */
export class Undefined extends PyObject {
  readonly typeName: string = 'UndefinedMarker';
  readonly message: string;
  readonly details: UndefinedDetails;

  constructor(message: string, details: UndefinedDetails = {}) {
    super();
    this.message = message;
    this.details = details;
  }

  fail(): never {
    const { variable, failure, candidates, position } = this.details;
    if (failure !== undefined) throw failure;
    const name = variable ?? /'([^']*)'$/.exec(this.message)?.[1];
    const hint = name && candidates ? didYouMean(name, candidates()) : undefined;
    const message = hint === undefined ? this.message : `${this.message} (${hint})`;
    throw new TemplateError(message, { isUndefined: true, variable, position });
  }
}

/** A value whose template fails for another reason than an undefined name: nothing forgives it. */
export class Failed extends Undefined {
  override readonly typeName = 'CapturedExceptionMarker';

  constructor(failure: TemplateError) {
    super(failure.message, { failure });
  }
}

/** What `x if false` gives: prints as an empty text, unlike every other undefined value. */
export class EmptyUndefined extends Undefined {
  override readonly typeName = 'Undefined';

  constructor() {
    super('the inline if-expression evaluated to false and no else section was defined');
  }

  override text(): string {
    return '';
  }
}

/** A Python tuple: a list that prints with parentheses and can be a key. */
export class Tuple extends Array<Val> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  static fromItems(items: Iterable<Val>): Tuple {
    const tuple = new Tuple();
    for (const item of items) tuple.push(item);
    return tuple;
  }
}

/** Text that is already escaped for HTML. */
export class Markup extends PyObject {
  readonly typeName = 'Markup';
  readonly value: string;

  constructor(value: string) {
    super();
    this.value = value;
  }

  override text(): string {
    return this.value;
  }
}

/** Python bytes, the result of `encode`. */
export class Bytes extends PyObject {
  readonly typeName = 'bytes';
  readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    super();
    this.buffer = buffer;
  }

  /** As Python prints it. */
  override text(): string {
    return bytesRepr(this.buffer);
  }

  override attribute(name: string): Val | undefined {
    if (name !== 'decode') return undefined;
    return new PyFunction('decode', () => this.buffer.toString('utf8'));
  }
}

/** A Python range, whose members are made only when somebody iterates. */
export class Range extends PyObject {
  readonly typeName = 'range';
  readonly start: number;
  readonly stop: number;
  readonly step: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  get length(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step));
  }

  at(index: number): number {
    return this.start + index * this.step;
  }

  override text(): string {
    const step = this.step === 1 ? '' : `, ${this.step}`;
    return `range(${this.start}, ${this.stop}${step})`;
  }
}

export type FunctionBody = (args: readonly Val[], kwargs: Kwargs, runtime: Runtime) => Val;

/** Something that can be called: a bound method, a global function or a macro. */
export class PyFunction extends PyObject {
  readonly typeName: string = 'function';
  readonly name: string;
  readonly call: FunctionBody;

  constructor(name: string, call: FunctionBody) {
    super();
    this.name = name;
    this.call = call;
  }

  override attribute(name: string, _runtime: Runtime): Val | undefined {
    return name === 'name' ? this.name : undefined;
  }

  override text(): string {
    return `<function ${this.name}>`;
  }
}

export function isList(value: Val): value is readonly Val[] {
  return Array.isArray(value);
}

export function isMap(value: Val): value is ValMap {
  return value instanceof Map;
}

/** A str in Python's eyes, escaped text included. */
export function isText(value: Val): value is string | Markup {
  return typeof value === 'string' || value instanceof Markup;
}

/** The name of a value's Python type, as `type_debug` prints it. */
export function typeName(value: Val): string {
  if (value === null) return 'NoneType';
  if (value instanceof PyObject) return value.typeName;
  if (isList(value)) return value instanceof Tuple ? 'tuple' : 'list';
  if (isMap(value)) return 'dict';
  return scalarTypeName(value);
}

function scalarTypeName(value: Val): string {
  if (value instanceof Float) return 'float';
  if (value instanceof Timestamp) return value.isDate ? 'date' : 'datetime';
  if (value instanceof Omit) return '_OmitType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return 'str';
}
