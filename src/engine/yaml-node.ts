import { isOwnText } from './own-text.ts';
import { type Position, type TextPosition, TrustedTemplate, type Value } from './values.ts';

/** A YAML document as a tree that remembers where everything was written. */
export type YamlNode = YamlMap | YamlList | YamlScalar;

/** A mapping. Merge keys are resolved and duplicate keys reduced to the last. */
export interface YamlMap {
  readonly kind: 'map';
  readonly entries: readonly YamlEntry[];
  readonly position: Position;
}

export interface YamlEntry {
  /** A scalar: most often a string, but `1: x` has a number. */
  readonly key: Value;
  readonly keyPosition: Position;
  readonly node: YamlNode;
}

export interface YamlList {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
  readonly position: Position;
}

interface YamlScalar {
  readonly kind: 'scalar';
  readonly value: Value;
  readonly position: Position;
  /** Where its text begins, if that is quoted or a block; a template knows it itself. */
  readonly content?: TextPosition;
}

/** What an empty file holds. */
export function nothingAt(file: string): YamlNode {
  return { kind: 'scalar', value: null, position: { file, line: 1, column: 1 } };
}

const values = new WeakMap<YamlNode, Value>();

/** The value of a tree: Map, array or scalar. An aliased node gives the same object each time. */
export function toValue(node: YamlNode): Value {
  if (node.kind === 'scalar') return node.value;
  const known = values.get(node);
  if (known !== undefined) return known;
  const value: Value =
    node.kind === 'list'
      ? node.items.map(toValue)
      : new Map(node.entries.map((entry) => [entry.key, toValue(entry.node)]));
  values.set(node, value);
  return value;
}

/** The user's own text in a scalar with the place where it begins; undefined for anything else. */
export function placedText(node: YamlNode): TrustedTemplate | undefined {
  if (node.kind !== 'scalar') return undefined;
  const { value, position, content = position } = node;
  if (value instanceof TrustedTemplate) return value;
  return typeof value === 'string' && isOwnText(value)
    ? new TrustedTemplate(value, content)
    : undefined;
}
