/** The operators of formulas and how tightly they bind, as expr has them. */

/** Operators before an operand; what follows them binds at least so tightly. */
export const UNARY: Readonly<Record<string, number>> = { not: 50, '!': 50, '-': 90, '+': 90 };

const BINARY: Readonly<Record<string, number>> = {
  '|': 0,
  or: 10,
  '||': 10,
  and: 15,
  '&&': 15,
  '==': 20,
  '!=': 20,
  '<': 20,
  '>': 20,
  '<=': 20,
  '>=': 20,
  in: 20,
  contains: 20,
  startsWith: 20,
  endsWith: 20,
  matches: 20,
  '..': 25,
  '+': 30,
  '-': 30,
  '*': 60,
  '/': 60,
  '%': 60,
  '**': 100,
  '^': 100,
  '??': 500,
};
const RIGHT_ASSOCIATIVE = new Set(['**', '^']);
/** May stand in a row: `1 < a < 9`. */
export const COMPARISONS: ReadonlySet<string> = new Set(['<', '>', '<=', '>=']);
/** May have `not` before them: `a not in b`. */
const NEGATABLE = new Set(['in', 'contains', 'startsWith', 'endsWith', 'matches']);
const SYMBOL = /\?\?|\*\*|\.\.|&&|\|\||==|!=|<=|>=|[-+*/%^<>|]/y;
const WORD = /[A-Za-z]\w*/y;
const NOT = /not\s+/y;

/** An operator between two operands, as it is written at an offset. */
export function readOperator(text: string, offset: number) {
  const isNegated = matchAt(NOT, text, offset) !== undefined;
  const start = isNegated ? NOT.lastIndex : offset;
  const operator = matchAt(SYMBOL, text, start) ?? matchAt(WORD, text, start) ?? '';
  if (!Object.hasOwn(BINARY, operator) || (isNegated && !NEGATABLE.has(operator))) return undefined;
  return {
    operator,
    isNegated,
    precedence: BINARY[operator] ?? 0,
    isRightAssociative: RIGHT_ASSOCIATIVE.has(operator),
    end: start + operator.length,
  };
}

function matchAt(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}
