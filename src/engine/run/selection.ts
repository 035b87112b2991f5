/** Which tasks of a play run at all: tags. */
import { inheritedBy } from '../playbook/inherited.ts';
import type { Task } from '../playbook/model.ts';
import type { Value } from '../values.ts';

/** Decides by the table of Ansible's tags; an untagged task has the tag `untagged`. */
export function isSelected(
  own: readonly string[],
  only: readonly string[],
  skip: readonly string[],
): boolean {
  const tags = own.length === 0 ? ['untagged'] : own;
  return isWanted(tags, only.length === 0 ? ['all'] : only) && !isUnwanted(tags, skip);
}

function isWanted(tags: readonly string[], only: readonly string[]): boolean {
  if (tags.includes('always')) return true;
  if (only.includes('all') && !tags.includes('never')) return true;
  if (tags.some((tag) => only.includes(tag))) return true;
  return only.includes('tagged') && !tags.includes('untagged') && !tags.includes('never');
}

function isUnwanted(tags: readonly string[], skip: readonly string[]): boolean {
  if (skip.includes('all')) return !tags.includes('always') || skip.includes('always');
  if (tags.some((tag) => skip.includes(tag))) return true;
  return skip.includes('tagged') && !tags.includes('untagged');
}

/** Tags of a task with those it inherits, rendered, without repeats. */
export function tagsOf(task: Task, render: (value: Value) => Value): string[] {
  const tags = inheritedBy(task).tags.flatMap((tag) => {
    const rendered = render(tag);
    return Array.isArray(rendered) ? rendered : String(rendered).split(',');
  });
  return [...new Set(tags.map((tag) => String(tag).trim()).filter((tag) => tag !== ''))];
}
