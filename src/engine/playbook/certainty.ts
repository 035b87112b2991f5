/** Whether a task certainly runs, as far as it can be told before the run. */

import { isSelected, tagsOf } from '../run/selection.ts';
import { hasTemplate, TrustedTemplate, type Value } from '../values.ts';
import { FREE_FORM } from './action.ts';
import { inheritedBy } from './inherited.ts';
import { type Block, enclosing, type Task } from './model.ts';
import { textOf } from './source.ts';

/** Which tasks a run is about. */
export interface Selection {
  readonly tags: readonly string[];
  readonly skipTags: readonly string[];
  readonly startAtTask?: string | undefined;
}

/** A run without a choice of tags. */
export const EVERY_TASK: Selection = { tags: ['all'], skipTags: [] };

/** Whether every run comes to the task, whatever its own conditions say then. */
export function isReached(task: Task, selection: Selection): boolean {
  const around = inheritedBy(task).when.length - listOf(task.keywords.get('when')).length;
  return around === 0 && isChosen(task, selection);
}

/** Whether a run with this choice of tasks takes the task. */
export function isChosen(task: Task, selection: Selection): boolean {
  if (task.isHandler || selection.startAtTask !== undefined) return false;
  return isTagged(task, selection);
}

/** Whether nothing that is written at the task keeps it from running once a run comes to it. */
export function isUnconditional(task: Task): boolean {
  return (
    listOf(task.keywords.get('when')).every((condition) => condition === true) && mayLoop(task)
  );
}

function listOf(value: Value | undefined): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Whether a loop certainly has items. */
function mayLoop({ loop }: Task): boolean {
  return loop === undefined || (Array.isArray(loop.value) && loop.value.length > 0);
}

/** The tags of a task, templates as their text. */
export function writtenTags(task: Task): string[] {
  return tagsOf(task, (tag) => (tag instanceof TrustedTemplate ? tag.text : tag));
}

function isTagged(task: Task, { tags, skipTags }: Selection): boolean {
  const own = writtenTags(task);
  if (own.some(hasTemplate)) return false;
  return isSelected(own, tags, skipTags);
}

/** Whether the playbook goes on after a failure of the task, or decides itself what a failure is. */
export function mayFail(task: Task): boolean {
  const { nearest } = inheritedBy(task);
  const isRescued = [...enclosing(task.parent)].some(
    (container) => 'rescue' in container && (container as Block).rescue.length > 0,
  );
  return (
    isRescued || (nearest('ignore_errors') ?? false) !== false || task.keywords.has('failed_when')
  );
}

/** Whether tasks after this one may never be reached. */
export function mayEnd(task: Task): boolean {
  if (task.module !== 'meta') return false;
  const wish = task.args.get(FREE_FORM);
  return wish instanceof TrustedTemplate || (textOf(wish) ?? '').startsWith('end_');
}

/** Text that has no template in it. */
export function literal(value: Value | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
