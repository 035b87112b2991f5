/** The loop with_first_found: the first file that there is, by the kind of the task. */
import { table } from '../../shared/table.ts';
import { TemplateError } from '../jinja/errors.ts';
import { type Dict, isDict, TrustedTemplate, type Value } from '../values.ts';
import type { TaskTurn } from './task-turn.ts';

const SUBDIRECTORIES: Readonly<Record<string, string>> = table({
  include_vars: 'vars',
  template: 'templates',
});
const ONLY_A_NAME = /^\{\{\s*([A-Za-z_]\w*)\s*\}\}$/;

/** The file that with_first_found finds, as the only item. Names with undefined variables do not count. */
export function firstFoundItems(turn: TaskTurn, wanted: Value): readonly Value[] {
  const terms = definedIn(turn, wanted) ?? [];
  const subdirectory = SUBDIRECTORIES[turn.task.module] ?? 'files';
  const list = Array.isArray(terms) ? terms : [terms];
  return turn.lookupIn(subdirectory, 'first_found', list).slice(0, 1);
}

/** A value rendered without the members that are undefined, also behind variables; undefined where it is so itself. */
function definedIn(turn: TaskTurn, value: Value): Value | undefined {
  if (Array.isArray(value)) return value.flatMap((each) => definedIn(turn, each) ?? []);
  if (isDict(value)) {
    // Names of options are text.
    return new Map([...(value as Dict)].flatMap(([name, each]) => member(turn, name, each)));
  }
  return value instanceof TrustedTemplate ? definedText(turn, value) : value;
}

function member(turn: TaskTurn, name: string, value: Value): [string, Value][] {
  const defined = definedIn(turn, value);
  return defined === undefined ? [] : [[name, defined]];
}

function definedText(turn: TaskTurn, template: TrustedTemplate): Value | undefined {
  const [, name = ''] = ONLY_A_NAME.exec(template.text.trim()) ?? [];
  const behind = name === '' ? undefined : turn.scope.get(name);
  if (behind !== undefined) return definedIn(turn, behind);
  try {
    return turn.render(template);
  } catch (error) {
    if (error instanceof TemplateError && error.isUndefined) return undefined;
    throw error;
  }
}
