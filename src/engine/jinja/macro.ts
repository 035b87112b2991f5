import { TemplateError } from './errors.ts';
import { type Emit, Env, type Frame, guarded } from './frame.ts';
import {
  type FunctionBody,
  type Kwargs,
  PyFunction,
  Tuple,
  Undefined,
  type Val,
} from './objects.ts';
import { joinNodes } from './output.ts';

export interface MacroParameter {
  readonly name: string;
  readonly fallback: ((frame: Frame) => Val) | undefined;
}

/** A compiled macro, not yet bound to where it is defined. */
export interface MacroCode {
  readonly name: string;
  readonly parameters: readonly MacroParameter[];
  readonly body: Emit;
  /** Which of `varargs`, `kwargs` and `caller` the body mentions: only then such arguments are taken. */
  readonly uses: ReadonlySet<string>;
}

/** A macro as a value: what it is called, and which arguments it takes. */
class Macro extends PyFunction {
  override readonly typeName = 'Macro';
  readonly #members: ReadonlyMap<string, Val>;

  constructor({ name, parameters, uses }: MacroCode, call: FunctionBody) {
    super(name, call);
    this.#members = new Map<string, Val>([
      ['name', name],
      ['arguments', Tuple.fromItems(parameters.map((parameter) => parameter.name))],
      ['catch_kwargs', uses.has('kwargs')],
      ['catch_varargs', uses.has('varargs')],
      ['caller', uses.has('caller')],
      ['explicit_caller', parameters.some((parameter) => parameter.name === 'caller')],
    ]);
  }

  override attribute(name: string): Val | undefined {
    return this.#members.get(name);
  }
}

/** Makes the function that a macro is to the template that defines it. */
export function makeMacro(code: MacroCode, definition: Frame): PyFunction {
  const outer = definition.env;
  return new Macro(code, (args, kwargs, runtime) =>
    runtime.deeper(`macro "${code.name}"`, () => {
      const frame = definition.within(new Env(outer));
      return guarded(frame, () => {
        bindArguments(code, frame, args, kwargs);
        const out: Val[] = [];
        code.body(frame, out);
        return joinNodes(out);
      });
    }),
  );
}

function bindArguments(code: MacroCode, frame: Frame, args: readonly Val[], kwargs: Kwargs): void {
  const { env } = frame;
  if (env === undefined) return;
  const surplus = new Map(kwargs);
  code.parameters.forEach(({ name, fallback }, index) => {
    const given = index < args.length ? args[index] : surplus.get(name);
    surplus.delete(name);
    if (given !== undefined) env.set(name, given);
    else env.set(name, fallback === undefined ? missing(code.name, name) : fallback(frame));
  });
  bindSurplus(code, env, args.slice(code.parameters.length), surplus);
}

function bindSurplus(
  code: MacroCode,
  env: Env,
  args: readonly Val[],
  kwargs: Map<string, Val>,
): void {
  const caller = kwargs.get('caller');
  if (caller !== undefined) {
    env.set('caller', caller);
    kwargs.delete('caller');
  }
  if (code.uses.has('varargs')) env.set('varargs', Tuple.fromItems(args));
  else if (args.length > 0) throw new TemplateError(`macro "${code.name}" takes no more arguments`);
  if (code.uses.has('kwargs')) env.set('kwargs', kwargs);
  else if (kwargs.size > 0) {
    throw new TemplateError(
      `macro "${code.name}" has no argument "${[...kwargs.keys()].join('", "')}"`,
    );
  }
}

function missing(macro: string, name: string): Undefined {
  return new Undefined(`argument '${name}' of macro "${macro}" was not given`);
}
