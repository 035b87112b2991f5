/** A task made ready for its module: arguments checked, and the module found that it really is. */
import { TaskError } from '../../shared/errors.ts';
import { parseArgs } from '../../shared/validate.ts';
import { evaluateInTime } from '../jinja/slow-work.ts';
import type { Module, Reader } from '../module.ts';
import { notAvailable } from '../playbook/ansible-world.ts';
import { type Dict, Float, fromPlain, toPlain, type Value } from '../values.ts';
import { renderedArgs, withDefaults } from './arguments.ts';
import { evaluate } from './conversation.ts';
import { signalOf } from './task-limits.ts';
import { type TaskSettings, taskSettings } from './task-settings.ts';
import type { TaskTurn } from './task-turn.ts';

/** Everything that is known of a task without asking the host. */
export interface Ready {
  readonly module: Module;
  readonly settings: TaskSettings;
  readonly rawArgs: Dict;
  readonly args: unknown;
  /** What a front consults; empty for other modules. */
  readonly known: Readonly<Record<string, unknown>>;
  /** What is ignored, told by the engine and by fronts that were put aside. */
  readonly warnings: readonly string[];
}

/** Renders a task's settings and arguments. Throws TemplateError, TaskError or InvalidInput where they are wrong. */
export async function makeReady(turn: TaskTurn): Promise<Ready> {
  const { catalogue } = turn.context.run.services;
  needModule(turn);
  const module = await catalogue.load(turn.task.module);
  const { settings, warnings } = settingsFor(module, taskSettings(turn));
  const own = await evaluateInTime(() => renderedArgs(turn, module), signalOf(turn, settings));
  const rawArgs = withEnvironment(module, own, settings);
  const args = checkedArgs(turn, module, rawArgs);
  const known = 'choose' in module ? consult(turn, module.consults, settings) : {};
  return { module, settings, rawArgs, args, known, warnings };
}

/** Throws TemplateError or TaskError where the task's module is not available, or a template that names none. */
function needModule(turn: TaskTurn): void {
  const { moduleTemplate: template, module, unavailable, notBuilt = [] } = turn.task;
  for (const { message, ...more } of notBuilt)
    throw new TaskError(message, { ...more, isCertain: true });
  if (unavailable !== undefined) {
    const hint = 'tsprov doc lists the modules that are';
    throw new TaskError(notAvailable('module', unavailable.full), { hint, isCertain: true });
  }
  if (template === undefined || module !== '') return;
  const name = String(turn.render(template));
  throw new TaskError(`there is no module "${name}"`, { hint: 'tsprov doc lists the modules' });
}

function settingsFor(module: Module, settings: TaskSettings): Pick<Ready, 'settings' | 'warnings'> {
  const isIdle = Object.keys(settings.environment).length === 0;
  const { warnings } = settings;
  if (module.ignoresEnvironment !== true || isIdle) return { settings, warnings };
  const unsupported = `${module.name} module does not support the environment keyword`;
  return { settings: { ...settings, environment: {} }, warnings: [...warnings, unsupported] };
}

/** The task with its front put aside for the module that it stands for on the host. */
export async function standIn(turn: TaskTurn, ready: Ready, host: Reader): Promise<Ready> {
  const { module: front, args: given, known } = ready;
  if (!('choose' in front)) return ready;
  const choice = await front.choose(host, given, known);
  const { catalogue } = turn.context.run.services;
  const module = await catalogue.load(catalogue.resolve(choice.module) ?? choice.module);
  const chosen = Object.entries(choice.args).filter(([, value]) => value !== undefined);
  const own = fromPlain(Object.fromEntries(chosen)) as Dict; // An object gives a dict.
  const full = withDefaults(turn, { module, action: choice.module }, own);
  const rawArgs = withEnvironment(module, full, ready.settings);
  const args = checkedArgs(turn, module, rawArgs);
  const warnings = [...ready.warnings, ...(choice.warnings ?? [])];
  return await standIn(turn, { ...ready, module, rawArgs, args, warnings }, host);
}

/** The variables are those of the host that is worked on. */
function consult(turn: TaskTurn, expressions: readonly string[], { target }: TaskSettings) {
  const reached = target === turn.host ? turn : turn.of(target);
  const known = expressions.map((each) => [each, evaluate(reached, each)] as const);
  const defined = known.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, toPlain(value)]],
  );
  return Object.fromEntries(defined);
}

/** Arguments that the environment of a task may give, where the task itself does not. */
const VARIABLES = { unsafe_writes: 'ANSIBLE_UNSAFE_WRITES' } as const;

function withEnvironment({ args: { shape } }: Module, given: Dict, { environment }: TaskSettings) {
  const found = Object.entries(VARIABLES).flatMap(([name, variable]): [string, Value][] => {
    const value = environment[variable];
    return value === undefined || shape?.[name] === undefined ? [] : [[name, value]];
  });
  return found.length === 0 ? given : new Map([...found, ...given]);
}

function checkedArgs(turn: TaskTurn, module: Module, rawArgs: Dict): unknown {
  const { argPositions, position } = turn.task;
  return parseArgs(
    module.args,
    module,
    plainArgs(module, rawArgs),
    (path) => argPositions.get(String(path[0])) ?? position,
  );
}

/** Plain data in which a float still knows that it is one; expressions stay as they were written. */
function plainArgs({ asWritten = [] }: Module, args: Dict): Record<string, unknown> {
  const plain = (value: Value): unknown => (value instanceof Float ? value : toPlain(value));
  return Object.fromEntries(
    [...args].map(([name, value]) => [name, asWritten.includes(name) ? value : plain(value)]),
  );
}
