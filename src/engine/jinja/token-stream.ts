import { SyntaxFault } from './errors.ts';
import type { Token, TokenType } from './tokens.ts';

/** Deeper nesting than this is refused, long before the stack would end. */
const MAX_NESTING = 100;

/** The tokens of a template with a place to read at. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  #index = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.peek(0);
  }

  peek(distance: number): Token {
    const last = this.#tokens.length - 1;
    return this.#tokens[Math.min(this.#index + distance, last)] ?? { type: 'end', text: '', at: 0 };
  }

  next(): Token {
    const token = this.current;
    this.#index += 1;
    return token;
  }

  /** Whether the current token is of that type and, where given, has that text. */
  at(type: TokenType, text?: string): boolean {
    const token = this.current;
    return token.type === type && (text === undefined || token.text === text);
  }

  isOperator(text: string): boolean {
    return this.at('operator', text);
  }

  isName(text: string): boolean {
    return this.at('name', text);
  }

  /** Reads the token if it is the one described, and says whether it was. */
  skip(type: TokenType, text?: string): boolean {
    const found = this.at(type, text);
    if (found) this.#index += 1;
    return found;
  }

  skipOperator(text: string): boolean {
    return this.skip('operator', text);
  }

  skipName(text: string): boolean {
    return this.skip('name', text);
  }

  expect(type: TokenType, text?: string): Token {
    if (!this.at(type, text)) this.unexpected(text === undefined ? type : `"${text}"`);
    return this.next();
  }

  expectOperator(text: string): Token {
    return this.expect('operator', text);
  }

  unexpected(wanted?: string): never {
    const expected = wanted === undefined ? '' : `, expected ${wanted}`;
    throw new SyntaxFault(`unexpected ${describe(this.current)}${expected}`, this.current.at);
  }

  /** Runs a part of the parser one level deeper. Throws SyntaxFault where the nesting has no end. */
  nested<T>(parse: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) {
      throw new SyntaxFault(`more than ${MAX_NESTING} levels of nesting`, this.current.at);
    }
    const result = parse();
    this.#nesting -= 1;
    return result;
  }
}

function describe(token: Token): string {
  if (token.type === 'end') return token.text;
  if (token.type === 'data') return 'text';
  return JSON.stringify(token.text.trim());
}
