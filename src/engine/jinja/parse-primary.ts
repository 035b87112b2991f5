import type { Expr } from './ast.ts';
import type { Val } from './objects.ts';
import type { TokenStream } from './token-stream.ts';

/** What reading an operand needs of the parser of whole expressions. */
export interface OperandParser {
  readonly stream: TokenStream;
  expression(): Expr;
  tuple(options: { readonly closer: string }): Expr;
  /** The value of the string, integer or float literal at hand. */
  literal(): Val;
}

const CONSTANTS: ReadonlyMap<string, Val> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

/** Reads a name, a literal, or something in brackets. */
export function parsePrimary(parser: OperandParser): Expr {
  const { type, text, at } = parser.stream.current;
  if (type === 'name') return parseName(parser);
  if (type === 'string') return parseStrings(parser);
  if (type === 'integer' || type === 'float') return { kind: 'const', value: parser.literal(), at };
  if (type !== 'operator') parser.stream.unexpected();
  if (text === '(') return parseParentheses(parser);
  if (text === '[') return parseList(parser);
  return text === '{' ? parseDict(parser) : parser.stream.unexpected();
}

function parseName({ stream }: OperandParser): Expr {
  const { text, at } = stream.next();
  const constant = CONSTANTS.get(text);
  return constant === undefined
    ? { kind: 'name', name: text, at }
    : { kind: 'const', value: constant, at };
}

function parseStrings(parser: OperandParser): Expr {
  const { at } = parser.stream.current;
  let value = '';
  while (parser.stream.at('string')) value += String(parser.literal());
  return { kind: 'const', value, isString: true, at };
}

function parseParentheses(parser: OperandParser): Expr {
  parser.stream.next();
  const inner = parser.tuple({ closer: ')' });
  parser.stream.expectOperator(')');
  return inner;
}

function parseList(parser: OperandParser): Expr {
  const { at } = parser.stream.next();
  const items: Expr[] = [];
  while (!parser.stream.isOperator(']')) {
    if (items.length > 0) parser.stream.expectOperator(',');
    if (!parser.stream.isOperator(']')) items.push(parser.expression());
  }
  parser.stream.next();
  return { kind: 'list', items, at };
}

function parseDict(parser: OperandParser): Expr {
  const { at } = parser.stream.next();
  const members: [Expr, Expr][] = [];
  while (!parser.stream.isOperator('}')) {
    if (members.length > 0) parser.stream.expectOperator(',');
    if (parser.stream.isOperator('}')) break;
    const key = parser.expression();
    parser.stream.expectOperator(':');
    members.push([key, parser.expression()]);
  }
  parser.stream.next();
  return { kind: 'dict', members, at };
}
