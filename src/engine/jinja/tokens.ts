import { SyntaxFault } from './errors.ts';

export type TokenType =
  | 'data'
  | 'block-begin'
  | 'block-end'
  | 'variable-begin'
  | 'variable-end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'end';

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  readonly at: number;
}

const SPACE = /\s+/y;
const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const STRING = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;

const RULES: readonly (readonly [TokenType, RegExp])[] = [
  ['float', FLOAT],
  ['integer', INTEGER],
  ['name', NAME],
  ['string', STRING],
  ['operator', OPERATOR],
];

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['}', '{'],
  [')', '('],
  [']', '['],
]);

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Reads the tokens of one expression or tag, up to where `end` matches outside of all brackets. */
export class ExpressionScanner {
  readonly #text: string;
  readonly #open: string[] = [];
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  /** Appends the tokens to `out` and returns the text of the end, or undefined at the end of input. */
  scan(end: RegExp | undefined, out: Token[]): string | undefined {
    while (this.at < this.#text.length) {
      const ending = this.#ending(end);
      if (ending !== undefined) return ending;
      const space = matchAt(SPACE, this.#text, this.at);
      if (space !== undefined) this.at += space.length;
      else out.push(this.#token());
    }
    if (this.#open.length > 0) throw new SyntaxFault(`unclosed "${this.#open.at(-1)}"`, this.at);
    return this.#ending(end);
  }

  #ending(end: RegExp | undefined): string | undefined {
    if (end === undefined || this.#open.length > 0) return undefined;
    const ending = matchAt(end, this.#text, this.at);
    if (ending !== undefined) this.at += ending.length;
    return ending;
  }

  #token(): Token {
    const at = this.at;
    for (const [type, pattern] of RULES) {
      const text = matchAt(pattern, this.#text, at);
      if (text === undefined) continue;
      if (type === 'operator') this.#balance(text);
      this.at += text.length;
      return { type, text, at };
    }
    throw new SyntaxFault(`unexpected character ${JSON.stringify(this.#text[at])}`, at);
  }

  #balance(operator: string): void {
    if ('{(['.includes(operator)) this.#open.push(operator);
    const opening = CLOSING.get(operator);
    if (opening !== undefined && this.#open.pop() !== opening) {
      throw new SyntaxFault(`unexpected "${operator}"`, this.at);
    }
  }
}

/** The tokens of a bare expression, closed by an `end` token. Throws SyntaxFault. */
export function tokenizeExpression(text: string): readonly Token[] {
  const tokens: Token[] = [];
  new ExpressionScanner(text, 0).scan(undefined, tokens);
  tokens.push({ type: 'end', text: 'end of expression', at: text.length });
  return tokens;
}
