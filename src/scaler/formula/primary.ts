/** Parses operands of formulas: names, numbers, texts, lists, maps, and what stands behind them. */
import { FormulaFault } from './formula-error.ts';
import { quoted } from './quoted.ts';
import { expect, peek, type Scanner, startOf, take, unexpected } from './scanner.ts';
import type { CallNode, FormulaNode, MapNode, MemberNode } from './syntax.ts';

/** Reads a whole expression, or several between `;`. */
type Read = (scanner: Scanner) => FormulaNode;
interface Reads {
  readonly expression: Read;
  readonly sequence: Read;
}

const NUMBER =
  /0x[\da-f_]+|0b[01_]+|0o[0-7_]+|(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?/iy;
const WHOLE = /^(?:0[xbo]|[\d_]+$)/i;
const NAME = /\$env\b|[A-Za-z_]\w*/y;
const POINTER = /#([A-Za-z]*)/y;
const MEMBER = /\.(?=[A-Za-z_])/y;
const RAW = /`(?:[^`]|``)*`/y;
/** A key that needs no parentheses, and its colon. */
const KEY = /(?:[A-Za-z_]\w*|\d+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*:/y;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, nil: null };

/** An operand with its members, elements and calls, or undefined where none begins. */
export function primaryOf(scanner: Scanner, reads: Reads): FormulaNode | undefined {
  const start = scanner.index;
  const node = atom(scanner, reads, start);
  return node && withProperties(scanner, { ...node, start: node.start ?? start }, reads);
}

function atom(scanner: Scanner, reads: Reads, start: number): FormulaNode | undefined {
  const number = take(scanner, NUMBER);
  if (number !== undefined) return numberOf(scanner, number);
  const raw = take(scanner, RAW);
  if (raw !== undefined) {
    return { type: 'Literal', value: raw.slice(1, -1).replaceAll('``', '`') };
  }
  const pointer = take(scanner, POINTER);
  if (pointer !== undefined) return { type: 'Pointer', name: pointer.slice(1) };
  if (peek(scanner, MEMBER) !== undefined) return { type: 'Pointer', name: '' };
  const name = take(scanner, NAME);
  if (name !== undefined) return wordOf(name);
  switch (scanner.char) {
    case '"':
    case "'":
      return { type: 'Literal', value: quoted(scanner) };
    case '[':
      return { type: 'ArrayExpression', elements: elements(scanner, ']', reads).nodes };
    case '{':
      return braced(scanner, reads, start);
    case '(':
      return group(scanner, reads, start);
    default:
      return undefined;
  }
}

function numberOf(scanner: Scanner, text: string): FormulaNode {
  if (/\w/.test(scanner.char)) unexpected(scanner);
  return {
    type: 'Literal',
    value: Number(text.replaceAll('_', '')),
    isWhole: WHOLE.test(text),
  };
}

function wordOf(name: string): FormulaNode {
  const value = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (value !== undefined) return { type: 'Literal', value };
  return { type: 'Identifier', name };
}

function group(scanner: Scanner, { sequence }: Reads, start: number): FormulaNode {
  scanner.index += 1;
  const inner = sequence(scanner);
  expect(scanner, ')');
  // A comparison in parentheses is not continued by one behind them.
  if (inner.type !== 'Comparison') return inner;
  return { type: 'UnaryExpression', operator: '()', argument: inner, start };
}

/** A map, or the condition of a function such as count. */
function braced(scanner: Scanner, reads: Reads, start: number): FormulaNode {
  scanner.index += 1;
  if (peek(scanner, /\}/y) !== undefined || peek(scanner, KEY) !== undefined) {
    return mapOf(scanner, reads);
  }
  if (scanner.char === '(') {
    group(scanner, reads, scanner.index);
    const isMap = peek(scanner, /:/y) !== undefined;
    scanner.index = start + 1;
    if (isMap) return mapOf(scanner, reads);
  }
  const body = reads.sequence(scanner);
  expect(scanner, '}');
  return { type: 'Predicate', body };
}

function mapOf(scanner: Scanner, reads: Reads): MapNode {
  const entries: (readonly [FormulaNode, FormulaNode])[] = [];
  while (peek(scanner, /\}/y) === undefined) {
    const key = keyOf(scanner, reads);
    expect(scanner, ':');
    entries.push([key, reads.expression(scanner)]);
    if (peek(scanner, /\}/y) === undefined) expect(scanner, ',');
  }
  expect(scanner, '}');
  return { type: 'Map', entries };
}

function keyOf(scanner: Scanner, reads: Reads): FormulaNode {
  scanner.gobbleSpaces();
  const start = scanner.index;
  if (scanner.char === '(') return group(scanner, reads, start);
  const word = take(scanner, /\w+/y);
  if (word !== undefined) return { type: 'Literal', value: word, start };
  if (!/["']/.test(scanner.char)) unexpected(scanner, 'a key');
  return { type: 'Literal', value: quoted(scanner), start };
}

/** Expressions between commas; after the last one there may be another comma. */
function elements(scanner: Scanner, closing: string, { expression }: Reads) {
  scanner.index += 1;
  const nodes: FormulaNode[] = [];
  let endsInComma = false;
  scanner.gobbleSpaces();
  while (scanner.char !== closing) {
    if (endsInComma && scanner.char === ',') {
      throw new FormulaFault('an element of the list is missing', scanner.index);
    }
    nodes.push(expression(scanner));
    scanner.gobbleSpaces();
    endsInComma = scanner.char === ',';
    if (endsInComma) scanner.index += 1;
    else if (scanner.char !== closing) unexpected(scanner, `"${closing}"`);
    scanner.gobbleSpaces();
  }
  scanner.index += 1;
  return { nodes, endsInComma };
}

function withProperties(scanner: Scanner, first: FormulaNode, reads: Reads): FormulaNode {
  let node = first;
  let next = property(scanner, node, reads);
  while (next !== undefined) {
    node = next;
    next = property(scanner, node, reads);
  }
  return node;
}

function property(scanner: Scanner, object: FormulaNode, reads: Reads): FormulaNode | undefined {
  scanner.gobbleSpaces();
  if (scanner.char === '(' && isCallable(object)) return callOf(scanner, object, reads);
  const isOptional = take(scanner, /\?\.(?!\d)/y) !== undefined;
  if (scanner.char === '[') return elementOf(scanner, object, isOptional, reads);
  if (!isOptional && take(scanner, MEMBER) === undefined) return undefined;
  const name = take(scanner, /[A-Za-z_]\w*/y) ?? unexpected(scanner, 'a name');
  const key: FormulaNode = { type: 'Literal', value: name, start: scanner.index - name.length };
  return memberOf(object, key, isOptional, true);
}

function isCallable({ type, ...node }: FormulaNode): boolean {
  return type === 'Identifier' || (type === 'MemberExpression' && 'isNamed' in node);
}

function callOf(scanner: Scanner, callee: FormulaNode, reads: Reads): CallNode {
  const { nodes, endsInComma } = elements(scanner, ')', reads);
  return {
    type: 'CallExpression',
    callee,
    arguments: nodes,
    ...(endsInComma && { endsInComma }),
    ...startOf(callee),
  };
}

/** `[index]`, `[key]`, or a slice `[from:to]`. */
function elementOf(
  scanner: Scanner,
  object: FormulaNode,
  isOptional: boolean,
  { expression }: Reads,
): FormulaNode {
  scanner.index += 1;
  const from = peek(scanner, /:/y) === undefined ? expression(scanner) : undefined;
  if (take(scanner, /:/y) === undefined) {
    expect(scanner, ']');
    return memberOf(object, from as FormulaNode, isOptional, false); // Read, where there is no colon.
  }
  const to = peek(scanner, /\]/y) === undefined ? expression(scanner) : undefined;
  expect(scanner, ']');
  return { type: 'Slice', object, from, to, ...startOf(object) };
}

function memberOf(
  object: FormulaNode,
  property: FormulaNode,
  isOptional: boolean,
  isNamed: boolean,
): MemberNode {
  return {
    type: 'MemberExpression',
    object,
    property,
    ...(isNamed && { isNamed }),
    ...((isOptional || isChained(object)) && { isOptional: true }),
    ...startOf(object),
  };
}

/** Behind `?.` a chain that has come to nil stays there. */
function isChained(node: FormulaNode): boolean {
  return node.type === 'MemberExpression' && node.isOptional === true;
}
