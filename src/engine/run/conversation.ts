/** What the engine offers a module that is a conversation. */
import { setTimeout as wait } from 'node:timers/promises';
import { TaskError, Unreachable } from '../../shared/errors.ts';
import { sh } from '../../shared/shell.ts';
import { TemplateError } from '../jinja/errors.ts';
import type { Conversation, Writer } from '../module.ts';
import { isOwnText } from '../own-text.ts';
import { type Dict, TrustedTemplate, toPlain, type Value } from '../values.ts';
import { taskController } from './task-controller.ts';
import type { TaskSettings } from './task-settings.ts';
import type { TaskTurn } from './task-turn.ts';

interface Given {
  readonly turn: TaskTurn;
  readonly settings: TaskSettings;
  readonly writer: Writer;
  readonly rawArgs: Dict;
  readonly signal: AbortSignal;
}

export function conversationOf({ turn, settings, writer, rawArgs, signal }: Given): Conversation {
  const { run } = turn.context;
  const { ask } = run.options;
  const variable = (name: string) => {
    const raw = turn.scope.get(name);
    return raw === undefined ? undefined : turn.render(raw);
  };
  return {
    host: writer,
    controller: taskController(turn),
    signal,
    rawArgs,
    variable,
    plainVariable: (name) => {
      const value = variable(name);
      return value === undefined ? undefined : toPlain(value);
    },
    evaluate: (expression) => evaluate(turn, expression),
    evaluateGiven: (expression) => evaluate(turn, ownExpression(expression)),
    test: (condition) => asTaskError(() => turn.condition(condition).result),
    reconnect: (options) => reconnect(turn, settings, { ...options, signal }),
    ...(ask !== undefined && { ask: (question, { echo = true } = {}) => ask(question, { echo }) }),
    sleep: async (ms) => {
      await wait(ms, undefined, { signal });
    },
    now: () => new Date(),
    say: (text) => run.services.emit({ type: 'message', text }),
  };
}

/** What an expression gives; undefined where it names something undefined. Throws TaskError where it fails. */
export function evaluate(turn: TaskTurn, expression: Value): Value | undefined {
  try {
    if (expression instanceof TrustedTemplate) return turn.render(expression);
    return turn.evaluate(String(expression));
  } catch (error) {
    if (error instanceof TemplateError && error.isUndefined) return undefined;
    throw taskError(error);
  }
}

/** The expression, unless it comes from data: then it throws TaskError. */
function ownExpression(expression: Value): Value {
  const text = String(expression);
  if (expression instanceof TrustedTemplate || isOwnText(text)) return expression;
  throw new TaskError(`the expression "${text}" comes from data, not from your files`);
}

function asTaskError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw taskError(error);
  }
}

function taskError(error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error;
  return new TaskError(error.message, { place: error.position, cause: error });
}

/** Opens a new connection and waits until it answers. Throws Unreachable when it does not in time. */
async function reconnect(
  turn: TaskTurn,
  { connection, become }: TaskSettings,
  { timeoutMs = connection.connectTimeoutMs, signal }: { timeoutMs?: number; signal: AbortSignal },
): Promise<void> {
  const { sessions } = turn.context.run.services;
  await sessions.reopen(connection, timeoutMs);
  const shell = await sessions.shell(connection, become);
  const { code } = await shell.run(sh`true`.line, { timeoutMs, signal });
  if (code !== 0) throw new Unreachable(`${connection.name} answers with exit code ${code}`);
}
