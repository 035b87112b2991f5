/** Handlers that tasks notify by a name that nothing has. */
import { didYouMean, type Problem } from '../../shared/errors.ts';
import { literal } from '../playbook/certainty.ts';
import { heardAs } from '../playbook/handler-names.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import type { Node, Play, Task } from '../playbook/model.ts';
import { allTasks } from '../playbook/validate-tasks.ts';
import type { Value } from '../values.ts';
import { isTemplated } from './templates-in.ts';
import type { Tour, Visit } from './tour.ts';

/** The names under which the handlers of a play hear; undefined where nobody can tell. */
export function handlerNames(tour: Tour, play: Play): ReadonlySet<string> | undefined {
  if (tour.unread.some((visit) => visit.play === play)) return undefined;
  const handlers = allTasks(tour.handlers.get(play) ?? ([] as Node[]));
  const isOpen = handlers.some(({ name }) => isTemplated(name));
  return isOpen ? undefined : new Set(handlers.flatMap(namesOf));
}

function namesOf({ name, keywords, parent: { role } }: Task): string[] {
  const own = [name, ...listOf(keywords.get('listen'))].flatMap((each) => literal(each) ?? []);
  return own.flatMap((each) => heardAs(each, role));
}

function listOf(value: Value | undefined): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** What a task notifies that no handler hears. */
export function deafProblems({ task }: Visit, names: ReadonlySet<string>): Problem[] {
  if (task.implicit === true) return [];
  return listOf(inheritedBy(task).nearest('notify')).flatMap((wanted) => {
    const name = literal(wanted);
    if (name === undefined || names.has(name)) return [];
    const hint = didYouMean(name, names) ?? 'add it to handlers, or a "listen" with this topic';
    return [{ place: task.position, message: `there is no handler "${name}"`, hint }];
  });
}
