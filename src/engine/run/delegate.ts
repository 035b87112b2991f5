import { TemplateError } from '../jinja/errors.ts';
import { TrustedTemplate, type Value } from '../values.ts';
import { delegateLayer } from './delegate-layer.ts';
import type { TaskTurn } from './task-turn.ts';

/**
 * The turn with the host chosen that an item of its task is delegated to: a template may choose at random, and is
 * rendered once. One that cannot be rendered is left to fail where it is needed.
 */
export function withDelegate(turn: TaskTurn): TaskTurn {
  const written = turn.inherited.nearest('delegate_to');
  if (!(written instanceof TrustedTemplate)) return turn;
  const chosen = chosenBy(turn, written);
  return typeof chosen === 'string' ? turn.with(delegateLayer(chosen)) : turn;
}

function chosenBy(turn: TaskTurn, written: TrustedTemplate): Value | undefined {
  try {
    return turn.render(written);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}
