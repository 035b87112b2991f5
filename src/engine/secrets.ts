import type { Field } from '../shared/schema.ts';
import { TrustedTemplate } from './values.ts';

/** Stands in texts for every secret in them. */
const MASK = '********';
/** Stands for a value that is a secret and nothing else, as in Ansible's results. */
const WHOLE_VALUE_MASK = 'VALUE_SPECIFIED_IN_NO_LOG_PARAMETER';

/** A text that must not be shown, and what stands for it. */
export interface Secret {
  readonly text: string;
  readonly mask: string;
}

/** The texts given in fields that are declared secret, at any depth, longest first. */
export function collectSecrets(field: Field<unknown>, value: unknown): readonly Secret[] {
  const found = new Map(secretsIn(field, value).map((each) => [each.text, each]));
  return [...found.values()].sort((a, b) => b.text.length - a.text.length);
}

/** Arguments as a result shows them among its members: without secrets, and without what is only for the host. */
export function shownArguments(field: Field<unknown>, args: unknown): unknown {
  const { shape = {} } = field;
  if (typeof args !== 'object' || args === null) return args;
  const shown = Object.entries(args).map(([name, each]) => {
    const isConcealed = shape[name]?.conceals === 'argument' && each !== undefined && each !== null;
    return [name, isConcealed ? WHOLE_VALUE_MASK : each];
  });
  return maskSecrets(Object.fromEntries(shown), collectSecrets(field, args));
}

function secretsIn(field: Field<unknown>, value: unknown): Secret[] {
  if (value === undefined || value === null) return [];
  if (field.secret) return leaves(value).map(masked);
  const { element, shape, secretMembers, conceals } = field;
  if (conceals === 'login' && typeof value === 'string') return loginsIn(value);
  if (secretMembers !== undefined) return leavesBelow(value, secretMembers).map(masked);
  if (Array.isArray(value) && element !== undefined) {
    return value.flatMap((each) => secretsIn(element, each));
  }
  if (shape === undefined || typeof value !== 'object') return [];
  const members = value as Readonly<Record<string, unknown>>; // A field with a shape holds an object.
  return Object.entries(shape).flatMap(([name, member]) => secretsIn(member, members[name]));
}

/** The login in a URL, and its password wherever else it comes. */
function loginsIn(text: string): Secret[] {
  const [, login = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*@)/i.exec(text) ?? [];
  if (login === '') return [];
  const password = login.slice(0, -1).replace(/^[^:]*:?/, '');
  const spellings = password === '' ? [] : [password, decoded(password)];
  return [{ text: login, mask: '****:****@' }, ...spellings.map(masked)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function masked(text: string): Secret {
  return { text, mask: MASK };
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
export function maskSecrets<T>(data: T, secrets: readonly Secret[]): T {
  return without(data, secrets) as T; // Same shape: only the texts in it change.
}

function without(data: unknown, secrets: readonly Secret[]): unknown {
  if (typeof data === 'string') return maskText(data, secrets);
  if (data instanceof TrustedTemplate)
    return secrets.length === 0 ? data : maskText(data.text, secrets);
  if (Buffer.isBuffer(data)) return `(${data.length} bytes)`;
  if (Array.isArray(data)) return data.map((each) => without(each, secrets));
  if (data instanceof Map) {
    return new Map([...data].map(([key, each]) => [without(key, secrets), without(each, secrets)]));
  }
  if (!isPlainObject(data)) return data;
  const members = Object.entries(data).map(([name, each]) => [name, without(each, secrets)]);
  return Object.fromEntries(members);
}

/** A text in which no secret is left. */
export function maskText(text: string, secrets: readonly Secret[]): string {
  if (secrets.some((secret) => secret.mask === MASK && secret.text === text))
    return WHOLE_VALUE_MASK;
  return secrets.reduce(
    (shown, { text: secret, mask }) => shown.replaceAll(secret, () => mask),
    text,
  );
}

function isPlainObject(data: unknown): data is object {
  return (
    typeof data === 'object' && data !== null && Object.getPrototypeOf(data) === Object.prototype
  );
}
