/** Arguments that a role's specification requires, and that nothing in a run may set. */
import type { Problem } from '../../shared/errors.ts';
import type { Task } from '../playbook/model.ts';
import { isDict, type Value } from '../values.ts';
import type { KnownNames } from './known-names.ts';

/** What is missing for the task that checks the arguments of a role before its own. */
export function missingArguments(task: Task, known: KnownNames): Problem[] {
  const { implicit, module, args, parent, position: place } = task;
  const spec = args.get('argument_spec') ?? null;
  if (implicit !== true || module !== 'validate_argument_spec' || !isDict(spec)) return [];
  const missing = [...spec]
    .filter(([, option]) => isRequired(option))
    .map(([name, option]) => [name, ...aliasesOf(option)].map(String))
    .filter((names) => !names.some((name) => known.has(name)))
    .map(([name]) => name);
  if (missing.length === 0) return [];
  const message = `missing required arguments of the role "${parent.role?.name}": ${missing.join(', ')}`;
  return [{ place, message, hint: 'set them as variables of the play, the role or the hosts' }];
}

function isRequired(option: Value): boolean {
  return isDict(option) && option.get('required') === true && !option.has('default');
}

function aliasesOf(option: Value): readonly Value[] {
  const aliases = isDict(option) ? option.get('aliases') : undefined;
  return Array.isArray(aliases) ? aliases : [];
}
