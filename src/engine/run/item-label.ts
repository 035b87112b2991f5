/** What output calls an item of a loop. */
import { TaskError } from '../../shared/errors.ts';
import { type Dict, OMIT, Timestamp, type Value } from '../values.ts';
import type { LoopControl } from './loop-control.ts';
import { failureOf, withMembers } from './outcome.ts';
import type { TaskTurn } from './task-turn.ts';
import { registered } from './verdict.ts';

interface Item {
  readonly item: Value;
  readonly result: Dict;
}

/** The label of an item, which may speak of its result. One that cannot be rendered fails the item. */
export function labelled(turn: TaskTurn, { label }: LoopControl, { item, result }: Item) {
  if (label === undefined) return { label: shownValue(item), result };
  try {
    const shown = turn.with(registered(turn, result)).render(label);
    if (shown === OMIT) throw new TaskError('it cannot be omitted');
    return { label: shownValue(shown), result };
  } catch (error) {
    const reason = String(failureOf(error).result.get('msg'));
    const members = { failed: true, msg: `Failed to template loop_control.label: ${reason}` };
    return { label: shownValue(item), result: withMembers(result, members) };
  }
}

/** A value as loop labels show it: text as it is, anything else as Python prints it. */
function shownValue(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(quoted).join(', ')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, member]) => `${quoted(key)}: ${quoted(member)}`).join(', ')}}`;
  }
  return value instanceof Timestamp ? value.text : String(value);
}

function quoted(value: Value): string {
  if (typeof value !== 'string') return shownValue(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}
