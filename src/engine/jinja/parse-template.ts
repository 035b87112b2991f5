import type { Expr, ImportName, MacroStatement, Parameter, Statement, Target } from './ast.ts';
import { SyntaxFault } from './errors.ts';
import { tokenizeTemplate } from './lexer.ts';
import { ExpressionParser } from './parse-expression.ts';
import { parseSingleTarget, parseTarget } from './parse-target.ts';
import type { Syntax } from './syntax.ts';
import { TokenStream } from './token-stream.ts';
import { tokenizeExpression } from './tokens.ts';

/** The syntax tree of a bare expression. Throws SyntaxFault. */
export function parseExpression(text: string, literalBackslashes: boolean): Expr {
  const stream = new TokenStream(tokenizeExpression(text));
  const expression = new ExpressionParser(stream, literalBackslashes).expression();
  if (!stream.at('end')) stream.unexpected('end of expression');
  return expression;
}

/** The statements of a template. Throws SyntaxFault. */
export function parseTemplate(source: string, syntax: Syntax): readonly Statement[] {
  return new TemplateParser(source, syntax).run();
}

class TemplateParser {
  readonly #stream: TokenStream;
  readonly #expressions: ExpressionParser;
  readonly #blockNames = new Set<string>();

  constructor(source: string, syntax: Syntax) {
    this.#stream = new TokenStream(tokenizeTemplate(source, syntax));
    this.#expressions = new ExpressionParser(this.#stream, syntax.literalBackslashes);
  }

  run(): readonly Statement[] {
    const body = this.#body([]);
    if (!this.#stream.at('end')) this.#stream.unexpected();
    return body;
  }

  /** Statements up to a tag of one of these names, whose begin and name are consumed. */
  #body(endings: readonly string[]): readonly Statement[] {
    const body: Statement[] = [];
    for (;;) {
      const { type, text, at } = this.#stream.current;
      if (type === 'end') return this.#endOfInput(endings, body);
      this.#stream.next();
      if (type === 'data') body.push({ kind: 'data', text, at });
      else if (type === 'variable-begin') body.push(this.#output(at));
      else if (endings.includes(this.#stream.current.text)) return body;
      else body.push(this.#stream.nested(() => this.#statement()));
    }
  }

  #endOfInput(endings: readonly string[], body: readonly Statement[]): readonly Statement[] {
    const missing = endings.at(-1);
    if (missing === undefined) return body;
    throw new SyntaxFault(
      `unexpected end of template, {% ${missing} %} is missing`,
      this.#stream.current.at,
    );
  }

  #output(at: number): Statement {
    const value = this.#expressions.tuple();
    this.#stream.expect('variable-end');
    return { kind: 'output', value, at };
  }

  #statement(): Statement {
    const { text, at } = this.#stream.current;
    const parse = this.#stream.at('name') ? this.#parsers.get(text) : undefined;
    if (parse === undefined) throw new SyntaxFault(`unknown tag "${text.trim()}"`, at);
    this.#stream.next();
    return parse(at);
  }

  readonly #parsers: ReadonlyMap<string, (at: number) => Statement> = new Map([
    ['if', (at: number) => this.#if(at)],
    ['for', (at: number) => this.#for(at)],
    ['set', (at: number) => this.#set(at)],
    ['with', (at: number) => this.#with(at)],
    ['macro', (at: number) => this.#macro(at)],
    ['call', (at: number) => this.#callBlock(at)],
    ['filter', (at: number) => this.#filterBlock(at)],
    ['block', (at: number) => this.#block(at)],
    ['extends', (at: number) => this.#extends(at)],
    ['include', (at: number) => this.#include(at)],
    ['import', (at: number) => this.#import(at)],
    ['from', (at: number) => this.#from(at)],
    ['print', (at: number) => this.#print(at)],
    ['autoescape', (at: number) => this.#autoescape(at)],
  ]);

  #closeTag(): void {
    this.#stream.expect('block-end');
  }

  /** A body closed by one end tag, which is consumed. */
  #closedBody(end: string): readonly Statement[] {
    this.#closeTag();
    const body = this.#body([end]);
    this.#stream.next();
    return body;
  }

  #if(at: number): Statement {
    const branches: { test: Expr; body: readonly Statement[] }[] = [];
    for (;;) {
      const test = this.#expressions.tuple({ withCondition: false });
      this.#closeTag();
      branches.push({ test, body: this.#body(['elif', 'else', 'endif']) });
      const ending = this.#stream.next().text;
      if (ending === 'elif') continue;
      const otherwise = ending === 'else' ? this.#closedBody('endif') : [];
      this.#closeTag();
      return { kind: 'if', branches, otherwise, at };
    }
  }

  #for(at: number): Statement {
    const target = parseTarget(this.#stream);
    this.#stream.expect('name', 'in');
    const iterable = this.#expressions.tuple({ withCondition: false });
    const filter = this.#stream.skipName('if') ? this.#expressions.expression() : undefined;
    const recursive = this.#stream.skipName('recursive');
    this.#closeTag();
    const body = this.#body(['endfor', 'else']);
    const otherwise = this.#stream.next().text === 'else' ? this.#closedBody('endfor') : [];
    this.#closeTag();
    return { kind: 'for', target, iterable, filter, recursive, body, otherwise, at };
  }

  #set(at: number): Statement {
    const target = parseTarget(this.#stream);
    if (this.#stream.skipOperator('=')) {
      const value = this.#expressions.tuple();
      this.#closeTag();
      return { kind: 'set', target, value, at };
    }
    const filter = this.#stream.isOperator('|') ? this.#filterChain() : undefined;
    const body = this.#closedBody('endset');
    this.#closeTag();
    return { kind: 'set-block', target, filter, body, at };
  }

  #filterChain(): Expr {
    this.#stream.skipOperator('|');
    let chain: Expr = this.#expressions.filterCall(undefined);
    while (this.#stream.skipOperator('|')) chain = this.#expressions.filterCall(chain);
    return chain;
  }

  #with(at: number): Statement {
    const assignments: [Target, Expr][] = [];
    while (!this.#stream.at('block-end')) {
      if (assignments.length > 0) this.#stream.expectOperator(',');
      const target = parseSingleTarget(this.#stream);
      this.#stream.expectOperator('=');
      assignments.push([target, this.#expressions.expression()]);
    }
    const body = this.#closedBody('endwith');
    this.#closeTag();
    return { kind: 'with', assignments, body, at };
  }

  #macro(at: number): MacroStatement {
    const name = this.#stream.expect('name').text;
    const parameters = this.#parameters();
    const body = this.#closedBody('endmacro');
    this.#closeTag();
    return { kind: 'macro', name, parameters, body, at };
  }

  #parameters(): readonly Parameter[] {
    const parameters: Parameter[] = [];
    this.#stream.expectOperator('(');
    while (!this.#stream.isOperator(')')) {
      if (parameters.length > 0) this.#stream.expectOperator(',');
      const { text, at } = this.#stream.expect('name');
      const fallback = this.#stream.skipOperator('=') ? this.#expressions.expression() : undefined;
      if (fallback === undefined && parameters.at(-1)?.fallback !== undefined) {
        throw new SyntaxFault(
          `parameter "${text}" without a default follows one with a default`,
          at,
        );
      }
      parameters.push({ name: text, fallback });
    }
    this.#stream.next();
    return parameters;
  }

  #callBlock(at: number): Statement {
    const parameters = this.#stream.isOperator('(') ? this.#parameters() : [];
    const call = this.#expressions.expression();
    if (call.kind !== 'call') throw new SyntaxFault('{% call %} expects a call', at);
    const body = this.#closedBody('endcall');
    this.#closeTag();
    return {
      kind: 'call-block',
      call,
      caller: { kind: 'macro', name: 'caller', parameters, body, at },
      at,
    };
  }

  #filterBlock(at: number): Statement {
    const filter = this.#filterChain();
    const body = this.#closedBody('endfilter');
    this.#closeTag();
    return { kind: 'filter-block', filter, body, at };
  }

  #block(at: number): Statement {
    const name = this.#stream.expect('name').text;
    if (this.#blockNames.has(name)) throw new SyntaxFault(`block "${name}" is defined twice`, at);
    this.#blockNames.add(name);
    const scoped = this.#stream.skipName('scoped');
    const required = this.#stream.skipName('required');
    const body = this.#closedBody('endblock');
    this.#stream.skipName(name);
    this.#closeTag();
    return { kind: 'block', name, scoped, required, body, at };
  }

  #extends(at: number): Statement {
    const template = this.#expressions.expression();
    this.#closeTag();
    return { kind: 'extends', template, at };
  }

  #include(at: number): Statement {
    const template = this.#expressions.expression();
    const missing = this.#stream.isName('ignore') && this.#stream.peek(1).text === 'missing';
    if (missing) {
      this.#stream.next();
      this.#stream.next();
    }
    const withContext = this.#context(true);
    this.#closeTag();
    return { kind: 'include', template, ignoreMissing: missing, withContext, at };
  }

  #context(fallback: boolean): boolean {
    const { text } = this.#stream.current;
    const applies = text === 'with' || text === 'without';
    if (!applies || this.#stream.peek(1).text !== 'context') return fallback;
    this.#stream.next();
    this.#stream.next();
    return text === 'with';
  }

  #import(at: number): Statement {
    const template = this.#expressions.expression();
    this.#stream.expect('name', 'as');
    const alias = this.#stream.expect('name').text;
    const withContext = this.#context(false);
    this.#closeTag();
    return { kind: 'import', template, alias, withContext, at };
  }

  #from(at: number): Statement {
    const template = this.#expressions.expression();
    this.#stream.expect('name', 'import');
    const names: ImportName[] = [];
    while (!this.#stream.at('block-end') && !/^with(?:out)?$/.test(this.#stream.current.text)) {
      names.push(this.#importName());
      if (!this.#stream.skipOperator(',')) break;
    }
    if (names.length === 0) this.#stream.unexpected('a name to import');
    const withContext = this.#context(false);
    this.#closeTag();
    return { kind: 'from', template, names, withContext, at };
  }

  #importName(): ImportName {
    const { text: name, at } = this.#stream.expect('name');
    if (name.startsWith('_'))
      throw new SyntaxFault(`"${name}" is private and cannot be imported`, at);
    const alias = this.#stream.skipName('as') ? this.#stream.expect('name').text : name;
    return { name, alias };
  }

  #print(at: number): Statement {
    const value = this.#expressions.tuple();
    this.#closeTag();
    return { kind: 'output', value, at };
  }

  #autoescape(at: number): Statement {
    this.#expressions.expression();
    const body = this.#closedBody('endautoescape');
    this.#closeTag();
    return { kind: 'group', body, at };
  }
}
