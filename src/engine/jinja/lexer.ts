import { SyntaxFault } from './errors.ts';
import type { Syntax } from './syntax.ts';
import { ExpressionScanner, type Token } from './tokens.ts';

interface Rules {
  readonly opening: RegExp;
  readonly rawBegin: RegExp;
  readonly rawEnd: RegExp;
  readonly commentEnd: RegExp;
  readonly blockEnd: RegExp;
  readonly variableEnd: RegExp;
  readonly lineEnd: RegExp;
}

const rulesOf = new WeakMap<Syntax, Rules>();

function rulesFor(syntax: Syntax): Rules {
  const known = rulesOf.get(syntax);
  if (known !== undefined) return known;
  const rules = makeRules(syntax);
  rulesOf.set(syntax, rules);
  return rules;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function makeRules(syntax: Syntax): Rules {
  const newline = syntax.trimBlocks ? '\\n?' : '';
  const block = escaped(syntax.blockEnd);
  const comment = escaped(syntax.commentEnd);
  const variable = escaped(syntax.variableEnd);
  const start = escaped(syntax.blockStart);
  const blockClose = `(?:\\+${block}|-${block}\\s*|${block}${newline})`;
  return {
    opening: new RegExp(openings(syntax).join('|'), 'gm'),
    rawBegin: new RegExp(`${start}[-+]?\\s*raw\\s*(?:-${block}\\s*|${block})`, 'y'),
    rawEnd: new RegExp(`${start}([-+]?)\\s*endraw\\s*${blockClose}`, 'g'),
    commentEnd: new RegExp(`(?:\\+${comment}|-${comment}\\s*|${comment}${newline})`, 'g'),
    blockEnd: new RegExp(blockClose, 'y'),
    variableEnd: new RegExp(`-${variable}\\s*|${variable}`, 'y'),
    lineEnd: /[^\S\n]*(?:\n|$)/y,
  };
}

function openings(syntax: Syntax): readonly string[] {
  const marks: (readonly [string, string])[] = [
    ['block', syntax.blockStart],
    ['variable', syntax.variableStart],
    ['comment', syntax.commentStart],
  ];
  marks.sort((a, b) => b[1].length - a[1].length);
  const tags = marks.map(([kind, text]) => `(?<${kind}>${escaped(text)}[-+]?)`);
  const { lineStatementPrefix: statement, lineCommentPrefix: comment } = syntax;
  if (statement) tags.unshift(`(?<line>^[ \\t\\v]*${escaped(statement)}[-+]?)`);
  if (comment) tags.unshift(`(?<note>(?:^|(?<=\\S))[^\\S\\r\\n]*${escaped(comment)}.*)`);
  return tags;
}

/** Splits a template into data and the tokens of its tags. Throws SyntaxFault. */
export function tokenizeTemplate(source: string, syntax: Syntax): readonly Token[] {
  return new TemplateLexer(source, syntax).run();
}

class TemplateLexer {
  readonly #text: string;
  readonly #syntax: Syntax;
  readonly #rules: Rules;
  readonly #tokens: Token[] = [];
  #at = 0;
  #lineStarting = true;

  constructor(source: string, syntax: Syntax) {
    const text = source.replace(/\r\n|\r/g, '\n');
    this.#text = !syntax.keepTrailingNewline && text.endsWith('\n') ? text.slice(0, -1) : text;
    this.#syntax = syntax;
    this.#rules = rulesFor(syntax);
  }

  run(): readonly Token[] {
    let opening = this.#nextOpening();
    while (opening !== null) {
      this.#tag(opening);
      opening = this.#nextOpening();
    }
    this.#data(this.#text.slice(this.#at), this.#at);
    this.#tokens.push({ type: 'end', text: 'end of template', at: this.#text.length });
    return this.#tokens;
  }

  #nextOpening(): RegExpExecArray | null {
    this.#rules.opening.lastIndex = this.#at;
    return this.#rules.opening.exec(this.#text);
  }

  #tag(opening: RegExpExecArray): void {
    const kind = Object.entries(opening.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    this.#data(this.#before(opening, kind), this.#at);
    const after = opening.index + opening[0].length;
    if (kind === 'comment') this.#comment(after);
    else if (kind === 'note') this.#at = after;
    else if (kind === 'block' && this.#raw(opening.index)) return;
    else this.#expression(kind ?? '', opening.index, after);
    this.#lineStarting = this.#text[this.#at - 1] === '\n';
  }

  /** The data before a tag, with the whitespace removed that the tag asks for. */
  #before(opening: RegExpExecArray, kind: string | undefined): string {
    const data = this.#text.slice(this.#at, opening.index);
    const sign = opening[0].at(-1);
    if (sign === '-') return data.trimEnd();
    if (sign === '+' || kind === 'variable' || !this.#syntax.lstripBlocks) return data;
    const lineStart = data.lastIndexOf('\n') + 1;
    const blank = (lineStart > 0 || this.#lineStarting) && /^\s*$/.test(data.slice(lineStart));
    return blank ? data.slice(0, lineStart) : data;
  }

  #data(text: string, at: number): void {
    if (text !== '') this.#tokens.push(this.#withNewlines({ type: 'data', text, at }));
  }

  /** The lines of data and of string literals end as the template's syntax says. */
  #withNewlines(token: Token): Token {
    const { newlineSequence } = this.#syntax;
    if (newlineSequence === '\n' || !['data', 'string'].includes(token.type)) return token;
    return { ...token, text: token.text.replaceAll('\n', newlineSequence) };
  }

  #comment(after: number): void {
    const end = this.#find(this.#rules.commentEnd, after);
    if (end === null) throw new SyntaxFault('the comment is not closed', after);
    this.#at = end.index + end[0].length;
  }

  #find(pattern: RegExp, from: number): RegExpExecArray | null {
    pattern.lastIndex = from;
    return pattern.exec(this.#text);
  }

  #raw(start: number): boolean {
    const begin = this.#find(this.#rules.rawBegin, start);
    if (begin === null) return false;
    const from = start + begin[0].length;
    const end = this.#find(this.#rules.rawEnd, from);
    if (end === null) throw new SyntaxFault('the raw block is not closed', start);
    const data = this.#text.slice(from, end.index);
    this.#data(end[1] === '-' ? data.trimEnd() : data, from);
    this.#at = end.index + end[0].length;
    return true;
  }

  #expression(kind: string, start: number, after: number): void {
    const type = kind === 'variable' ? 'variable' : 'block';
    this.#tokens.push({ type: `${type}-begin`, text: this.#text.slice(start, after), at: start });
    const scanner = new ExpressionScanner(this.#text, after);
    const tokens: Token[] = [];
    const ending = scanner.scan(this.#endOf(kind), tokens);
    for (const token of tokens) this.#tokens.push(this.#withNewlines(token));
    if (ending === undefined) throw new SyntaxFault('unexpected end of template', scanner.at);
    this.#at = scanner.at;
    this.#tokens.push({ type: `${type}-end`, text: ending, at: scanner.at - ending.length });
  }

  #endOf(kind: string): RegExp {
    if (kind === 'line') return this.#rules.lineEnd;
    return kind === 'variable' ? this.#rules.variableEnd : this.#rules.blockEnd;
  }
}
