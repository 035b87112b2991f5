/** Parses formulas: jsep reads names, texts, lists, calls and indexes; operators and statements are those of expr. */
import jsep from 'jsep';
import { FormulaFault } from './formula-error.ts';
import { COMPARISONS, readOperator, UNARY } from './precedence.ts';
import type { CallNode, FormulaNode } from './syntax.ts';

type Scanner = jsep.HookScope;

/** Far beyond what people write; it bounds the recursion of everything that walks the tree. */
const MAX_LENGTH = 4096;
const MAX_DEPTH = 64;
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const NUMBER =
  /0x[\da-f_]+|0b[01_]+|0o[0-7_]+|(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?/iy;
const WORD = /[A-Za-z_]\w*/y;
const POINTER = /#([A-Za-z]*)/y;
/** What may follow a whole expression. */
const END = /[),\]};:{]|$/y;

const depths = new WeakMap<Scanner, number>();

/** The syntax tree of a formula. Throws FormulaFault. */
export function parseFormula(text: string): FormulaNode {
  if (text.trim() === '') throw new FormulaFault('the formula is empty', 0);
  if (text.length > MAX_LENGTH) {
    throw new FormulaFault(`the formula is longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  }
  try {
    return jsep(text) as unknown as FormulaNode; // The hooks below make nothing else.
  } catch (error) {
    throw asFault(error);
  }
}

jsep.removeUnaryOp('~');
jsep.removeLiteral('null');
jsep.addLiteral('nil', null);
jsep.hooks.add('gobble-spaces', function (this: Scanner) {
  SPACE.lastIndex = this.index;
  SPACE.test(this.expr);
  this.index = SPACE.lastIndex;
});
jsep.hooks.add('gobble-expression', function (this: Scanner, env) {
  const depth = depths.get(this) ?? 0;
  if (depth === 0 && this.index > 0 && this.expr.slice(0, this.index).trim() !== '')
    unexpected(this);
  env.node = expression(this, 0) as unknown as jsep.Expression;
  if (depth === 0 && this.index < this.expr.length) unexpected(this);
});
jsep.hooks.add('gobble-token', function (this: Scanner, env) {
  const node = unaryOf(this) ?? primaryOf(this);
  if (node !== undefined) env.node = node as unknown as jsep.Expression;
});

/** An expression whose operators bind at least as tightly as told. */
function expression(scanner: Scanner, precedence: number): FormulaNode {
  const depth = (depths.get(scanner) ?? 0) + 1;
  if (depth > MAX_DEPTH) throw new FormulaFault('the formula is nested too deeply', scanner.index);
  depths.set(scanner, depth);
  const node = precedence === 0 ? whole(scanner) : operation(scanner, precedence);
  depths.set(scanner, depth - 1);
  return node;
}

function whole(scanner: Scanner): FormulaNode {
  scanner.gobbleSpaces();
  const start = scanner.index;
  const word = peek(scanner, WORD);
  if (word === 'let') return declaration(scanner, start);
  if (word === 'if') return choice(scanner, start);
  const node = ternary(scanner, operation(scanner, 0));
  if (peek(scanner, END) === undefined) unexpected(scanner);
  return node;
}

function declaration(scanner: Scanner, start: number): FormulaNode {
  scanner.index += 'let'.length;
  scanner.gobbleSpaces();
  const name = take(scanner, WORD) ?? unexpected(scanner, 'a name');
  if (peek(scanner, /==/y) !== undefined) unexpected(scanner, '"="');
  expect(scanner, '=');
  const value = expression(scanner, 0);
  expect(scanner, ';');
  return { type: 'Let', name, value, body: expression(scanner, 0), start };
}

/** `if a { b } else if c { d } else { e }`. */
function choice(scanner: Scanner, start: number): FormulaNode {
  scanner.index += 'if'.length;
  const test = expression(scanner, 0);
  const consequent = block(scanner);
  expect(scanner, 'else');
  const alternate = peek(scanner, WORD) === 'if' ? expression(scanner, 0) : block(scanner);
  return { type: 'ConditionalExpression', test, consequent, alternate, start };
}

function block(scanner: Scanner): FormulaNode {
  expect(scanner, '{');
  const body = expression(scanner, 0);
  expect(scanner, '}');
  return body;
}

function ternary(scanner: Scanner, test: FormulaNode): FormulaNode {
  scanner.gobbleSpaces();
  if (scanner.char !== '?') return test;
  scanner.index += 1;
  const consequent = peek(scanner, /:/y) === undefined ? expression(scanner, 0) : test;
  expect(scanner, ':');
  const alternate = expression(scanner, 0);
  return { type: 'ConditionalExpression', test, consequent, alternate, ...startOf(test) };
}

/** Operands and the operators between them, by precedence. */
function operation(scanner: Scanner, precedence: number): FormulaNode {
  let left = operand(scanner);
  let previous = '';
  for (;;) {
    scanner.gobbleSpaces();
    const at = scanner.index;
    const found = readOperator(scanner.expr, at);
    if (found === undefined || found.precedence < precedence) return left;
    const { operator, isNegated } = found;
    if (previous === '??' && operator !== '??' && operator !== '|') {
      throw new FormulaFault(`"??" and "${operator}" cannot be mixed`, at, 'add parentheses');
    }
    scanner.index = found.end;
    left = join(scanner, left, found);
    if (isNegated) left = { type: 'UnaryExpression', operator: 'not', argument: left, start: at };
    previous = operator;
  }
}

type Operator = NonNullable<ReturnType<typeof readOperator>>;

function join(scanner: Scanner, left: FormulaNode, found: Operator): FormulaNode {
  const { operator, precedence, isRightAssociative } = found;
  if (operator === '|') return piped(scanner, left);
  const right = expression(scanner, isRightAssociative ? precedence : precedence + 1);
  if (!COMPARISONS.has(operator)) {
    return { type: 'BinaryExpression', operator, left, right, ...startOf(left) };
  }
  const [operands, operators] =
    left.type === 'Comparison' ? [left.operands, left.operators] : [[left], []];
  return {
    type: 'Comparison',
    operands: [...operands, right],
    operators: [...operators, operator],
    ...startOf(left),
  };
}

/** `a | f(b)` is `f(a, b)`. */
function piped(scanner: Scanner, first: FormulaNode): FormulaNode {
  const call = operand(scanner);
  if (call.type !== 'CallExpression') {
    throw new FormulaFault('"|" needs a function after it', call.start ?? scanner.index);
  }
  return { ...call, arguments: [first, ...call.arguments] } satisfies CallNode;
}

function operand(scanner: Scanner): FormulaNode {
  scanner.gobbleSpaces();
  const start = scanner.index;
  const node = scanner.gobbleToken() as unknown as FormulaNode | undefined | false;
  if (!node) return unexpected(scanner);
  return { ...node, start: node.start ?? start };
}

function unaryOf(scanner: Scanner): FormulaNode | undefined {
  const start = scanner.index;
  for (const [operator, precedence] of Object.entries(UNARY)) {
    const isHere = scanner.expr.startsWith(operator, start);
    const isWord = /\w/.test(operator);
    if (!isHere || (isWord && /\w/.test(scanner.expr.charAt(start + operator.length)))) continue;
    scanner.index += operator.length;
    const argument = expression(scanner, precedence);
    return { type: 'UnaryExpression', operator, argument, start };
  }
  return undefined;
}

function primaryOf(scanner: Scanner): FormulaNode | undefined {
  const start = scanner.index;
  const number = take(scanner, NUMBER);
  if (number !== undefined) {
    if (/\w/.test(scanner.char)) unexpected(scanner);
    return { type: 'Literal', value: Number(number.replaceAll('_', '')), start };
  }
  const pointer = take(scanner, POINTER);
  if (pointer !== undefined) {
    return withProperties(scanner, { type: 'Pointer', name: pointer.slice(1), start });
  }
  if (scanner.char === '{') return { type: 'Predicate', body: block(scanner), start };
  if (scanner.char !== '(') return undefined;
  scanner.index += 1;
  const group = expression(scanner, 0);
  expect(scanner, ')');
  // A comparison in parentheses is not continued by one behind them.
  const closed: FormulaNode =
    group.type === 'Comparison'
      ? { type: 'UnaryExpression', operator: '()', argument: group, start }
      : group;
  return withProperties(scanner, closed);
}

function withProperties(scanner: Scanner, node: FormulaNode): FormulaNode {
  return scanner.gobbleTokenProperty(node as unknown as jsep.Expression) as unknown as FormulaNode;
}

function peek(scanner: Scanner, pattern: RegExp): string | undefined {
  scanner.gobbleSpaces();
  pattern.lastIndex = scanner.index;
  return pattern.exec(scanner.expr)?.[0];
}

function take(scanner: Scanner, pattern: RegExp): string | undefined {
  const found = peek(scanner, pattern);
  scanner.index += found?.length ?? 0;
  return found;
}

function expect(scanner: Scanner, text: string): void {
  scanner.gobbleSpaces();
  if (!scanner.expr.startsWith(text, scanner.index)) unexpected(scanner, `"${text}"`);
  scanner.index += text.length;
}

function unexpected(scanner: Scanner, wanted?: string): never {
  scanner.gobbleSpaces();
  const rest = scanner.expr.slice(scanner.index);
  const found =
    rest === '' ? 'the end of the formula' : `"${/^(?:\w+|.)/su.exec(rest)?.[0] ?? ''}"`;
  const cure = wanted === undefined ? undefined : `${wanted} is expected here`;
  throw new FormulaFault(`unexpected ${found}`, scanner.index, cure);
}

function startOf({ start }: FormulaNode): { start?: number } {
  return start === undefined ? {} : { start };
}

function asFault(error: unknown): FormulaFault {
  if (error instanceof FormulaFault) return error;
  const { index, description } = error as { index?: number; description?: string }; // jsep's own errors.
  if (index === undefined || description === undefined) throw error;
  return new FormulaFault(description.charAt(0).toLowerCase() + description.slice(1), index);
}
