import { type Dict, Float, TrustedTemplate, type Value } from '../values.ts';

interface Use {
  readonly keywords?: ReadonlyMap<string, Value>;
  readonly vars?: Dict;
  readonly taskVars?: Dict;
  readonly params?: Dict;
  readonly how?: 'listed' | 'task';
  readonly tasksFrom?: string | undefined;
  readonly varsFrom?: string | undefined;
  readonly defaultsFrom?: string | undefined;
  readonly handlersFrom?: string | undefined;
}

/** Text that is equal for two uses of a role which Ansible would run only once. */
export function roleIdentity(path: string, use: Use): string {
  const { keywords, params, how = 'listed' } = use;
  const { tasksFrom, varsFrom, defaultsFrom, handlersFrom } = use;
  return JSON.stringify([
    ...[how, path, shape(params ?? new Map()), shape(use.taskVars ?? use.vars ?? new Map())],
    ...[tasksFrom, varsFrom, defaultsFrom, handlersFrom],
    shape(asList(keywords?.get('when'))),
    tagsOf(keywords?.get('tags')),
  ]);
}

function asList(value: Value | undefined): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function tagsOf(tags: Value | undefined): unknown[] {
  const split = (tag: Value) => (typeof tag === 'string' ? tag.split(',') : [shape(tag)]);
  return asList(tags).flatMap((tag) => split(tag) as unknown[]);
}

/** A value as plain data in which a template differs from the same text, and `1` from `1.0`; dicts know no order. */
function shape(value: Value): unknown {
  if (value instanceof Map) {
    const members = [...value].map(([key, member]) => JSON.stringify([shape(key), shape(member)]));
    return { members: members.sort() };
  }
  if (Array.isArray(value)) return value.map(shape);
  if (value instanceof TrustedTemplate) return { template: value.text };
  if (value instanceof Float) return { float: String(value) };
  return typeof value === 'bigint' ? { int: String(value) } : value;
}
