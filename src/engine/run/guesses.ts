/**
 * What a check run only guesses: results of tasks that it did not carry out, and what is derived from them. A task that
 * fails over a guess may do well in a real run.
 */
import { isTrue, type Outcome, withMembers } from './outcome.ts';
import type { TaskTurn } from './task-turn.ts';

/** The turn, and what the guesses that it has read so far depend on; undefined where it has read none. */
export interface Watched {
  readonly turn: TaskTurn;
  dependsOn(): string | undefined;
}

/** Watches which variables a turn reads. Outside of check runs nothing is guessed. */
export function watchGuesses(turn: TaskTurn): Watched {
  const { run } = turn.context;
  if (!run.options.check) return { turn, dependsOn: () => undefined };
  const variables = run.variablesOf(turn.host);
  const found = new Set<string>();
  const watched = turn.watched((name) => {
    const because = variables.guessed(name);
    if (because !== undefined) found.add(because);
  });
  return {
    turn: watched,
    dependsOn: () => (found.size === 0 ? undefined : [...found].join(', ')),
  };
}

/** The outcome with what it is guessed from. A failure becomes unknown then. */
export function pardoned(outcome: Outcome, dependsOn: string | undefined): Outcome {
  const guessed = outcome.guessed ?? outcome.unknown ?? dependsOn;
  if (guessed === undefined) return outcome;
  if (!isTrue(outcome.result, 'failed')) return { ...outcome, guessed };
  const msg = outcome.result.get('msg');
  const why = `unknown (depends on: ${guessed})`;
  const result = withMembers(outcome.result, {
    failed: false,
    changed: true,
    msg: typeof msg === 'string' && msg !== '' ? `${why}: ${msg}` : why,
  });
  return { ...outcome, result, guessed, unknown: guessed };
}
