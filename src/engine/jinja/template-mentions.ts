/** What a template mentions, without the names that it defines itself. */
import type { ForStatement, Statement, Target } from './ast.ts';
import { type AcceptsUndefined, type Mention, MentionReader } from './mentions.ts';

/** Everything that a template mentions, without the names that it defines itself. */
export function templateMentions(
  statements: readonly Statement[],
  accepts: AcceptsUndefined,
): readonly Mention[] {
  const reader = new TemplateReader(accepts);
  reader.statements(statements, true);
  return reader.mentions.filter(({ kind, name }) => kind !== 'variable' || !reader.own.has(name));
}

class TemplateReader extends MentionReader {
  /** Names that the template defines, wherever. */
  readonly own = new Set(['loop', 'self', 'super', 'caller', 'varargs', 'kwargs']);

  statements(statements: readonly Statement[], isCertain: boolean): void {
    // What a template inherits defines names that are not known here.
    const extendsOther = statements.some(({ kind }) => kind === 'extends');
    for (const statement of statements) this.#statement(statement, isCertain && !extendsOther);
  }

  #statement(statement: Statement, isCertain: boolean): void {
    switch (statement.kind) {
      case 'data':
        return;
      case 'output':
        this.expression(statement.value, isCertain);
        return;
      case 'group':
        this.statements(statement.body, isCertain);
        return;
      case 'block':
        this.statements(statement.body, isCertain && !statement.scoped);
        return;
      case 'filter-block':
        this.expression(statement.filter, isCertain);
        this.statements(statement.body, isCertain);
        return;
      case 'if':
        statement.branches.forEach(({ test, body }, i) => {
          this.expression(test, isCertain && i === 0);
          this.statements(body, false);
        });
        this.statements(statement.otherwise, false);
        return;
      case 'for':
        this.#for(statement, isCertain);
        return;
      default:
        this.#definition(statement, isCertain);
    }
  }

  #for({ target, iterable, filter, body, otherwise }: ForStatement, isCertain: boolean): void {
    this.#define(target);
    this.expression(iterable, isCertain);
    this.all([filter], false);
    this.statements(body, false);
    this.statements(otherwise, false);
  }

  #definition(statement: Statement, isCertain: boolean): void {
    switch (statement.kind) {
      case 'set':
        this.#define(statement.target);
        this.expression(statement.value, false);
        return;
      case 'set-block':
        this.#define(statement.target);
        this.statements(statement.body, false);
        return;
      case 'with':
        for (const [target, value] of statement.assignments) {
          this.#define(target);
          this.expression(value, false);
        }
        this.statements(statement.body, isCertain);
        return;
      case 'macro':
        this.#macro(statement);
        return;
      case 'call-block':
        this.expression(statement.call, false);
        this.#macro(statement.caller);
        return;
      case 'import':
        this.own.add(statement.alias);
        return;
      case 'from':
        for (const { alias } of statement.names) this.own.add(alias);
        return;
    }
  }

  #macro({ name, parameters, body }: Extract<Statement, { kind: 'macro' }>): void {
    this.own.add(name);
    for (const { name: parameter, fallback } of parameters) {
      this.own.add(parameter);
      this.all([fallback], false);
    }
    this.statements(body, false);
  }

  #define(target: Target): void {
    if (target.kind === 'name') this.own.add(target.name);
    else if (target.kind === 'tuple') for (const item of target.items) this.#define(item);
  }
}
