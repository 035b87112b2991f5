/** The loop with_first_found: the first file that there is, by the kind of the task. */
import { table } from '../../shared/table.ts';
import type { Value } from '../values.ts';
import type { TaskTurn } from './task-turn.ts';

const SUBDIRECTORIES: Readonly<Record<string, string>> = table({
  include_vars: 'vars',
  template: 'templates',
});

/** The file that with_first_found finds, as the only item. Names with undefined variables do not count. */
export function firstFoundItems(turn: TaskTurn, wanted: Value): readonly Value[] {
  const terms = turn.renderDefined(wanted) ?? [];
  const subdirectory = SUBDIRECTORIES[turn.task.module] ?? 'files';
  const list = Array.isArray(terms) ? terms : [terms];
  return turn.lookupIn(subdirectory, 'first_found', list).slice(0, 1);
}
