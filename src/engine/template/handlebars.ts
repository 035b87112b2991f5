import { createRequire } from 'node:module';
import type Handlebars from 'handlebars';
import { didYouMean } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import type { Dict } from '../values.ts';
import { contextOf } from './context.ts';
import { HELPERS } from './helpers.ts';

export interface HandlebarsOptions {
  /** The template's path, for messages. */
  readonly file: string;
  /** Rendered variables; each is taken only when the template uses it. */
  readonly variables: Dict;
}

type Render = (context: unknown) => string;

const MAX_CACHED = 200;
const cache = new Map<string, Render>();
let engine: typeof Handlebars | undefined;

/**
 * The text of a Handlebars template: strict, without HTML escaping, with the helpers of `helpers.ts`. Nothing
 * but the data's own members can be reached. Throws TemplateError with the place in the template.
 */
export function renderHandlebars(text: string, { file, variables }: HandlebarsOptions): string {
  try {
    return compiled(text)(contextOf(variables));
  } catch (error) {
    throw templateError(error, { file, text, variables });
  }
}

/** What is wrong with the syntax of a Handlebars template. */
export function handlebarsFault(text: string, file: string): TemplateError | undefined {
  try {
    handlebars().parse(text);
    return undefined;
  } catch (error) {
    const fault = templateError(error, { file, text, variables: new Map() });
    if (fault instanceof TemplateError) return fault;
    throw fault;
  }
}

/** Handlebars with our helpers. It takes 40 ms to load, which a run without such templates does not pay. */
function handlebars(): typeof Handlebars {
  engine ??= loadHandlebars();
  return engine;
}

function loadHandlebars(): typeof Handlebars {
  const library: typeof Handlebars = createRequire(import.meta.url)('handlebars');
  const own = library.create();
  own.unregisterHelper('log');
  for (const [name, helper] of Object.entries(HELPERS)) own.registerHelper(name, helper);
  return own;
}

function compiled(text: string): Render {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const template = handlebars().compile(text, { noEscape: true, strict: true });
  const render: Render = (context) =>
    template(context, { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false });
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, render);
  return render;
}

interface Source extends HandlebarsOptions {
  readonly text: string;
}

function templateError(error: unknown, source: Source): Error {
  if (error instanceof TemplateError) return error;
  if (!(error instanceof Error)) return new Error(String(error));
  const syntax = /^Parse error on line (\d+):\n(.*)\n(-*)\^\n.*got '([^']*)'/.exec(error.message);
  if (syntax !== null) return syntaxError(syntax, source, error);
  const [, message = error.message, line, column] =
    /^([\s\S]*?) - (\d+):(\d+)$/.exec(error.message) ?? [];
  const place = { file: source.file, line: Number(line ?? 1), column: Number(column ?? 0) + 1 };
  return new TemplateError(reword(message, source), { position: place, cause: error });
}

function syntaxError(
  [, line = '1', excerpt = '', dashes = '', got = '']: RegExpExecArray,
  { file, text }: Source,
  cause: Error,
): TemplateError {
  const written = text.split('\n')[Number(line) - 1] ?? '';
  const column = columnAfter(written, excerpt.slice(0, dashes.length));
  const message =
    got === 'EOF'
      ? 'the template ends inside a block that is not closed'
      : `the template's syntax is wrong here: unexpected ${got.toLowerCase()}`;
  return new TemplateError(message, { position: { file, line: Number(line), column }, cause });
}

/** The column behind the longest end of `before` that is in the line: the parser shows lines run together. */
function columnAfter(line: string, before: string): number {
  const starts = Array.from({ length: before.length }, (_, i) => before.slice(i));
  const known = starts.find((end) => line.includes(end));
  return known === undefined ? 1 : line.indexOf(known) + known.length + 1;
}

function reword(message: string, { variables }: Source): string {
  const name = /^"([^"]*)" not defined in/.exec(message)?.[1];
  if (name === undefined) return message;
  const hint = didYouMean(name, variables.keys());
  return `"${name}" is not defined${hint === undefined ? '' : ` (${hint})`}`;
}
