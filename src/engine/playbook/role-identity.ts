import { Float, TrustedTemplate, type Value } from '../values.ts';
import type { Block } from './model.ts';

/** Text that is equal for two uses of a role which Ansible would run only once. */
export function roleIdentity(block: Block): string {
  const { role, keywords, vars } = block;
  return JSON.stringify([
    role?.path,
    shape(role?.params ?? new Map()),
    shape(keywords),
    shape(vars),
  ]);
}

/** A value as plain data in which a template differs from the same text, and `1` from `1.0`. */
function shape(value: Value): unknown {
  if (value instanceof Map) return [...value].map(([key, member]) => [shape(key), shape(member)]);
  if (Array.isArray(value)) return value.map(shape);
  if (value instanceof TrustedTemplate) return { template: value.text };
  if (value instanceof Float) return { float: String(value) };
  return typeof value === 'bigint' ? { int: String(value) } : value;
}
