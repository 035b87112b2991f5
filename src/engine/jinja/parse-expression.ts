import type {
  Argument,
  BinaryOperator,
  CompareOperator,
  Comparison,
  Expr,
  FilterExpr,
} from './ast.ts';
import { SyntaxFault } from './errors.ts';
import { floatLiteral, integerLiteral, unquote } from './literals.ts';
import type { Val } from './objects.ts';
import { parsePrimary } from './parse-primary.ts';
import type { TokenStream } from './token-stream.ts';

/** Reads expressions with Jinja's grammar and precedences. */
export class ExpressionParser {
  readonly stream: TokenStream;
  readonly literalBackslashes: boolean;

  constructor(stream: TokenStream, literalBackslashes: boolean) {
    this.stream = stream;
    this.literalBackslashes = literalBackslashes;
  }

  /** An expression, without the comma of a tuple. */
  expression(withCondition = true): Expr {
    return this.stream.nested(() => (withCondition ? this.#condition() : this.#or()));
  }

  /** An expression, or a tuple where there are commas. `closer` ends an empty tuple in brackets. */
  tuple({ withCondition = true, closer }: { withCondition?: boolean; closer?: string } = {}): Expr {
    const { at } = this.stream.current;
    const items: Expr[] = [];
    let isTuple = false;
    while (!this.#tupleEnds(closer)) {
      items.push(this.expression(withCondition));
      if (!this.stream.skipOperator(',')) break;
      isTuple = true;
    }
    const [only] = items;
    if (!isTuple && only !== undefined) return only;
    if (!isTuple && closer === undefined) this.stream.unexpected('an expression');
    return { kind: 'tuple', items, at };
  }

  #tupleEnds(closer: string | undefined): boolean {
    const { type } = this.stream.current;
    if (type === 'variable-end' || type === 'block-end' || type === 'end') return true;
    return closer !== undefined && this.stream.isOperator(closer);
  }

  #condition(): Expr {
    const { at } = this.stream.current;
    let then = this.#or();
    while (this.stream.skipName('if')) {
      const test = this.#or();
      const otherwise = this.stream.skipName('else') ? this.expression() : undefined;
      then = { kind: 'cond', test, then, otherwise, at };
    }
    return then;
  }

  #or(): Expr {
    let left = this.#and();
    while (this.stream.isName('or')) {
      const { at } = this.stream.next();
      left = { kind: 'or', left, right: this.#and(), at };
    }
    return left;
  }

  #and(): Expr {
    let left = this.#not();
    while (this.stream.isName('and')) {
      const { at } = this.stream.next();
      left = { kind: 'and', left, right: this.#not(), at };
    }
    return left;
  }

  #not(): Expr {
    if (!this.stream.isName('not')) return this.#compare();
    const { at } = this.stream.next();
    return { kind: 'not', operand: this.stream.nested(() => this.#not()), at };
  }

  #compare(): Expr {
    const { at } = this.stream.current;
    const first = this.#sum();
    const rest: Comparison[] = [];
    for (let operator = this.#compareOperator(); operator; operator = this.#compareOperator()) {
      rest.push({ operator, operand: this.#sum() });
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest, at };
  }

  #compareOperator(): CompareOperator | undefined {
    const { stream } = this;
    for (const operator of ['==', '!=', '<=', '>=', '<', '>'] as const) {
      if (stream.skipOperator(operator)) return operator;
    }
    if (stream.skipName('in')) return 'in';
    const next = stream.peek(1);
    if (!stream.isName('not') || next.type !== 'name' || next.text !== 'in') return undefined;
    stream.next();
    stream.next();
    return 'not in';
  }

  #sum(): Expr {
    return this.#binary(['+', '-'], () => this.#concat());
  }

  #product(): Expr {
    return this.#binary(['*', '/', '//', '%'], () => this.#power());
  }

  #power(): Expr {
    return this.#binary(['**'], () => this.unary());
  }

  #binary(operators: readonly BinaryOperator[], operand: () => Expr): Expr {
    let left = operand();
    for (;;) {
      const { at } = this.stream.current;
      const operator = operators.find((candidate) => this.stream.skipOperator(candidate));
      if (operator === undefined) return left;
      left = { kind: 'binary', operator, left, right: operand(), at };
    }
  }

  #concat(): Expr {
    const { at } = this.stream.current;
    const items = [this.#product()];
    while (this.stream.skipOperator('~')) items.push(this.#product());
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: 'concat', items, at };
  }

  unary(withFilter = true): Expr {
    const { at } = this.stream.current;
    let operand: Expr;
    if (this.stream.skipOperator('-')) operand = this.#signed('negative', at);
    else if (this.stream.skipOperator('+')) operand = this.#signed('positive', at);
    else operand = parsePrimary(this);
    operand = this.postfix(operand);
    return withFilter ? this.filters(operand) : operand;
  }

  #signed(kind: 'negative' | 'positive', at: number): Expr {
    return { kind, operand: this.stream.nested(() => this.unary(false)), at };
  }

  /** Attributes, subscripts and calls after an operand. */
  postfix(operand: Expr): Expr {
    let result = operand;
    for (;;) {
      if (this.stream.isOperator('.')) result = this.#attribute(result);
      else if (this.stream.isOperator('[')) result = this.#subscript(result);
      else if (this.stream.isOperator('(')) result = this.#call(result);
      else return result;
    }
  }

  #attribute(object: Expr): Expr {
    const { at } = this.stream.next();
    const token = this.stream.next();
    if (token.type === 'name') return { kind: 'attr', object, name: token.text, at };
    if (token.type !== 'integer') this.stream.unexpected('a name or a number after the dot');
    const index: Expr = { kind: 'const', value: integerLiteral(token.text), at: token.at };
    return { kind: 'item', object, index, at };
  }

  #subscript(object: Expr): Expr {
    const { at } = this.stream.next();
    const items: Expr[] = [];
    while (!this.stream.isOperator(']')) {
      if (items.length > 0) this.stream.expectOperator(',');
      items.push(this.#subscriptItem());
    }
    this.stream.next();
    const [only] = items;
    const index: Expr =
      items.length === 1 && only !== undefined ? only : { kind: 'tuple', items, at };
    return { kind: 'item', object, index, at };
  }

  #subscriptItem(): Expr {
    const { at } = this.stream.current;
    const start = this.stream.isOperator(':') ? undefined : this.expression();
    if (!this.stream.skipOperator(':')) return start ?? this.stream.unexpected();
    const stop = this.#sliceBound();
    const step = this.stream.skipOperator(':') ? this.#sliceBound() : undefined;
    return { kind: 'slice', start, stop, step, at };
  }

  #sliceBound(): Expr | undefined {
    const ends = [']', ',', ':'].some((operator) => this.stream.isOperator(operator));
    return ends ? undefined : this.expression();
  }

  #call(callee: Expr): Expr {
    const { at } = this.stream.current;
    return { kind: 'call', callee, args: this.arguments(), at };
  }

  /** The arguments of a call, with their parentheses. */
  arguments(): readonly Argument[] {
    this.stream.expectOperator('(');
    const args: Argument[] = [];
    while (!this.stream.isOperator(')')) {
      if (args.length > 0) this.stream.expectOperator(',');
      if (this.stream.isOperator(')')) break;
      args.push(this.#argument(args));
    }
    this.stream.next();
    return args;
  }

  #argument(before: readonly Argument[]): Argument {
    if (this.stream.skipOperator('**')) return { spread: '**', value: this.expression() };
    if (this.stream.skipOperator('*')) return { spread: '*', value: this.expression() };
    const next = this.stream.peek(1);
    if (this.stream.at('name') && next.type === 'operator' && next.text === '=') {
      const { text: name, at } = this.stream.next();
      if (before.some((each) => each.name === name))
        throw new SyntaxFault(`the argument "${name}" is given twice`, at);
      this.stream.next();
      return { name, value: this.expression() };
    }
    if (before.some(({ name }) => name !== undefined)) {
      this.stream.unexpected('a keyword argument after keyword arguments');
    }
    return { value: this.expression() };
  }

  /** Filters, tests and calls after an operand. */
  filters(operand: Expr): Expr {
    let result = operand;
    for (;;) {
      if (this.stream.isOperator('|')) result = this.#filter(result);
      else if (this.stream.isName('is')) result = this.#test(result);
      else if (this.stream.isOperator('(')) result = this.#call(result);
      else return result;
    }
  }

  #filter(operand: Expr): Expr {
    this.stream.next();
    return this.filterCall(operand);
  }

  /** The name and the arguments of one filter, after its bar. */
  filterCall(operand: Expr | undefined): FilterExpr {
    const { at } = this.stream.current;
    const name = this.#dottedName();
    const args = this.stream.isOperator('(') ? this.arguments() : [];
    return { kind: 'filter', name, operand, args, at };
  }

  #dottedName(): string {
    let name = this.stream.expect('name').text;
    while (this.stream.skipOperator('.')) name += `.${this.stream.expect('name').text}`;
    return name;
  }

  #test(operand: Expr): Expr {
    const { at } = this.stream.next();
    const negated = this.stream.skipName('not');
    const name = this.#dottedName();
    const test: Expr = { kind: 'test', name, operand, args: this.#testArguments(), at };
    return negated ? { kind: 'not', operand: test, at } : test;
  }

  #testArguments(): readonly Argument[] {
    if (this.stream.isOperator('(')) return this.arguments();
    if (!this.#startsArgument()) return [];
    if (this.stream.isName('is')) this.stream.unexpected('no second test without parentheses');
    return [{ value: this.postfix(parsePrimary(this)) }];
  }

  #startsArgument(): boolean {
    const { type, text } = this.stream.current;
    if (type === 'name') return !['else', 'or', 'and'].includes(text);
    if (type === 'operator') return text === '[' || text === '{';
    return type === 'string' || type === 'integer' || type === 'float';
  }

  /** The value of the string, integer or float literal at hand. */
  literal(): Val {
    const { type, text, at } = this.stream.next();
    if (type === 'integer') return integerLiteral(text);
    if (type === 'float') return floatLiteral(text);
    return unquote(text, this.literalBackslashes, at);
  }
}
