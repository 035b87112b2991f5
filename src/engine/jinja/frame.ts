import { plainPosition, positionAt } from '../text-position.ts';
import type { Position, TextPosition } from '../values.ts';
import { SyntaxFault, TemplateError } from './errors.ts';
import { EmptyUndefined, Failed, type Runtime, Undefined, type Val } from './objects.ts';

/** Names that a template sets itself. A loop or macro has its own, within those around it. */
export class Env {
  readonly parent: Env | undefined;
  readonly names = new Map<string, Val>();

  constructor(parent?: Env) {
    this.parent = parent;
  }

  get(name: string): Val | undefined {
    const value = this.names.get(name);
    return value === undefined ? this.parent?.get(name) : value;
  }

  set(name: string, value: Val): void {
    this.names.set(name, value);
  }
}

/** A text under evaluation and where it is written. */
export interface Source {
  readonly text: string;
  readonly position: TextPosition | undefined;
}

/** What a statement does: it appends its output. */
export type Emit = (frame: Frame, out: Val[]) => void;

/** A template that is ready to run. */
export interface CompiledTemplate {
  readonly source: Source;
  readonly body: Emit;
  /** Of a template that is nothing but the name of a value: the value, with templates inside. */
  readonly path?: ((frame: Frame) => Val) | undefined;
  readonly blocks: ReadonlyMap<string, Emit>;
  /** Whether it has blocks or extends another template. */
  readonly inherits: boolean;
  /** Whether it calls methods that change lists or dicts in place. */
  readonly mutates: boolean;
}

/** The blocks by name, the most derived template's first, and the template to go on with. */
export class BlockTable {
  readonly bodies = new Map<string, { readonly emit: Emit; readonly source: Source }[]>();
  parent: CompiledTemplate | undefined;

  add({ blocks, source }: CompiledTemplate): void {
    for (const [name, emit] of blocks) {
      const bodies = this.bodies.get(name) ?? [];
      bodies.push({ emit, source });
      this.bodies.set(name, bodies);
    }
  }
}

/** The state of one text's evaluation. */
export class Frame {
  readonly runtime: Runtime;
  readonly source: Source;
  env: Env | undefined;
  /** Where in the text the evaluation is, for messages. */
  at = 0;
  /** Whether the playbook's variables are hidden, as in an import without context. */
  isolated = false;
  /** The blocks of the template and of those that extend it. Expressions by themselves have none. */
  blocks: BlockTable | undefined;

  constructor(runtime: Runtime, source: Source, env?: Env) {
    this.runtime = runtime;
    this.source = source;
    this.env = env;
  }

  /** A frame of the same or another text with other names, e.g. for a macro's call. */
  within(env: Env, source = this.source): Frame {
    const frame = new Frame(this.runtime, source, env);
    frame.isolated = this.isolated;
    frame.blocks = this.blocks;
    return frame;
  }

  resolve(name: string): Val {
    const local = this.env?.get(name);
    if (local !== undefined) return local;
    return this.isolated ? this.runtime.resolveGlobal(name) : this.runtime.resolve(name);
  }
}

/** Runs a part of a text's evaluation. What it throws gets the place where the text failed. */
export function guarded<T>(frame: Frame, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw located(error, frame.source, frame.at);
  }
}

/** The same error with its place; an overflowing stack becomes an error of the template. */
export function located(error: unknown, source: Source, at: number): unknown {
  if (error instanceof TemplateError) {
    if (error.position !== undefined || source.position === undefined) return error;
    const { isUndefined, variable, isLimit, cause } = error;
    const position = positionIn(source, at);
    return new TemplateError(error.message, { position, isUndefined, variable, isLimit, cause });
  }
  if (error instanceof SyntaxFault) {
    const position = positionIn(source, error.offset);
    const excerpt = lineAt(source.text, error.offset);
    return new TemplateError(`template syntax: ${error.message} in "${excerpt}"`, { position });
  }
  if (error instanceof RangeError) return new TemplateError(overflowMessage(error));
  return error;
}

/** The stack and the length of texts have limits of their own. */
function overflowMessage({ message }: RangeError): string {
  return message.includes('call stack')
    ? 'the template is nested too deeply'
    : 'the result is too large';
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end === -1 ? undefined : end).trim();
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

/** The place of an offset. */
export function positionIn({ text, position }: Source, offset: number): Position | undefined {
  return position === undefined ? undefined : plainPosition(positionAt(text, position, offset));
}

/** An undefined value remembers where it was to come from: its use may be far away. */
export function placed(value: Val, { source, at }: Frame): Val {
  if (!(value instanceof Undefined) || value instanceof EmptyUndefined) return value;
  const { failure, position = positionIn(source, at) } = value.details;
  if (failure === undefined) return new Undefined(value.message, { ...value.details, position });
  const error = located(failure, source, at);
  if (error === failure || !(error instanceof TemplateError)) return value;
  return value instanceof Failed
    ? new Failed(error)
    : new Undefined(value.message, { ...value.details, failure: error });
}
