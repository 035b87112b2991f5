import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { toInteger } from '../numbers.ts';
import { Tuple, type Val } from '../objects.ts';
import { compileRegex, type Regex } from '../regex.ts';
import type { Runtime } from '../runtime.ts';
import { requireText, textOf } from '../text.ts';

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
]);

type Part = string | { readonly group: string | number };

const REFERENCE = /\\(?:g<([^>]*)>|(0[0-7]{0,2}|[1-3][0-7]{2})|([1-9]\d?)|([\s\S]))/g;

/** Reads a replacement as Python's re.sub does: `\1`, `\g<name>` and escapes. */
function parseReplacement(text: string): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(REFERENCE)) {
    parts.push(text.slice(at, match.index));
    parts.push(replacementPart(match));
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

function replacementPart([whole, name, octal, digits, char = '']: RegExpExecArray): Part {
  if (name !== undefined) return { group: /^\d+$/.test(name) ? Number(name) : name };
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (digits !== undefined) return { group: Number(digits) };
  const escape = ESCAPES.get(char);
  if (escape === undefined && /[A-Za-z]/.test(char)) {
    throw new TemplateError(`bad escape ${whole} in the replacement`);
  }
  return escape ?? whole;
}

function groupText(regex: Regex, match: RegExpExecArray, group: string | number): string {
  const known = typeof group === 'number' ? group <= regex.groupCount : regex.groupNames.includes(group);
  if (!known) throw new TemplateError(`the pattern has no group ${group}`);
  return (typeof group === 'number' ? match[group] : match.groups?.[group]) ?? '';
}

function replace(runtime: Runtime, [value, pattern, replacement]: readonly Val[], limits: Limits): string {
  const text = textOf(value ?? '');
  const regex = compileRegex(requireText(pattern ?? '', 'pattern'), limits);
  const parts = parseReplacement(requireText(replacement ?? '', 'replacement'));
  let out = '';
  let at = 0;
  let replaced = 0;
  for (const match of regex.matches(text)) {
    if (limits.count > 0 && replaced === limits.count) break;
    runtime.step();
    replaced += 1;
    const filled = parts.map((part) => (typeof part === 'string' ? part : groupText(regex, match, part.group)));
    out += text.slice(at, match.index) + filled.join('');
    runtime.checkSize(out.length);
    at = match.index + match[0].length;
  }
  if (limits.mandatory > 0 && replaced < limits.mandatory) {
    throw new TemplateError(`the pattern matches ${replaced} times, not ${limits.mandatory}`);
  }
  return out + text.slice(at);
}

interface Limits {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly count: number;
  readonly mandatory: number;
}

function search(runtime: Runtime, value: Val, pattern: Val, groups: Val, options: readonly Val[]): Val {
  const [ignoreCase = false, multiline = false] = options;
  const flags = { ignoreCase: truthy(ignoreCase), multiline: truthy(multiline) };
  const regex = compileRegex(requireText(pattern, 'pattern'), flags);
  const wanted = iterate(groups, runtime).map(groupReference);
  const match = regex.exec(textOf(value));
  if (match === null) return null;
  return wanted.length === 0 ? match[0] : wanted.map((group) => groupText(regex, match, group));
}

function groupReference(argument: Val): string | number {
  const text = requireText(argument, 'a group');
  const [, name, digits] = /^\\(?:g<(\w+)>|(\d+))/.exec(text) ?? [];
  if (name !== undefined) return name;
  if (digits === undefined) throw new TemplateError(`${JSON.stringify(text)} is no reference to a group`);
  return Number(digits);
}

function findAll(runtime: Runtime, value: Val, pattern: Val, multiline: Val, ignoreCase: Val): Val {
  const flags = { ignoreCase: truthy(ignoreCase), multiline: truthy(multiline) };
  const regex = compileRegex(requireText(pattern, 'pattern'), flags);
  const found: Val[] = [];
  for (const match of regex.matches(textOf(value))) {
    runtime.step();
    const [whole, ...groups] = match;
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
    (runtime, value, pattern, replacement, ...rest) => {
      const [ignoreCase = false, multiline = false, count = 0, mandatory = 0] = rest;
      return replace(runtime, [value ?? '', pattern ?? '', replacement ?? ''], {
        ignoreCase: truthy(ignoreCase),
        multiline: truthy(multiline),
        count: toInteger(count, 'count'),
        mandatory: toInteger(mandatory, 'mandatory_count'),
      });
    },
  ),
  define(
    'regex_search',
    'value, regex, *groups, ignorecase=False, multiline=False',
    (runtime, value, regex, groups, ...options) => search(runtime, value ?? '', regex ?? '', groups ?? [], options),
  ),
  define('regex_findall', 'value, regex, multiline=False, ignorecase=False', findAll),
  define('regex_escape', "value, re_type='python'", (_runtime, value, type) => escapeRegex(value, type)),
];
