/** Checks values against a role's argument specification, as Ansible's argument_specs declare it. */
import { coerce, Unfit } from './coerce.ts';
import type { Kind } from './schema.ts';

type Options = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, Kind>> = {
  str: 'str',
  int: 'int',
  float: 'float',
  bool: 'bool',
  list: 'list',
  dict: 'dict',
  path: 'path',
  raw: 'raw',
  json: 'raw',
  jsonarg: 'raw',
  bytes: 'bytes',
  bits: 'bytes',
};

/** What is wrong, one sentence for each fault; values that the specification does not know are no fault. */
export function checkSpecification(options: Options, values: Options, inside = ''): string[] {
  const missing = Object.entries(options).flatMap(([name, option]) =>
    isRecord(option) && option['required'] === true && values[name] === undefined ? [name] : [],
  );
  const faults = Object.entries(options).flatMap(([name, option]) =>
    isRecord(option) && values[name] !== undefined ? checkOption(name, option, values[name]) : [],
  );
  const where = inside === '' ? '' : ` found in ${inside}`;
  const absent =
    missing.length === 0
      ? []
      : [`missing required arguments: ${missing.sort().join(', ')}${where}`];
  return [...absent, ...faults];
}

function checkOption(name: string, option: Options, value: unknown): string[] {
  const type = String(option['type'] ?? 'str');
  const kind = KINDS[type];
  if (kind === undefined) return [`value for ${name} has the unknown type ${type}`];
  const read = tryCoerce(kind, value);
  if (read instanceof Unfit) {
    return [
      `argument '${name}' is of type ${typeName(value)} and we were unable to convert to ${type}: ${read.message}`,
    ];
  }
  return [...checkChoices(name, option, read), ...checkInside(name, option, read)];
}

function tryCoerce(kind: Kind, value: unknown): unknown {
  try {
    return coerce({ kind, schema: {} }, value);
  } catch (error) {
    if (error instanceof Unfit) return error;
    throw error;
  }
}

function checkChoices(name: string, { choices }: Options, value: unknown): string[] {
  if (!Array.isArray(choices)) return [];
  const values = Array.isArray(value) ? value : [value];
  const wrong = values.filter((each) => !choices.includes(each));
  if (wrong.length === 0) return [];
  const rule = Array.isArray(value) ? 'one or more of' : 'one of';
  return [`value of ${name} must be ${rule}: ${choices.join(', ')}, got: ${wrong.join(', ')}`];
}

function checkInside(name: string, option: Options, value: unknown): string[] {
  const { options, elements } = option;
  const items = Array.isArray(value) ? value : [value];
  if (isRecord(options))
    return items.flatMap((item) => (isRecord(item) ? checkSpecification(options, item, name) : []));
  if (!Array.isArray(value) || typeof elements !== 'string') return [];
  const kind = KINDS[elements];
  if (kind === undefined) return [];
  return value.flatMap((item) => {
    const read = tryCoerce(kind, item);
    if (!(read instanceof Unfit)) return [];
    return [
      `Elements value for option '${name}' is of type ${typeName(item)} and we were unable to convert to ${elements}: ${read.message}`,
    ];
  });
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "<class 'list'>";
  if (typeof value === 'number')
    return Number.isInteger(value) ? "<class 'int'>" : "<class 'float'>";
  const names: Readonly<Record<string, string>> = {
    string: 'str',
    boolean: 'bool',
    object: 'dict',
  };
  return `<class '${names[typeof value] ?? typeof value}'>`;
}

function isRecord(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
