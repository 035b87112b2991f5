import type { Field } from '../shared/schema.ts';
import { TrustedTemplate } from './values.ts';

/** Stands in texts for every secret in them. */
const MASK = '********';
/** Stands for a value that is a secret and nothing else, as in Ansible's results. */
const WHOLE_VALUE_MASK = 'VALUE_SPECIFIED_IN_NO_LOG_PARAMETER';

/** The texts given in fields that are declared secret, at any depth, longest first. */
export function collectSecrets(field: Field<unknown>, value: unknown): string[] {
  const found = new Set(secretsIn(field, value));
  return [...found].sort((a, b) => b.length - a.length);
}

function secretsIn(field: Field<unknown>, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (field.secret) return leaves(value);
  const { element, shape, secretMembers } = field;
  if (secretMembers !== undefined) return leavesBelow(value, secretMembers);
  if (Array.isArray(value) && element !== undefined) {
    return value.flatMap((each) => secretsIn(element, each));
  }
  if (shape === undefined || typeof value !== 'object') return [];
  const members = value as Readonly<Record<string, unknown>>; // A field with a shape holds an object.
  return Object.entries(shape).flatMap(([name, member]) => secretsIn(member, members[name]));
}

function leaves(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves);
  const text = String(value);
  return text === '' ? [] : [text];
}

/** The leaves of members with these names, at any depth. */
function leavesBelow(value: unknown, names: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    names.includes(name) ? leaves(member) : leavesBelow(member, names),
  );
}

/** A deep copy of plain data in which no secret is left. Buffers become a note of their size. */
export function maskSecrets<T>(data: T, secrets: readonly string[]): T {
  return masked(data, secrets) as T; // Same shape: only the texts in it change.
}

function masked(data: unknown, secrets: readonly string[]): unknown {
  if (typeof data === 'string') return maskText(data, secrets);
  if (data instanceof TrustedTemplate)
    return secrets.length === 0 ? data : maskText(data.text, secrets);
  if (Buffer.isBuffer(data)) return `(${data.length} bytes)`;
  if (Array.isArray(data)) return data.map((each) => masked(each, secrets));
  if (data instanceof Map) {
    return new Map([...data].map(([key, each]) => [masked(key, secrets), masked(each, secrets)]));
  }
  if (!isPlainObject(data)) return data;
  const members = Object.entries(data).map(([name, each]) => [name, masked(each, secrets)]);
  return Object.fromEntries(members);
}

/** A text in which no secret is left. */
export function maskText(text: string, secrets: readonly string[]): string {
  if (secrets.includes(text)) return WHOLE_VALUE_MASK;
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
}

function isPlainObject(data: unknown): data is object {
  return (
    typeof data === 'object' && data !== null && Object.getPrototypeOf(data) === Object.prototype
  );
}
