/** TOML inventories: the shape of YAML ones, with children as a list. */
import { InvalidInput } from '../../shared/errors.ts';
import { isTomlTable, parseToml, type TomlTable, type TomlValue } from '../../shared/toml.ts';
import { ownText } from '../own-text.ts';
import { hasTemplate, type Position, TrustedTemplate, type Value } from '../values.ts';
import type { YamlMap, YamlNode } from '../yaml-node.ts';
import { floatValue, parseTimestamp } from '../yaml-scalar.ts';

/** The groups of a TOML inventory as a YAML one would have them. Throws InvalidInput where it is malformed. */
export function readTomlInventory(text: string, file: string): YamlMap {
  const position = { file, line: 1, column: 1 };
  return mapOf(read(text, position), position, groupOf);
}

function read(text: string, position: Position): TomlTable {
  try {
    return parseToml(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw InvalidInput.at(position, `this is not TOML: ${reason}`);
  }
}

function groupOf(value: TomlValue, position: Position): YamlNode {
  if (!isTomlTable(value)) return nodeOf(value, position);
  return mapOf(value, position, (member, place, name) =>
    name === 'children' && Array.isArray(member)
      ? mapOf(Object.fromEntries(member.map((child) => [String(child), {}])), place, nothing)
      : nodeOf(member, place),
  );
}

type Convert = (value: TomlValue, position: Position, key: string) => YamlNode;

function mapOf(table: TomlTable, position: Position, convert: Convert): YamlMap {
  const entries = Object.entries(table).map(([key, value]) => ({
    key,
    keyPosition: position,
    node: convert(value, position, key),
  }));
  return { kind: 'map', entries, position };
}

const nothing: Convert = (_, position) => ({ kind: 'scalar', value: null, position });

function nodeOf(value: TomlValue, position: Position): YamlNode {
  if (isTomlTable(value)) return mapOf(value, position, nodeOf);
  if (Array.isArray(value))
    return {
      kind: 'list',
      items: value.map((item: TomlValue) => nodeOf(item, position)),
      position,
    };
  // Tables and lists are dealt with.
  return {
    kind: 'scalar',
    value: scalarOf(value as Exclude<TomlValue, TomlTable>, position),
    position,
  };
}

function scalarOf(value: unknown, position: Position): Value {
  if (value instanceof Date) return momentOf(value.toISOString());
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'number') return floatValue(value);
  if (typeof value === 'boolean') return value;
  const text = String(value);
  return hasTemplate(text) ? new TrustedTemplate(text, position) : ownText(text);
}

/** A date, a moment, or a time of the day, which is text. */
function momentOf(text: string): Value {
  return /^\d{4}-/.test(text) ? parseTimestamp(text.replace(/\.000/, '')) : ownText(text);
}
