/** How one value fits its option of an argument specification: type, elements and choices. */
import { isMapping, type Mapping } from './argument-dependencies.ts';
import { coerce, Unfit } from './coerce.ts';
import type { Kind } from './schema.ts';
import { table } from './table.ts';

const KINDS: Readonly<Record<string, Kind>> = table({
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
});

interface Reading {
  /** The value as its type has it; as it was given where it does not fit. */
  readonly value: unknown;
  readonly faults: string[];
}

/** Reads a value as the type of its option, and the elements of a list as theirs; null fits every option. */
export function readOption(
  name: string,
  option: Mapping,
  value: unknown,
  path: readonly string[],
): Reading {
  if (value === null) return { value, faults: [] };
  const where = path.length === 0 ? '' : ` found in '${path.join(' -> ')}'`;
  const type = String(option['type'] ?? 'str');
  const whole = readAs(type, value);
  if (whole.fault !== undefined) {
    const inside = where === '' ? '' : `${where}.`;
    return {
      value,
      faults: [`argument '${name}' is of type ${typeName(value)}${inside} ${whole.fault}`],
    };
  }
  const { elements } = option;
  if (!Array.isArray(whole.value) || typeof elements !== 'string') {
    return { value: whole.value, faults: [] };
  }
  const items = whole.value.map((item) => ({ item, ...readAs(elements, item) }));
  const faults = items.flatMap(({ item, fault }) =>
    fault === undefined
      ? []
      : [`Elements value for option '${name}'${where} is of type ${typeName(item)} ${fault}`],
  );
  return { value: items.map((each) => each.value), faults };
}

function readAs(type: string, value: unknown): { value: unknown; fault?: string } {
  const kind = KINDS[type];
  if (kind === undefined)
    return { value, fault: `and its specification names the unknown type ${type}` };
  if ((kind === 'str' || kind === 'path') && isContainer(value)) return { value };
  try {
    return { value: coerce({ kind, schema: {} }, value) };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return {
      value,
      fault: `and we were unable to convert to ${type}: ${reason(type, value, error)}`,
    };
  }
}

function reason(type: string, value: unknown, { message }: Unfit): string {
  if (type !== 'int') return message;
  const shown = typeof value === 'string' ? `'${value}'` : textOf(value);
  return `"${shown}" cannot be converted to an int`;
}

/** What is wrong with a value that is none of its option's choices. */
export function checkChoices(name: string, { choices, type }: Mapping, value: unknown): string[] {
  if (!Array.isArray(choices)) return [];
  const known = choices.map(textOf);
  const shown = known.join(', ');
  if (type !== 'list' || !Array.isArray(value)) {
    const text = textOf(value);
    return known.includes(text) ? [] : [`value of ${name} must be one of: ${shown}, got: ${text}`];
  }
  const wrong = value.map(textOf).filter((text) => !known.includes(text));
  if (wrong.length === 0) return [];
  return [
    `value of ${name} must be one or more of: ${shown}. Got no match for: ${wrong.join(', ')}`,
  ];
}

/** A value as Python's str() spells it; lists and mappings as JSON. */
function textOf(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return isContainer(value) ? JSON.stringify(value) : String(value);
}

function typeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  const names: Readonly<Record<string, string>> = {
    string: 'str',
    boolean: 'bool',
    object: 'dict',
  };
  return names[typeof value] ?? typeof value;
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || isMapping(value);
}
