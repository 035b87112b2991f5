/** What a text of the template language mentions: filters, tests, lookups, and variables that it certainly needs. */
import { table } from '../../shared/table.ts';
import type { Argument, CallExpr, Expr } from './ast.ts';

/** What is mentioned, where in the text, and whether it is certainly evaluated. */
export interface Mention {
  readonly kind: 'filter' | 'test' | 'lookup' | 'variable' | 'file';
  readonly name: string;
  /** The lookup that wants a file. */
  readonly lookup?: string;
  readonly at: number;
  readonly isCertain: boolean;
}

const LOOKUP_CALLS: ReadonlySet<string> = new Set(['lookup', 'query', 'q']);

/** Whether a filter or test takes undefined values. */
export type AcceptsUndefined = (kind: 'filter' | 'test', name: string) => boolean;

/** Everything that an expression mentions. */
export function mentionsOf(expr: Expr, accepts: AcceptsUndefined): readonly Mention[] {
  const reader = new MentionReader(accepts);
  reader.expression(expr, true);
  return reader.mentions;
}

/** Goes through expressions. */
export class MentionReader {
  readonly mentions: Mention[] = [];
  readonly #accepts: AcceptsUndefined;

  constructor(accepts: AcceptsUndefined) {
    this.#accepts = accepts;
  }

  expression(expr: Expr, isCertain: boolean): void {
    switch (expr.kind) {
      case 'const':
        return;
      case 'name':
        this.#note('variable', expr.name, { at: expr.at, isCertain });
        return;
      case 'filter':
        this.#filter(expr, isCertain);
        return;
      case 'test':
        this.#test(expr, isCertain);
        return;
      case 'call':
        this.#call(expr, isCertain);
        return;
      case 'attr':
        this.expression(expr.object, isCertain);
        return;
      case 'not':
      case 'negative':
      case 'positive':
        this.expression(expr.operand, isCertain);
        return;
      default:
        this.#parts(expr, isCertain);
    }
  }

  #parts(expr: Expr, isCertain: boolean): void {
    switch (expr.kind) {
      case 'item':
        this.expression(expr.object, isCertain);
        this.expression(expr.index, isCertain);
        return;
      case 'slice':
        this.all([expr.start, expr.stop, expr.step], isCertain);
        return;
      case 'concat':
        this.all(expr.items, isCertain);
        return;
      case 'list':
      case 'tuple':
        this.all(expr.items, false);
        return;
      case 'dict':
        this.all(expr.members.flat(), false);
        return;
      case 'binary':
      case 'and':
      case 'or':
        this.expression(expr.left, isCertain);
        this.expression(expr.right, isCertain && expr.kind === 'binary');
        return;
      case 'cond':
        this.expression(expr.test, isCertain);
        this.all([expr.then, expr.otherwise], false);
        return;
      case 'compare':
        this.expression(expr.first, isCertain);
        this.all(
          expr.rest.map(({ operand }) => operand),
          isCertain && expr.rest.length === 1,
        );
    }
  }

  protected all(exprs: readonly (Expr | undefined)[], isCertain: boolean): void {
    for (const expr of exprs) if (expr !== undefined) this.expression(expr, isCertain);
  }

  #arguments(args: readonly Argument[], isCertain: boolean): void {
    this.all(
      args.map(({ value }) => value),
      isCertain,
    );
  }

  #filter(expr: Extract<Expr, { kind: 'filter' }>, isCertain: boolean): void {
    this.#note('filter', expr.name, { at: expr.at, isCertain });
    const needs = isCertain && !this.#accepts('filter', expr.name);
    if (expr.operand !== undefined) this.expression(expr.operand, needs);
    this.#arguments(expr.args, needs);
    this.#named(expr, isCertain);
  }

  /** `map('upper')`, `select('match', …)`: filters and tests that are named by text. */
  #named({ name, args }: Extract<Expr, { kind: 'filter' }>, isCertain: boolean): void {
    const kind = TAKES_NAME[name.replace(/^ansible\.builtin\./, '')];
    const first = args[kind?.[1] ?? 0];
    const isText = first?.name === undefined && first?.spread === undefined;
    if (kind === undefined || !isText || first?.value.kind !== 'const') return;
    const { value, at } = first.value;
    if (typeof value === 'string') this.#note(kind[0], value, { at, isCertain });
  }

  #test(expr: Extract<Expr, { kind: 'test' }>, isCertain: boolean): void {
    this.#note('test', expr.name, { at: expr.at, isCertain });
    const needs = isCertain && !this.#accepts('test', expr.name);
    this.expression(expr.operand, needs);
    this.#arguments(expr.args, needs);
  }

  #call({ callee, args }: CallExpr, isCertain: boolean): void {
    const [first] = args;
    if (callee.kind === 'name' && LOOKUP_CALLS.has(callee.name)) {
      if (first?.value.kind === 'const' && typeof first.value.value === 'string')
        this.#note('lookup', first.value.value, { at: first.value.at, isCertain });
      this.mentions.push(...filesOf(args, isCertain));
      this.#arguments(args.slice(1), false);
      return;
    }
    this.expression(callee, isCertain);
    this.#arguments(args, isCertain);
  }

  #note(kind: Mention['kind'], name: string, where: Pick<Mention, 'at' | 'isCertain'>): void {
    this.mentions.push({ kind, name, ...where });
  }
}

const READS_FILES = /^(?:ansible\.builtin\.)?(file|template|unvault)$/;

/** Files that a lookup needs, by the names that stand there in so many words. */
function filesOf([first, ...terms]: readonly Argument[], isCertain: boolean): Mention[] {
  const written = first?.value.kind === 'const' ? String(first.value.value) : '';
  const lookup = READS_FILES.exec(written)?.[1];
  const mayGoWithout = terms.some(({ name, spread }) => name === 'errors' || spread !== undefined);
  if (lookup === undefined || mayGoWithout) return [];
  return terms
    .filter(({ name }) => name === undefined)
    .flatMap(({ value }) => (value.kind === 'list' ? value.items : [value]))
    .flatMap((term) =>
      term.kind === 'const' && typeof term.value === 'string'
        ? [{ kind: 'file' as const, name: term.value, lookup, at: term.at, isCertain }]
        : [],
    );
}

/** Filters that take the name of another one, or of a test: what it is, and which argument. */
const TAKES_NAME = table<readonly ['filter' | 'test', number]>({
  map: ['filter', 0],
  select: ['test', 0],
  reject: ['test', 0],
  selectattr: ['test', 1],
  rejectattr: ['test', 1],
});
