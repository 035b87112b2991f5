import { type Float, Timestamp, VaultText } from '../values.ts';
import { Budget } from './budget.ts';
import { order } from './compare.ts';
import { TemplateError } from './errors.ts';
import { DateTime } from './moments.ts';
import { floatText, isFloat, isNumber, toNumber } from './numbers.ts';
import { isList, isMap, isText, typeName, Undefined, type Val, type ValMap } from './objects.ts';
import { isVariableData } from './runtime.ts';
import { textOf } from './text.ts';
import { YamlEmitter } from './yaml-emitter.ts';
import type { ScalarNode, ScalarStyle, YamlNode } from './yaml-nodes.ts';
import { cleanLines, fitsLiteral, looksTyped } from './yaml-scalar-style.ts';

/** Containers nested deeper than this are refused. */
const MAX_NESTING = 500;

/** Characters of one document: each is written by itself. */
const MAX_CHARACTERS = 10_000_000;

export interface YamlStyle {
  readonly indent?: number;
  readonly width?: number;
  readonly sortKeys?: boolean;
  /** Flow collections always, never, or (null) where they hold scalars only. */
  readonly flowStyle?: boolean | null;
  readonly explicitStart?: boolean;
  readonly explicitEnd?: boolean;
  readonly scalarStyle?: ScalarStyle;
  /** How texts of several lines are written: in quotes, as they are where they can be, or cleaned for the eyes. */
  readonly multiline?: 'quoted' | 'literal' | 'cleaned';
  /** Whether secrets are written as they are encrypted, under their tag, and not as what they say. */
  readonly showsVaults?: boolean;
}

/** Python's yaml.dump, with its safe types. Throws TemplateError on a value that YAML cannot say. */
export function dumpYaml(value: Val, style: YamlStyle = {}): string {
  const { sortKeys = true, showsVaults = false, multiline = 'quoted' } = style;
  const rules = { sortKeys, showsVaults, multiline, flowStyle: flowStyleOf(style) };
  const node = new Representer(rules).represent(value, 0);
  const emitter = new YamlEmitter({
    indent: style.indent ?? 2,
    width: style.width ?? 80,
    explicitStart: style.explicitStart ?? false,
    explicitEnd: style.explicitEnd ?? false,
    defaultStyle: style.scalarStyle ?? 'plain',
  });
  return emitter.emit(node);
}

/** With a style of its own for every scalar, no collection counts as one of plain scalars. */
function flowStyleOf({ flowStyle = null, scalarStyle = 'plain' }: YamlStyle): boolean | null {
  return flowStyle === null && scalarStyle !== 'plain' ? false : flowStyle;
}

interface Rules {
  readonly sortKeys: boolean;
  readonly flowStyle: boolean | null;
  readonly showsVaults: boolean;
  readonly multiline: NonNullable<YamlStyle['multiline']>;
}

/** Makes nodes of values. A list or dict that an expression puts in several places is one node. */
class Representer {
  readonly #rules: Rules;
  readonly #nodes = new Map<Val, YamlNode>();
  readonly #budget = new Budget(MAX_CHARACTERS);
  #anchors = 0;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  represent(value: Val, nesting: number, shared = true): YamlNode {
    if (nesting > MAX_NESTING) throw new TemplateError('the value is nested too deeply for YAML');
    if (!isList(value) && !isMap(value)) return this.#scalar(value);
    const known = shared ? this.#nodes.get(value) : undefined;
    if (known !== undefined) return this.#anchored(known);
    const node = isList(value) ? this.#sequence(value, nesting) : this.#mapping(value, nesting);
    if (shared) this.#nodes.set(value, node);
    return node;
  }

  #scalar(value: Val): YamlNode {
    const node = this.#isVault(value) ? vaultNode(value) : inLines(scalar(value), this.#rules);
    this.#budget.spend(node.text.length);
    return node;
  }

  #isVault(value: Val): value is VaultText {
    return this.#rules.showsVaults && value instanceof VaultText;
  }

  #anchored(node: YamlNode): YamlNode {
    if (node.kind === 'scalar' || node.anchor !== undefined) return node;
    this.#anchors += 1;
    node.anchor = `id${String(this.#anchors).padStart(3, '0')}`;
    return node;
  }

  #sequence(list: readonly Val[], nesting: number): YamlNode {
    this.#budget.visit(list.length);
    const shared = !isVariableData(list);
    const items = list.map((item) => this.represent(item, nesting + 1, shared));
    return { kind: 'sequence', items, flow: this.#rules.flowStyle ?? items.every(isScalar) };
  }

  #mapping(map: ValMap, nesting: number): YamlNode {
    this.#budget.visit(map.size);
    const shared = !isVariableData(map);
    const pairs = this.#rules.sortKeys ? sorted([...map]) : [...map];
    const members = pairs.map(
      ([key, value]) =>
        [this.represent(key, nesting + 1), this.represent(value, nesting + 1, shared)] as const,
    );
    return {
      kind: 'mapping',
      members,
      flow: this.#rules.flowStyle ?? members.flat().every(isScalar),
    };
  }
}

function isScalar(node: YamlNode): boolean {
  return node.kind === 'scalar';
}

/** By key; keys of types that have no order stay as they are. */
function sorted(pairs: [Val, Val][]): readonly [Val, Val][] {
  try {
    return pairs.toSorted(([a], [b]) => order(a, b));
  } catch (error) {
    if (error instanceof TemplateError) return pairs;
    throw error;
  }
}

function scalar(value: Val): ScalarNode {
  if (isText(value) || value instanceof VaultText)
    return textNode(value instanceof VaultText ? value.plain() : textOf(value));
  if (value === null) return typed('null');
  if (typeof value === 'boolean') return typed(String(value));
  if (isNumber(value)) return typed(isFloat(value) ? floatYaml(value) : textOf(value));
  if (value instanceof Timestamp || value instanceof DateTime) return typed(momentText(value));
  if (value instanceof Undefined) value.fail();
  throw new TemplateError(`a value of type '${typeName(value)}' cannot be written as YAML`);
}

function inLines(node: ScalarNode, { multiline }: Rules): ScalarNode {
  if (multiline === 'quoted' || !node.text.includes('\n')) return node;
  if (multiline === 'literal') return fitsLiteral(node.text) ? { ...node, style: 'literal' } : node;
  const text = cleanLines(node.text);
  return { ...node, text, style: text === '' ? 'double' : 'literal' };
}

function vaultNode({ ciphertext }: VaultText): ScalarNode {
  const text = `${ciphertext.trimEnd()}\n`;
  return { kind: 'scalar', text, tag: '!vault', plainAllowed: false, style: 'literal' };
}

function textNode(text: string): ScalarNode {
  return { kind: 'scalar', text, tag: undefined, plainAllowed: !looksTyped(text) };
}

/** In quotes, the mark `!` keeps it from being read as a text. */
function typed(text: string): ScalarNode {
  return { kind: 'scalar', text, tag: '!', plainAllowed: true };
}

function momentText(value: Timestamp | DateTime): string {
  return value instanceof Timestamp ? value.text : value.text();
}

function floatYaml(value: number | Float): string {
  const plain = toNumber(value);
  if (Number.isNaN(plain)) return '.nan';
  if (!Number.isFinite(plain)) return plain > 0 ? '.inf' : '-.inf';
  const text = floatText(plain);
  return text.includes('.') ? text : text.replace('e', '.0e');
}
