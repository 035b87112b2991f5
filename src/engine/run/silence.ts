import { type Dict, isDict, type Value, VaultText } from '../values.ts';
import { censored } from './events.ts';
import type { Outcome } from './outcome.ts';
import type { TaskTurn } from './task-turn.ts';

/** Whether a task asks for silence. A condition that cannot be evaluated may hide a secret. */
export function asksForSilence(turn: () => TaskTurn, otherwise: boolean): boolean {
  try {
    return turn().flag('no_log') ?? otherwise;
  } catch {
    return true;
  }
}

/** A result as it may be shown: a stub for all of it, or stubs for what is encrypted with vault. */
export function shownResult({ result, hides }: Outcome, isHidden: boolean): Dict {
  if (isHidden) return censored(result.get('changed'));
  return hides === 'vaults' ? (redacted(result) as Dict) : result; // A dict stays one, with its keys.
}

function redacted(value: Value): Value {
  if (value instanceof VaultText) return '<redacted>';
  if (Array.isArray(value)) return value.map(redacted);
  return isDict(value) ? new Map([...value].map(([key, each]) => [key, redacted(each)])) : value;
}
