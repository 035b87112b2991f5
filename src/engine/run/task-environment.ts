/** The environment of a task: what it and everything around it say under `environment`. */
import { formatProblem } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import { isDict, OMIT, TrustedTemplate, type Value } from '../values.ts';
import type { TaskTurn } from './task-turn.ts';

export interface TaskEnvironment {
  readonly environment: Readonly<Record<string, string>>;
  /** Entries that are passed over because they are no mapping, each with its place. */
  readonly warnings: readonly string[];
}

/** Merges all entries, inner ones winning. As with Ansible, an entry that is no mapping is no failure. */
export function environmentOf(turn: TaskTurn): TaskEnvironment {
  const environment: Record<string, string> = {};
  const warnings: string[] = [];
  for (const entry of turn.inherited.environment) {
    const rendered = renderEntry(turn, entry);
    for (const each of Array.isArray(rendered) ? rendered : [rendered]) {
      if (isDict(each)) addVariables(environment, each);
      else if (!isEmpty(each)) warnings.push(passedOver(turn, entry, each));
    }
  }
  return { environment, warnings };
}

/** What is made of the environment of the host is passed over until the facts are there that tell it, as with Ansible. */
function renderEntry(turn: TaskTurn, entry: Value): Value {
  try {
    return turn.render(entry);
  } catch (error) {
    const needsFacts = error instanceof TemplateError && error.variable === 'ansible_env';
    if (needsFacts) return turn.renderDefined(entry) ?? null;
    throw error;
  }
}

function isEmpty(value: Value): boolean {
  return value === OMIT || value === null || value === '';
}

function passedOver({ task }: TaskTurn, written: Value, value: Value): string {
  const own = written instanceof TrustedTemplate ? written.position : undefined;
  const shown = Array.isArray(value) ? 'a list' : `"${String(value)}"`;
  const message = `environment ${shown} has no effect`;
  const hint = 'write it as "NAME: value" lines';
  return formatProblem({ place: own ?? task.position, message, hint });
}

function addVariables(into: Record<string, string>, value: ReadonlyMap<Value, Value>): void {
  for (const [name, text] of value) into[String(name)] = pythonText(text);
}

function pythonText(value: Value): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  return value === false ? 'False' : String(value);
}
