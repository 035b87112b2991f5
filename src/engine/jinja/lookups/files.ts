import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Budget } from '../budget.ts';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { listFiles } from '../glob.ts';
import { iterate, requireMap } from '../iterate.ts';
import { isNumber } from '../numbers.ts';
import { isList, isMap, isText, type Runtime, type Val, type ValMap } from '../objects.ts';
import { candidates, findFile, readBytes } from '../search.ts';
import type { Syntax } from '../syntax.ts';
import { SYNTAX_OPTIONS } from '../template-header.ts';
import { requireText, textOf } from '../text.ts';
import { flagOf, stringsOf } from './option-types.ts';

const IMPURE = { impure: true };

/** The path of a file that must exist. */
export function locate(runtime: Runtime, term: Val, subdirectory: string): string {
  const name = requireText(term, 'the name of a file');
  const path = findFile(runtime, name, subdirectory);
  if (path === undefined)
    throw new TemplateError(`file "${name}" is not found in ${runtime.searchText()}`);
  return path;
}

/** A file's text. */
export function readText(runtime: Runtime, path: string): string {
  return readBytes(runtime, path).toString('utf8');
}

function file(runtime: Runtime, terms: Val, rstrip: Val, lstrip: Val): Val {
  return iterate(terms, runtime).map((term) => {
    const text = readText(runtime, locate(runtime, term, 'files'));
    const left = flagOf(lstrip, false) ? text.trimStart() : text;
    return flagOf(rstrip, true) ? left.trimEnd() : left;
  });
}

function fileGlob(runtime: Runtime, terms: Val): Val {
  return iterate(terms, runtime).flatMap((term) => {
    const pattern = requireText(term, 'a pattern of files');
    for (const place of candidates(runtime, pattern, 'files')) {
      const found = existsSync(dirname(place)) ? listFiles(place) : [];
      if (found.length > 0) return found;
    }
    return [];
  });
}

interface Search {
  readonly names: readonly string[];
  readonly skip: boolean;
}

/** Names in lists of texts, apart by any of some characters. */
function namesIn(runtime: Runtime, texts: readonly Val[], separators: RegExp): readonly string[] {
  return flatTerms(texts, runtime).flatMap((text) =>
    text === null
      ? []
      : textOf(text)
          .split(separators)
          .filter((name) => name !== ''),
  );
}

function searchFor(runtime: Runtime, term: Val, options: ValMap): Search {
  if (!isMap(term) && !isText(term))
    throw new TemplateError('a term of first_found is a string, a dict or a list');
  // The options of a dict stand in place of those of the lookup.
  const given = isMap(term) ? term : options;
  const listed = stringsOf(given.get('files') ?? [], 'files of first_found');
  const files = namesIn(runtime, isMap(term) ? listed : [term], /[,;]/);
  const places = stringsOf(given.get('paths') ?? [], 'paths of first_found');
  for (const place of flatTerms(places, runtime))
    if (!isMap(place)) requireText(place, 'a path of first_found');
  const paths = namesIn(runtime, places, /[,;:]/);
  runtime.checkItems(paths.length * files.length);
  const names =
    paths.length === 0 ? files : paths.flatMap((path) => files.map((name) => join(path, name)));
  return { names, skip: flagOf(given.get('skip'), false) };
}

function flatTerms(terms: Val, runtime: Runtime, budget = new Budget()): readonly Val[] {
  const items = iterate(terms, runtime);
  budget.visit(items.length);
  return items.flatMap((term) => (isList(term) ? flatTerms(term, runtime, budget) : [term]));
}

function firstFound(runtime: Runtime, terms: Val, options: Val): Val {
  const kwargs = requireMap(options, 'the options');
  const given = flatTerms(terms, runtime);
  const searches = (given.length === 0 ? [kwargs] : given).map((term) =>
    searchFor(runtime, term, kwargs),
  );
  const subdirectory = runtime.host.actionSubdirectory ?? '';
  for (const { names } of searches) {
    for (const name of names) {
      const path = findFile(runtime, name, subdirectory);
      if (path !== undefined) return [resolve(path)];
    }
  }
  if (searches.some(({ skip }) => skip)) return [];
  const wanted = searches.flatMap(({ names }) => names).join(', ');
  throw new TemplateError(`first_found found none of: ${wanted || 'nothing was asked for'}`);
}

const TEMPLATE_IGNORED: ReadonlySet<string> = new Set(['convert_data', 'jinja2_native']);

function templateSyntax(options: ValMap): Partial<Syntax> {
  const members = [...options].flatMap(([name, value]) => {
    const option = SYNTAX_OPTIONS.get(String(name));
    if (option === undefined && !TEMPLATE_IGNORED.has(String(name)) && name !== 'template_vars') {
      throw new TemplateError(`the template lookup has no option "${String(name)}"`);
    }
    if (option === undefined || value === null) return [];
    return [[option.key, option.kind === 'boolean' ? truthy(value) : syntaxText(name, value)]];
  });
  return Object.fromEntries(members);
}

/** Numbers are taken for text, as Ansible does. */
function syntaxText(name: Val, value: Val): string {
  if (typeof value === 'string' || isNumber(value)) return textOf(value);
  throw new TemplateError(`${String(name)} must be a text`);
}

function template(runtime: Runtime, terms: Val, options: Val): Val {
  const given = requireMap(options, 'the options');
  const extra = requireMap(given.get('template_vars') ?? new Map(), 'template_vars');
  const variables = new Map([...extra].map(([name, value]) => [String(name), value]));
  const syntax = templateSyntax(given);
  return iterate(terms, runtime).map((term) => {
    const path = locate(runtime, term, 'templates');
    const text = readText(runtime, path);
    const request = { file: path, name: textOf(term), text, syntax, variables };
    // A file that is one expression gives its value, whatever the type.
    return runtime.deeper('the template lookup', () => runtime.engine.renderFile(request, runtime));
  });
}

/** Lookups of files on the controller. */
export const fileLookups: readonly Builtin[] = [
  define('file', 'terms, rstrip=True, lstrip=False', file, IMPURE),
  define('fileglob', 'terms', fileGlob, IMPURE),
  define('first_found', 'terms, **options', firstFound, IMPURE),
  define('template', 'terms, **options', template, IMPURE),
  define(
    'unvault',
    'terms',
    (runtime, terms) =>
      iterate(terms, runtime).map((term) => readText(runtime, locate(runtime, term, 'files'))),
    IMPURE,
  ),
];
