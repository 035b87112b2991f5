/** What the engine does before a module changes a host. */
import type { Probed } from '../run-module.ts';
import type { TaskSettings } from './task-settings.ts';
import type { TaskTurn } from './task-turn.ts';

/** Ends what the engine keeps running as other users, where a task is about to change users or groups. */
export async function makeWay(
  turn: TaskTurn,
  settings: TaskSettings,
  { module, state, input }: Probed,
): Promise<void> {
  if (settings.check || module.changesAccounts !== true) return;
  if (module.plan(state, input).steps.length === 0) return;
  const { sessions } = turn.context.run.services;
  await sessions.endBecome(settings.connection, settings.become);
}
