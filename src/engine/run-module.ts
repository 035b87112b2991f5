/** The three beats of a module on one host: probe, plan, apply. Check mode, diff and verification live here. */
import { isDeepStrictEqual } from 'node:util';
import { TaskError, UnknownState } from '../shared/errors.ts';
import { expandPaths } from './host/expand-paths.ts';
import type { PredictedState } from './host/predicted.ts';
import type {
  Controller,
  Conversation,
  Diff,
  Effect,
  Hiding,
  Plan,
  Reader,
  Result,
  RunEffects,
  RunModule,
  StateModule,
  Step,
  StepOutput,
  Writer,
} from './module.ts';
import { describeStep, type PlanRecord, recordPlan } from './plan-record.ts';
import { collectSecrets, maskSecrets, maskText, type Secret, shownArguments } from './secrets.ts';

/** What a run has come to know about one task on one host before it changes anything. */
export interface Probed {
  readonly module: StateModule<unknown, unknown, unknown>;
  /** The arguments, with the host's `~` and `$VARIABLES` expanded in paths. */
  readonly args: unknown;
  readonly input: unknown;
  readonly state: unknown;
}

export interface ModuleOutcome {
  /** Members of the task's result: `changed`, and what the module reports. Secrets are masked. */
  readonly result: Result;
  readonly diff?: Diff | readonly Diff[];
  readonly warnings?: readonly string[];
  /** What a check run predicts; already added to the predicted state. Not masked: never to be shown. */
  readonly effects?: readonly Effect[];
  readonly runEffects?: RunEffects;
  readonly hides?: Hiding;
  readonly plan?: PlanRecord;
  /** Check run only: what the answer depends on, where it cannot be known. */
  readonly unknown?: readonly string[];
  /** Check run only: what was not done, where the result would come from doing it. */
  readonly guessed?: string;
  /** Arguments as the module got them, secrets masked; undefined for what needs no host. */
  readonly invocation: unknown;
  /** Whether anything was carried out on the host. */
  readonly touched: boolean;
}

export interface FinishOptions {
  /** Nothing that the arguments say may be shown, whatever comes later. */
  readonly hidden?: boolean;
  /** Stop after the plan. Needs `predicted`. */
  readonly check: boolean;
  readonly diff: boolean;
  /** After a change, probe and plan again: steps left over are an error. */
  readonly verify: boolean;
  /** The state that a check run predicts for the host, to which the plan's effects are added. */
  readonly predicted?: PredictedState | undefined;
}

type AnyStateModule = StateModule<unknown, unknown, unknown>;

/**
 * First beat: gathers what lies on the controller and reads the host. Throws TaskError where the task cannot
 * go on, UnknownState in a check run where nobody can know.
 */
export async function probeModule(
  module: AnyStateModule,
  reader: Reader,
  controller: Controller,
  args: unknown,
): Promise<Probed> {
  const secrets = collectSecrets(module.args, args);
  return await withoutSecrets(secrets, async () => {
    const expanded = await expandPaths(reader, module.args, args);
    const input = await prepare(module, controller, expanded);
    return { module, args: expanded, input, state: await module.probe(reader, input) };
  });
}

/** What the module gathers on the controller; where that fails, no task on the host could have prevented it. */
async function prepare(
  module: AnyStateModule,
  controller: Controller,
  args: unknown,
): Promise<unknown> {
  if (module.prepare === undefined) return args;
  try {
    return await module.prepare(controller, args);
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    const { hint, place, result, cause } = error;
    throw new TaskError(error.message, { hint, place, result, cause, isCertain: true });
  }
}

/** Whether a probe made ahead of time still answers the task: same files and templates. */
export async function stillHolds(
  { module, args, input }: Probed,
  controller: Controller,
): Promise<boolean> {
  if (module.prepare === undefined) return true;
  return isDeepStrictEqual(await module.prepare(controller, args), input);
}

/** Second and third beat: plans, and unless it is a check run applies the plan and proves that it held. */
export async function finishModule(
  probed: Probed,
  writer: Writer,
  options: FinishOptions,
): Promise<ModuleOutcome> {
  const secrets = collectSecrets(probed.module.args, probed.args);
  return await withoutSecrets(secrets, async () => {
    const plan = probed.module.plan(probed.state, probed.input);
    const outcome = options.check
      ? predict(probed, plan, options)
      : await carryOut(probed, plan, writer, options);
    const { effects, ...shown } = describe(outcome, probed, plan, options);
    return { ...maskSecrets(shown, secrets), ...(effects !== undefined && { effects }) };
  });
}

/** Runs a module that is a conversation; in a check run only one that changes nothing. */
export async function runConversation(
  module: RunModule<unknown>,
  conversation: Conversation,
  args: unknown,
  { check }: { readonly check: boolean },
): Promise<ModuleOutcome> {
  const secrets = collectSecrets(module.args, args);
  const invocation = module.local === true ? undefined : shownArguments(module.args, args);
  const unrun = check ? module.resultInCheckMode?.(args) : undefined;
  if (unrun !== undefined)
    return {
      ...{ result: { changed: false, ...unrun }, invocation, touched: false },
      guessed: `task ${module.name}`,
    };
  return await withoutSecrets(secrets, async () => {
    const expanded =
      module.local === true ? args : await expandPaths(conversation.host, module.args, args);
    const { result, effects, hides } = await module.run(conversation, expanded);
    return {
      result: maskSecrets({ changed: false, ...result }, secrets),
      ...(effects !== undefined && { runEffects: effects }),
      ...(hides !== undefined && { hides }),
      invocation,
      touched: true,
    };
  });
}

/**
 * What a check run reports instead of an error of a probe or plan, or undefined where the error is a real
 * failure: a task may fail only for want of what an earlier task would have brought. What it would do to the paths
 * that it `touches` is unknown from then on.
 */
export function unknownOutcome(
  error: unknown,
  predicted: PredictedState,
  touches: readonly string[] = [],
): ModuleOutcome | undefined {
  const dependsOn = error instanceof UnknownState ? [error.dependsOn] : predicted.uncertainties();
  const isExcusable =
    error instanceof UnknownState || (error instanceof TaskError && !error.isCertain);
  if (!isExcusable || dependsOn.length === 0) return undefined;
  predicted.apply(consequences(dependsOn, touches));
  const why = `unknown (depends on: ${dependsOn.join(', ')})`;
  const msg = error instanceof TaskError ? `${why}: ${error.message}` : why;
  return { result: { changed: true, msg }, unknown: dependsOn, invocation: {}, touched: false };
}

/** What a task leaves behind of which nobody knows what it does: the paths that it is about are unknown too. */
function consequences(dependsOn: readonly string[], touches: readonly string[]): Effect[] {
  const because = dependsOn.join(', ');
  return [
    { kind: 'other', name: because },
    ...touches.map((name): Effect => ({ kind: 'unknown-path', name, because })),
  ];
}

type Carried = Pick<ModuleOutcome, 'result' | 'effects' | 'touched' | 'guessed'>;

function predict(probed: Probed, plan: Plan<unknown>, options: FinishOptions): Carried {
  const effects = nameable(plan.effects, probed, options);
  options.predicted?.apply(effects);
  const result = plan.unknowable ?? probed.module.report?.(plan.after, probed.input, plan, []);
  const isUndone = plan.unknowable !== undefined && plan.steps.length > 0;
  const [other] = plan.effects.filter(({ kind }) => kind === 'other');
  return {
    result: { changed: isChange(plan.steps), ...result },
    effects,
    touched: false,
    ...(isUndone && { guessed: other?.name ?? `task ${probed.module.name}` }),
  };
}

/** Effects whose names later tasks may show as what they depend on. */
function nameable(
  effects: readonly Effect[],
  { module, args }: Probed,
  { hidden = false }: FinishOptions,
): readonly Effect[] {
  const secrets = collectSecrets(module.args, args);
  return effects.map((effect) => {
    if (effect.kind !== 'other' || effect.makesFiles !== true) return effect;
    return { ...effect, name: hidden ? 'a task with no_log' : maskText(effect.name, secrets) };
  });
}

async function carryOut(
  { module, input, state }: Probed,
  plan: Plan<unknown>,
  writer: Writer,
  { verify }: FinishOptions,
): Promise<Carried> {
  const isDue = plan.steps.length > 0;
  const outputs = isDue ? await apply(module, writer, plan, input) : [];
  const mayBeProved = verify && plan.steps.some(({ always }) => always !== true);
  const planned = isDue ? plan.after : state;
  const reached = mayBeProved ? await prove(module, writer, input) : planned;
  const report = module.report?.(reached, input, plan, outputs);
  return { result: { changed: isChange(plan.steps), ...report }, touched: isDue };
}

async function apply(
  module: AnyStateModule,
  writer: Writer,
  plan: Plan<unknown>,
  input: unknown,
): Promise<readonly StepOutput[]> {
  if (module.apply !== undefined) return await module.apply(writer, plan, input);
  if (writer.performAll !== undefined) return await writer.performAll(plan.steps);
  const outputs: StepOutput[] = [];
  for (const step of plan.steps) outputs.push(await writer.perform(step));
  return outputs;
}

/** The state reached. Throws TaskError when steps are left over that should have become needless. */
async function prove(module: AnyStateModule, reader: Reader, input: unknown): Promise<unknown> {
  const state = await module.probe(reader, input);
  const left = module.plan(state, input).steps.filter(({ always }) => always !== true);
  if (left.length === 0) return state;
  const steps = left.map(describeStep);
  throw new TaskError(`did not converge: after the change it still has to ${steps.join('; ')}`, {
    hint: 'something else changes it back, or the host refuses the change silently',
    result: { remaining: steps },
  });
}

function isChange(steps: readonly Step[]): boolean {
  return steps.some(({ quiet }) => quiet !== true);
}

/** A state that is text is its own diff. */
function textDiff(before: unknown, after: unknown): Diff | undefined {
  return typeof before === 'string' && typeof after === 'string' ? { before, after } : undefined;
}

function describe(
  outcome: Carried,
  { module, args }: Probed,
  plan: Plan<unknown>,
  options: FinishOptions,
): ModuleOutcome {
  const { before, after, warnings } = plan;
  const diff = plan.diff ?? textDiff(before, after);
  return {
    ...outcome,
    ...(options.diff && diff !== undefined && { diff }),
    ...(warnings !== undefined && { warnings }),
    plan: recordPlan(plan, options.diff),
    invocation: shownArguments(module.args, args),
  };
}

/** Keeps secrets out of the message, hint and result of a task's error. */
async function withoutSecrets<T>(secrets: readonly Secret[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TaskError) || secrets.length === 0) throw error;
    const { hint, place, result, cause, isCertain } = error;
    throw new TaskError(maskText(error.message, secrets), {
      hint: hint === undefined ? undefined : maskText(hint, secrets),
      place,
      isCertain,
      result: maskSecrets(result, secrets),
      cause,
    });
  }
}
