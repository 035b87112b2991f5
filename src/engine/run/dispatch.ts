/** Runs a task's module on its host: connection, the three beats. */
import { TaskError, UnknownState, Unreachable } from '../../shared/errors.ts';
import type { Shell } from '../connection/connection.ts';
import { gatherFacts } from '../facts/gather.ts';
import { PredictedState } from '../host/predicted.ts';
import { HostWriter } from '../host/writer.ts';
import type { Effect } from '../host-contract.ts';
import type { Diff, Reader, RunModule } from '../module.ts';
import {
  finishModule,
  type ModuleOutcome,
  type Probed,
  probeModule,
  runConversation,
} from '../run-module.ts';
import { shownArguments } from '../secrets.ts';
import { fromPlain } from '../values.ts';
import { conversationOf } from './conversation.ts';
import { excuse } from './excuse.ts';
import { lazyShell } from './lazy-shell.ts';
import { makeWay } from './make-way.ts';
import { failureOf, isTrue, type Outcome, outcomeOf, withMembers } from './outcome.ts';
import { makeReady, type Ready, standIn } from './ready.ts';
import { asksForSilence } from './silence.ts';
import { taskController } from './task-controller.ts';
import { signalOf } from './task-limits.ts';
import type { TaskSettings } from './task-settings.ts';
import type { TaskTurn } from './task-turn.ts';

/** A probe made ahead of time, and the task as it was for it: with its front put aside. */
export interface Ahead {
  readonly ready: Ready;
  readonly probed: Probed;
}

/** What was read ahead for this task, when it still holds. */
export type TakeAhead = (ready: Ready) => Promise<Ahead | undefined>;

/** Runs the task's module. A connection that breaks before anything was written is opened again, once. */
export async function dispatch(turn: TaskTurn, takeAhead: TakeAhead): Promise<Outcome> {
  const ready = await makeReady(turn);
  const { delegate, target } = ready.settings;
  const isLocal = 'local' in ready.module && ready.module.local === true;
  const outcome = await patiently(turn, ready, takeAhead).catch((error: unknown) =>
    isLocal ? failureOf(error) : withInvocation(failureOf(error), ready),
  );
  return { ...outcome, delegate, target, ran: isLocal ? 'Action' : 'Module' };
}

/** A failure with the arguments that led to it, as other results have them. */
function withInvocation(outcome: Outcome, { module, args }: Ready): Outcome {
  if (!isTrue(outcome.result, 'failed')) return outcome;
  const module_args = fromPlain(shownArguments(module.args, args));
  return {
    ...outcome,
    result: withMembers(outcome.result, { invocation: new Map([['module_args', module_args]]) }),
  };
}

async function patiently(turn: TaskTurn, ready: Ready, takeAhead: TakeAhead): Promise<Outcome> {
  const signal = signalOf(turn, ready.settings);
  try {
    return await carryOut(turn, ready, { signal, takeAhead });
  } catch (error) {
    if (!(error instanceof BrokenBeforeWriting)) throw error;
    await turn.context.run.services.sessions.drop(ready.settings.connection);
    return await carryOut(turn, ready, { signal, takeAhead: async () => undefined });
  }
}

/** The connection was lost while nothing had been changed yet. */
class BrokenBeforeWriting extends Unreachable {
  constructor({ message, hint }: Unreachable) {
    super(message, hint === undefined ? {} : { hint });
  }
}

interface Means {
  readonly signal: AbortSignal;
  readonly takeAhead: TakeAhead;
}

async function carryOut(turn: TaskTurn, ready: Ready, means: Means): Promise<Outcome> {
  const { module } = ready;
  if ('run' in module) return await converse(turn, { ...ready, module }, means);
  return await bring(turn, ready, means);
}

/** The writer of a task, made when the host is first needed. */
export async function writerFor(
  turn: TaskTurn,
  settings: TaskSettings,
  signal: AbortSignal,
): Promise<HostWriter> {
  return writerOn(turn, await openShell(turn, settings), settings, signal);
}

/** A writer whose connection opens at its first use, and may be opened anew by the module. */
function lazyWriter(turn: TaskTurn, settings: TaskSettings, signal: AbortSignal): HostWriter {
  const shell = lazyShell(() => openShell(turn, settings));
  return writerOn(turn, shell, settings, signal);
}

/** Throws UnknownState where a check run cannot become a user that an earlier task would have made. */
async function openShell(turn: TaskTurn, settings: TaskSettings): Promise<Shell> {
  const { connection, become } = settings;
  try {
    return await turn.context.run.services.sessions.shell(connection, become);
  } catch (error) {
    const made = become && predictedFor(turn, settings)?.last('user', become.user)?.state;
    if (made && error instanceof TaskError) throw new UnknownState(`user ${made.name}`);
    throw error;
  }
}

function writerOn(
  turn: TaskTurn,
  shell: Shell,
  settings: TaskSettings,
  signal: AbortSignal,
): HostWriter {
  return new HostWriter({
    name: settings.target,
    isLocal: settings.connection.transport === 'local',
    shell,
    environment: settings.environment,
    memory: turn.context.run.runtimeOf(settings.target).memoryFor(settings),
    predicted: predictedFor(turn, settings),
    gatherFacts,
    run: { timeoutMs: settings.timeoutMs, signal },
    hasLoginShell: settings.become === undefined && settings.connection.transport !== 'local',
  });
}

/**
 * What a check run foresees for the task's host. A task of a real run that is only checked judges the host as it is:
 * the tasks around it really happen.
 */
function predictedFor(
  { context }: TaskTurn,
  { check, target }: TaskSettings,
): PredictedState | undefined {
  const { run } = context;
  if (!check) return undefined;
  return run.options.check ? run.runtimeOf(target).predicted : new PredictedState();
}

async function bring(turn: TaskTurn, ready: Ready, means: Means): Promise<Outcome> {
  const predicted = predictedFor(turn, ready.settings);
  let writer: HostWriter;
  try {
    writer = await writerFor(turn, ready.settings, means.signal);
  } catch (error) {
    return toOutcome(excuse(error, predicted, ready));
  }
  try {
    return await bringWith(writer, turn, ready, means);
  } catch (error) {
    if (error instanceof Unreachable && !writer.touched) throw new BrokenBeforeWriting(error);
    return toOutcome(excuse(error, predicted, ready));
  }
}

async function bringWith(
  writer: HostWriter,
  turn: TaskTurn,
  ready: Ready,
  { takeAhead }: Means,
): Promise<Outcome> {
  const { settings } = ready;
  const { check, diff } = settings;
  const runtime = turn.context.run.runtimeOf(settings.target);
  let mayDiffer = false;
  try {
    const { probed, ready: own } =
      (await takeAhead(ready)) ?? (await readHost(turn, ready, writer));
    const { verify } = turn.context.run.options;
    // What a module applies by itself the writer may not see; where it fails halfway, nobody has.
    const { apply, readsBeyondHost = false } = probed.module;
    mayDiffer = !check && apply !== undefined && !readsBeyondHost;
    const predicted = predictedFor(turn, settings);
    await makeWay(turn, settings, probed);
    const hidden = asksForSilence(() => turn, turn.context.run.options.noLog);
    const options = { check, diff, verify, predicted, hidden };
    const done = await finishModule(probed, writer, options);
    const hasEffects = (done.effects?.length ?? 0) > 0;
    mayDiffer = (done.touched || hasEffects) && !readsBeyondHost;
    if (check) foresee(turn, settings, done.effects ?? []);
    return toOutcome({ ...done, warnings: [...own.warnings, ...(done.warnings ?? [])] });
  } finally {
    if (writer.touched || mayDiffer) runtime.changed();
  }
}

/** What a check run foresees for this machine, where the controller's files are. */
function foresee(turn: TaskTurn, { connection }: TaskSettings, effects: readonly Effect[]): void {
  if (connection.transport === 'local') turn.context.run.controller.apply(effects);
}

function foreseeFiles(turn: TaskTurn, name: string): void {
  turn.context.run.controller.apply([{ kind: 'other', name, makesFiles: true }]);
}

/** Finds the module that a task really is, and makes its probe. */
export async function readHost(turn: TaskTurn, ready: Ready, host: Reader): Promise<Ahead> {
  const own = await standIn(turn, ready, host);
  const { module, args } = own;
  if (!('probe' in module))
    throw new TypeError(`${ready.module.name} stands for no state: ${module.name}`);
  return { ready: own, probed: await probeModule(module, host, taskController(turn), args) };
}

async function converse(
  turn: TaskTurn,
  ready: Ready & { readonly module: RunModule<unknown> },
  { signal }: Means,
): Promise<Outcome> {
  const { module, settings, rawArgs, args } = ready;
  const writer = module.local === true ? unconnected(settings) : lazyWriter(turn, settings, signal);
  const conversation = conversationOf({ turn, settings, writer, rawArgs, signal });
  const { check } = settings;
  try {
    const done = await runConversation(module, conversation, args, { check });
    const isHarmless = module.local === true || module.resultInCheckMode === undefined;
    if (!isHarmless) turn.context.run.runtimeOf(settings.target).changed();
    if (check && module.makesLocalFiles === true) foreseeFiles(turn, module.name);
    return toOutcome(done);
  } catch (error) {
    if (!(error instanceof UnknownState)) throw error;
    return toOutcome(excuse(error, predictedFor(turn, settings) ?? new PredictedState(), ready));
  } finally {
    if (writer instanceof HostWriter && writer.touched)
      turn.context.run.runtimeOf(settings.target).changed();
  }
}

/** Stands where a module has no use for a host. */
function unconnected({ target }: TaskSettings): HostWriter {
  const refuse = () => {
    throw new TaskError(`this module does not use a connection to ${target}`);
  };
  const shell = {
    run: refuse,
    runAll: refuse,
    pipe: refuse,
    stream: refuse,
    openStream: refuse,
  };
  return new HostWriter({ name: target, shell, gatherFacts });
}

function toOutcome(done: ModuleOutcome): Outcome {
  const { diff, warnings, unknown, guessed } = done;
  const isList = Array.isArray(diff);
  const diffs = diff === undefined ? [] : ((isList ? diff : [diff]) as readonly Diff[]);
  const members = diffs.map(toMember);
  const result = {
    ...done.result,
    ...(warnings !== undefined && warnings.length > 0 && { warnings }),
    ...(diff !== undefined && { diff: isList ? members : members[0] }),
    ...(done.invocation !== undefined && { invocation: { module_args: done.invocation } }),
  };
  return outcomeOf(result, {
    hides: done.hides,
    diffs,
    plan: done.plan,
    unknown: unknown?.join(', '),
    guessed,
    runEffects: done.runEffects === undefined ? [] : [done.runEffects],
    touched: done.touched,
  });
}

/** A diff as a member of the result, which playbooks may read. */
function toMember(diff: Diff): Record<string, unknown> {
  if (!('before' in diff) || typeof diff.before !== 'string') return { ...diff };
  const { beforeHeader, afterHeader, ...texts } = diff as Extract<Diff, { before: string }>;
  return {
    ...texts,
    ...(beforeHeader !== undefined && { before_header: beforeHeader }),
    ...(afterHeader !== undefined && { after_header: afterHeader }),
  };
}
