/** What a task inherits from the containers around it. */
import type { Dict, Value } from '../values.ts';
import { KEYWORDS } from './keywords.ts';
import { type Container, enclosing, type Task } from './model.ts';

/** The keywords in force for a task, own values first, and the lists that add up along the way. */
export interface Inherited {
  /** The value nearest to the task, or undefined. */
  readonly nearest: (keyword: string) => Value | undefined;
  /** Conditions of the outermost container first; all must hold. */
  readonly when: readonly Value[];
  readonly tags: readonly Value[];
  /** Outermost first, so that later entries win. */
  readonly environment: readonly Value[];
  readonly moduleDefaults: readonly Value[];
  /** Variables of blocks and of the task itself, inner ones winning. */
  readonly vars: Dict;
  /** Variables of include statements and parameters of roles, inner ones winning. */
  readonly includeParams: Dict;
  readonly roleParams: Dict;
}

const known = new WeakMap<Task, Inherited>();

/** What is in force for a task. Computed once: tasks and containers never change. */
export function inheritedBy(task: Task): Inherited {
  let made = known.get(task);
  if (made === undefined) {
    made = collect(task);
    known.set(task, made);
  }
  return made;
}

function collect(task: Task): Inherited {
  const outward = [...enclosing(task.parent)];
  const inward = outward.toReversed();
  const levels = [task.keywords, ...outward.map(({ keywords }) => keywords)];
  const extend = (keyword: string) =>
    levels.toReversed().flatMap((keywords) => entries(keywords.get(keyword)));
  const blocks = inward.filter(({ kind }) => kind !== 'play');
  return {
    nearest: (keyword) => nearest(levels, keyword),
    when: extend('when'),
    tags: extend('tags').flatMap(splitTags),
    environment: extend('environment'),
    moduleDefaults: extend('module_defaults'),
    vars: merged([...blocks.map(({ vars }) => vars), task.vars]),
    includeParams: merged(blocks.flatMap(({ includeParams }) => includeParams ?? [])),
    roleParams: merged(blocks.flatMap(ownParams)),
  };
}

function ownParams({ kind, role }: Container): Dict | [] {
  return kind === 'role' && role !== undefined ? role.params : [];
}

function nearest(
  levels: readonly ReadonlyMap<string, Value>[],
  keyword: string,
): Value | undefined {
  const inherits = KEYWORDS[keyword]?.inherit !== 'own';
  const visible = inherits ? levels : levels.slice(0, 1);
  return visible.find((keywords) => keywords.has(keyword))?.get(keyword);
}

function entries(value: Value | undefined): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function splitTags(tag: Value): Value[] {
  return typeof tag === 'string' ? tag.split(',').map((each) => each.trim()) : [tag];
}

function merged(dicts: readonly Dict[]): Dict {
  const filled = dicts.filter((dict) => dict.size > 0);
  if (filled.length === 1 && filled[0] !== undefined) return filled[0];
  return new Map(filled.flatMap((dict) => [...dict]));
}
