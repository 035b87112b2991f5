import { isIPv6 } from 'node:net';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { isList, isMap, Range, type Runtime, type Val } from '../objects.ts';
import { requireText, textOf } from '../text.ts';

/** Percent-encodes what is not a letter, digit or one of `_.-~` and the safe characters. */
function quote(text: string, safe: string): string {
  return encodeURIComponent(text).replace(/[!'()*]|%2F/g, (char) => {
    if (char === '%2F') return safe.includes('/') ? '/' : char;
    return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

/** A name and its value. Throws TemplateError where there are not two. */
function encodedPair(pair: readonly Val[]): string {
  if (pair.length !== 2) throw new TemplateError('urlencode takes a text, a dict or pairs');
  return pair.map((part) => quote(textOf(part), '').replaceAll('%20', '+')).join('=');
}

function urlencode(runtime: Runtime, value: Val): string {
  if (isMap(value)) return [...value].map(encodedPair).join('&');
  if (!isList(value) && !(value instanceof Range)) return quote(textOf(value), '/');
  const pairs = iterate(value, runtime).map((pair) => iterate(pair, runtime));
  return pairs.map(encodedPair).join('&');
}

function urldecode(value: Val): string {
  const bytes = requireText(value, 'the text to decode').replaceAll('+', ' ');
  return bytes.replace(/(?:%[\da-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

interface UrlParts {
  readonly scheme: string;
  readonly netloc: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** Splits a URL as Python's urlsplit does, without judging it: blanks before it and line breaks in it do not count. */
export function splitUrl(given: string): UrlParts {
  const url = given.replace(/^[\0- ]+/, '').replace(/[\t\r\n]/g, '');
  const [, scheme, rest = url] = /^([A-Za-z][A-Za-z\d+.-]*):([\s\S]*)$/.exec(url) ?? [];
  const pattern = /^(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/;
  const [, netloc = '', path = '', query = '', fragment = ''] = pattern.exec(rest) ?? [];
  checkBrackets(netloc);
  return { scheme: scheme?.toLowerCase() ?? '', netloc, path, query, fragment };
}

/** Brackets hold an IPv6 address, or one of a version to come. */
function checkBrackets(netloc: string): void {
  if (!/[[\]]/.test(netloc)) return;
  const [, host = ''] = /^(?:[^[\]]*@)?\[([^[\]]*)\](?::[^[\]]*)?$/.exec(netloc) ?? [];
  if (!isIPv6(host) && !/^v[\da-f]+\../i.test(host)) throw new TemplateError('Invalid IPv6 URL');
}

function portOf(text: string | undefined): Val {
  if (text === undefined || text === '') return null;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new TemplateError(`"${text}" is no port`);
  return port;
}

function allParts(url: string): Map<Val, Val> {
  const { scheme, netloc, path, query, fragment } = splitUrl(url);
  const at = netloc.lastIndexOf('@');
  const [username, password] = at === -1 ? [] : split(netloc.slice(0, at), ':');
  const [, six, name = '', port] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(netloc.slice(at + 1)) ?? [];
  const hostname = (six ?? name).toLowerCase();
  return new Map<Val, Val>([
    ['fragment', fragment],
    ['hostname', hostname === '' ? null : hostname],
    ['netloc', netloc],
    ['password', password ?? null],
    ['path', path],
    ['port', portOf(port)],
    ['query', query],
    ['scheme', scheme],
    ['username', username ?? null],
  ]);
}

function split(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function urlsplit(value: Val, part: Val): Val {
  const isEmpty = truthy(part) && !truthy(value) && !isList(value) && !isMap(value);
  const parts = allParts(isEmpty ? '' : requireText(value, 'the URL'));
  if (!truthy(part)) return parts;
  const found = parts.get(part);
  if (found === undefined) throw new TemplateError(`"${textOf(part)}" is no part of a URL`);
  return found;
}

/** Filters of URLs. */
export const urlFilters: readonly Builtin[] = [
  define('urlencode', 'value', urlencode),
  define('urldecode', 'value', (_runtime, value) => urldecode(value)),
  define('urlsplit', "value, query=''", (_runtime, value, part) => urlsplit(value, part)),
];
