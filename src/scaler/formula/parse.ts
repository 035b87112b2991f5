/** Parses formulas: jsep moves through the text and reads texts in quotes; the grammar is that of expr. */
import jsep from 'jsep';
import { FormulaFault } from './formula-error.ts';
import { COMPARISONS, readOperator, UNARY } from './precedence.ts';
import { primaryOf } from './primary.ts';
import { expect, peek, type Scanner, startOf, take, unexpected } from './scanner.ts';
import type { CallNode, FormulaNode } from './syntax.ts';

/** Far beyond what people write; it bounds the recursion of everything that walks the tree. */
const MAX_LENGTH = 4096;
const MAX_DEPTH = 64;
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const WORD = /[A-Za-z_]\w*/y;
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
  const node = unaryOf(this) ?? primaryOf(this, READS);
  if (node !== undefined) env.node = node as unknown as jsep.Expression;
});

const READS = { expression: (scanner: Scanner) => expression(scanner, 0), sequence };

/** Expressions between `;`, of which the last one counts. */
function sequence(scanner: Scanner): FormulaNode {
  const first = expression(scanner, 0);
  if (take(scanner, /;/y) === undefined) return first;
  return { type: 'Sequence', first, last: sequence(scanner), ...startOf(first) };
}

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
  return { type: 'Let', name, value, body: sequence(scanner), start };
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
  const body = sequence(scanner);
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

function asFault(error: unknown): FormulaFault {
  if (error instanceof FormulaFault) return error;
  const { index, description } = error as { index?: number; description?: string }; // jsep's own errors.
  if (index === undefined || description === undefined) throw error;
  return new FormulaFault(description.charAt(0).toLowerCase() + description.slice(1), index);
}
