/** What a task inherits from the containers around it. */
import type { Dict, Value } from '../values.ts';
import { KEYWORDS } from './keywords.ts';
import { type Container, enclosing, type Task } from './model.ts';

/** The keywords in force for a task, own values first, and the lists that add up along the way. */
export interface Inherited {
  /** The value nearest to the task, or undefined. */
  readonly nearest: (keyword: string) => Value | undefined;
  /** All values of a keyword, the nearest first. */
  readonly levels: (keyword: string) => readonly LevelValue[];
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

/** A keyword as one level has it. */
export interface LevelValue {
  readonly value: Value;
  /** Whether `omit` gives way to the next level. */
  readonly mayOmit: boolean;
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
  const valuesOf = levelValues(task, outward);
  const blocks = inward.filter(({ kind }) => kind !== 'play');
  return {
    nearest: (keyword) => valuesOf(keyword)[0]?.value,
    levels: valuesOf,
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

/** `omit` is for keywords of a task, but for those that count before it has a host. */
const ALWAYS_OMITTED = new Set(['remote_user']);
const NEVER_OMITTED = new Set(['run_once', 'throttle']);

function levelValues(task: Task, outward: readonly Container[]): Inherited['levels'] {
  const all = [task.keywords, ...outward.map(({ keywords }) => keywords)];
  const found = new Map<string, readonly LevelValue[]>();
  return (keyword) => {
    let values = found.get(keyword);
    if (values === undefined) {
      const visible = KEYWORDS[keyword]?.inherit === 'own' ? all.slice(0, 1) : all;
      values = visible.flatMap((keywords) => {
        const value = keywords.get(keyword);
        if (value === undefined) return [];
        const isOwn = keywords === task.keywords && !NEVER_OMITTED.has(keyword);
        return [{ value, mayOmit: isOwn || ALWAYS_OMITTED.has(keyword) }];
      });
      found.set(keyword, values);
    }
    return values;
  };
}

function entries(value: Value | undefined): readonly Value[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).filter((each) => each !== null);
}

function splitTags(tag: Value): Value[] {
  return typeof tag === 'string' ? tag.split(',').map((each) => each.trim()) : [tag];
}

function merged(dicts: readonly Dict[]): Dict {
  const filled = dicts.filter((dict) => dict.size > 0);
  if (filled.length === 1 && filled[0] !== undefined) return filled[0];
  return new Map(filled.flatMap((dict) => [...dict]));
}
