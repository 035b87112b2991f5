import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { toInteger } from '../numbers.ts';
import { type Runtime, Tuple, type Val } from '../objects.ts';
import { compileRegex } from '../regex.ts';
import { requireText, textOf } from '../text.ts';

function replace(
  runtime: Runtime,
  [value = null, pattern = '', replacement = '']: readonly Val[],
  limits: Limits,
): string {
  const text = textOf(value);
  const regex = compileRegex(requireText(pattern, 'pattern'), limits);
  const template = requireText(replacement, 'replacement');
  const out: string[] = [];
  let at = 0;
  let replaced = 0;
  for (const match of regex.matches(text)) {
    if (limits.count > 0 && replaced === limits.count) break;
    runtime.step();
    replaced += 1;
    const changed = regex.expand(template, match);
    runtime.checkSize(changed.length);
    out.push(text.slice(at, match.start), changed);
    at = match.end;
  }
  if (limits.mandatory !== 0 && replaced !== limits.mandatory) {
    throw new TemplateError(`the pattern matches ${replaced} times, not ${limits.mandatory}`);
  }
  return [...out, text.slice(at)].join('');
}

interface Limits {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly count: number;
  readonly mandatory: number;
}

function search(runtime: Runtime, args: readonly Val[]): Val {
  const [value = null, pattern = '', groups = [], ignoreCase = false, multiline = false] = args;
  const flags = { ignoreCase: truthy(ignoreCase), multiline: truthy(multiline) };
  const regex = compileRegex(requireText(pattern, 'pattern'), flags);
  const wanted = iterate(groups, runtime).map(groupReference);
  const match = regex.exec(textOf(value));
  if (match === undefined) return null;
  if (wanted.length === 0) return match.groups[0] ?? '';
  return wanted.map((group) => regex.group(match, group));
}

function groupReference(argument: Val): string | number {
  const text = requireText(argument, 'a group');
  const [, name, digits] = /^\\(?:g<(\w+)>|(\d+))/.exec(text) ?? [];
  if (name !== undefined) return name;
  if (digits === undefined)
    throw new TemplateError(`${JSON.stringify(text)} is no reference to a group`);
  return Number(digits);
}

function findAll(runtime: Runtime, value: Val, pattern: Val, multiline: Val, ignoreCase: Val): Val {
  const flags = { ignoreCase: truthy(ignoreCase), multiline: truthy(multiline) };
  const regex = compileRegex(requireText(pattern, 'pattern'), flags);
  const found: Val[] = [];
  for (const match of regex.matches(textOf(value))) {
    runtime.step();
    const [whole = '', ...groups] = match.groups;
    const texts = groups.map((group) => group ?? '');
    if (texts.length > 1) found.push(Tuple.fromItems(texts));
    else found.push(texts[0] ?? whole);
  }
  return found;
}

function escapeRegex(value: Val, type: Val): string {
  const text = textOf(value);
  if (type === 'python') return text.replace(/[()[\]{}?*+\-|^$\\.&~#\s]/g, '\\$&');
  if (type === 'posix_basic') return text.replace(/[[\].^$*\\]/g, '\\$&');
  throw new TemplateError(`regex_escape knows "python" and "posix_basic", not "${textOf(type)}"`);
}

/** Filters of regular expressions, with Python's syntax. */
export const regexFilters: readonly Builtin[] = [
  define(
    'regex_replace',
    "value='', pattern='', replacement='', ignorecase=False, multiline=False, count=0, mandatory_count=0",
    (runtime, ...args) => {
      const [ignoreCase = false, multiline = false, count = 0, mandatory = 0] = args.slice(3);
      return replace(runtime, args, {
        ignoreCase: truthy(ignoreCase),
        multiline: truthy(multiline),
        count: toInteger(count, 'count'),
        mandatory: truthy(mandatory) ? toInteger(mandatory, 'mandatory_count') : 0,
      });
    },
  ),
  define(
    'regex_search',
    'value, regex, *groups, ignorecase=False, multiline=False',
    (runtime, ...args) => search(runtime, args),
  ),
  define('regex_findall', 'value, regex, multiline=False, ignorecase=False', findAll),
  define('regex_escape', "value, re_type='python'", (_runtime, value, type) =>
    escapeRegex(value, type),
  ),
];
