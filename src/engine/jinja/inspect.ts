/** Looks into texts of the template language without evaluating them. */
import { didYouMean } from '../../shared/errors.ts';
import type { Position } from '../values.ts';
import type { Statement } from './ast.ts';
import type { TemplateEngine } from './engine.ts';
import { TemplateError } from './errors.ts';
import { located, positionIn, type Source } from './frame.ts';
import { GLOBALS } from './globals.ts';
import { type Mention, mentionsOf } from './mentions.ts';
import { parseExpression, parseTemplate } from './parse-template.ts';
import { FILE_SYNTAX, PLAYBOOK_SYNTAX, type Syntax } from './syntax.ts';
import { parseHeader } from './template-header.ts';
import { templateMentions } from './template-mentions.ts';

/** How a text is read: as a value of a playbook, as a bare expression, or as a template file. */
export type TextKind = 'value' | 'expression' | 'file';

/** Something in a text that cannot be evaluated, or a variable or file that it certainly needs. */
export interface Remark {
  readonly kind: 'syntax' | Mention['kind'];
  /** The name of the filter, test, lookup, variable or file; empty for a syntax error. */
  readonly name: string;
  /** The lookup that wants a file. */
  readonly lookup?: string | undefined;
  readonly message: string;
  readonly hint: string | undefined;
  readonly position: Position | undefined;
  /** Whether the place is reached whenever the text is evaluated. */
  readonly isCertain: boolean;
}

/** What there is to say of a text: names that the engine does not have, and every variable that must be there. */
export function inspect(engine: TemplateEngine, source: Source, kind: TextKind): Remark[] {
  const { position } = source;
  try {
    const { mentions, body } = readMentions(engine, source, kind);
    return mentions.flatMap((mention) => remarkOn(engine, mention, body) ?? []);
  } catch (error) {
    const fault = located(error, source, 0);
    if (!(fault instanceof TemplateError)) throw fault;
    const { message, position: place = position } = fault;
    return [
      { kind: 'syntax', name: '', message, hint: undefined, position: place, isCertain: true },
    ];
  }
}

interface Read {
  readonly mentions: readonly Mention[];
  readonly body: Source;
}

function readMentions(engine: TemplateEngine, source: Source, kind: TextKind): Read {
  const accepts = (what: 'filter' | 'test', name: string) => {
    const callback = what === 'filter' ? engine.filter(name) : engine.test(name);
    return callback === undefined || callback.acceptsUndefined;
  };
  if (kind === 'expression') {
    engine.expression(source.text, 'condition', source.position);
    return { mentions: mentionsOf(parseExpression(source.text, false), accepts), body: source };
  }
  const { body, syntax } =
    kind === 'file' ? fileSource(source) : { body: source, syntax: PLAYBOOK_SYNTAX };
  try {
    return { mentions: templateMentions(parseTemplate(body.text, syntax), accepts), body };
  } catch (error) {
    throw located(error, body, 0);
  }
}

function fileSource({ text, position }: Source): { body: Source; syntax: Syntax } {
  const file = position?.file ?? '';
  const { body, lines, overrides } = parseHeader(text, file);
  const place = { file, line: 1 + lines, column: 1 };
  return { body: { text: body, position: place }, syntax: { ...FILE_SYNTAX, ...overrides } };
}

function remarkOn(engine: TemplateEngine, mention: Mention, source: Source): Remark | undefined {
  const { kind, name, at, isCertain, lookup } = mention;
  if (isThere(engine, mention)) return undefined;
  const isNeed = kind === 'variable' || kind === 'file';
  const hint = isNeed ? undefined : didYouMean(name, namesOf(engine, kind));
  const message = messageOn(mention);
  return { kind, name, lookup, message, hint, isCertain, position: positionIn(source, at) };
}

function messageOn({ kind, name, lookup }: Mention): string {
  if (kind === 'variable') return `'${name}' is undefined`;
  if (kind === 'file') return `the lookup ${lookup}: the file "${name}" was not found`;
  return `there is no ${kind} named "${name}"`;
}

function isThere(engine: TemplateEngine, { kind, name, isCertain }: Mention): boolean {
  if (kind === 'filter') return engine.filter(name) !== undefined;
  if (kind === 'test') return engine.test(name) !== undefined;
  if (kind === 'lookup') return engine.lookup(name) !== undefined;
  if (kind === 'file') return !isCertain;
  return !isCertain || name === 'vars' || GLOBALS.has(name);
}

function namesOf(engine: TemplateEngine, kind: 'filter' | 'test' | 'lookup'): Iterable<string> {
  if (kind === 'lookup') return engine.lookupNames();
  return kind === 'filter' ? engine.filters.keys() : engine.tests.keys();
}

/** A template that another one brings in. */
export interface NamedTemplate {
  readonly name: string;
  readonly position: Position | undefined;
  /** Whether it is needed whenever the other one is rendered. */
  readonly isCertain: boolean;
}

/** The templates that must be there for a template file, by their literal names; none where it cannot be read. */
export function namedTemplates(source: Source): NamedTemplate[] {
  try {
    const { body, syntax } = fileSource(source);
    return namesIn(parseTemplate(body.text, syntax), true).map(({ at, ...named }) => ({
      ...named,
      position: positionIn(body, at),
    }));
  } catch (error) {
    const fault = located(error, source, 0);
    if (fault instanceof TemplateError) return [];
    throw fault;
  }
}

type Include = Extract<Statement, { kind: 'include' }>;
type Name = Omit<NamedTemplate, 'position'> & { readonly at: number };

const BRINGS_IN: ReadonlySet<unknown> = new Set(['include', 'import', 'from', 'extends']);

/** Names in a tree; what stands at its top is certainly reached. */
function namesIn(node: unknown, isTop = false): Name[] {
  if (Array.isArray(node)) return node.flatMap((each) => namesIn(each, isTop));
  if (typeof node !== 'object' || node === null) return [];
  const { kind, template, ignoreMissing } = node as Partial<Include>; // Any node of the tree.
  if (!BRINGS_IN.has(kind)) return Object.values(node).flatMap((each) => namesIn(each));
  if (template?.kind !== 'const' || typeof template.value !== 'string' || ignoreMissing === true)
    return [];
  return [{ name: template.value, at: template.at, isCertain: isTop }];
}
