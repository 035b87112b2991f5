import { readFileSync } from 'node:fs';
import { InvalidInput } from '../../shared/errors.ts';
import { PythonRegex, RegexSyntaxError } from '../../shared/python-regex.ts';
import { type Graph, type Host, hostsBelow } from './model.ts';

/** Names that mean this machine, for which a host is made when the inventory has none. */
export const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** What a pattern found. */
export interface Selection {
  readonly hosts: readonly Host[];
  /** Terms that match neither a group nor a host. */
  readonly unmatched: readonly string[];
}

export interface PatternScope {
  readonly graph: Graph;
  /** The host that stands for this machine, made when it is needed. */
  readonly implicitHost: (name: string) => Host;
}

/**
 * The hosts that a pattern selects (`web*:&staged:!web3`, `~db\d`, `g[0:2]`), in inventory order. Plain terms
 * are joined, then every `&` intersects, then every `!` excludes. A pattern without terms (a template that gave an
 * empty list) selects nobody. Throws InvalidInput on a malformed regex.
 */
export function selectHosts(pattern: string | readonly string[], scope: PatternScope): Selection {
  const terms = [pattern].flat().flatMap(splitPattern);
  const plain = terms.filter((term) => !/^[&!]/.test(term));
  const unmatched: string[] = [];
  const find = (term: string) => matchTerm(term, scope, unmatched);
  const isOnlyNarrowed = plain.length === 0 && terms.length > 0;
  let hosts = new Set((isOnlyNarrowed ? ['all'] : plain).flatMap(find));
  for (const term of terms.filter((each) => each.startsWith('&'))) {
    const others = new Set(find(term.slice(1)));
    hosts = new Set([...hosts].filter((host) => others.has(host)));
  }
  for (const term of terms.filter((each) => each.startsWith('!'))) {
    for (const host of find(term.slice(1))) hosts.delete(host);
  }
  return { hosts: [...hosts], unmatched };
}

/** Splits a pattern at commas, else at colons that belong neither to a range nor to an IPv6 address. */
function splitPattern(pattern: string): string[] {
  const terms = pattern.includes(',') ? pattern.split(',') : splitAtColons(pattern.trim());
  return terms.map((term) => term.trim()).filter((term) => term !== '');
}

function splitAtColons(pattern: string): string[] {
  if (/^\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*\]?(?::\d+)?$/.test(pattern))
    return [pattern];
  if (/^[^:[\]&!~]+:\d+$/.test(pattern)) return [pattern];
  return pattern.match(/(?:\[[^\]]*\]|[^:])+/g) ?? [];
}

/** A pattern for all that `--limit` names; undefined where it names nothing, which is no limit. Throws InvalidInput. */
export function limitPattern(limits: readonly string[] | undefined): string | undefined {
  return limits?.flatMap(readLimit).join(',') || undefined;
}

/** Replaces `@file` in a limit by the lines of the file, e.g. the failed hosts of an earlier run. Throws InvalidInput. */
export function readLimit(limit: string): string[] {
  return splitPattern(limit).flatMap((term) =>
    term.startsWith('@') ? readLines(term.slice(1)) : [term],
  );
}

function readLines(path: string): string[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw InvalidInput.at(undefined, `the limit file ${path} cannot be read: ${reason}`);
  }
}

function matchTerm(term: string, scope: PatternScope, unmatched: string[]): Host[] {
  const { name, range } = splitRange(term);
  const found = matchName(name, scope);
  if (found === undefined) {
    if (name !== 'all') unmatched.push(term);
    return [];
  }
  if (range === undefined) return found;
  const chosen = found.slice(...range);
  if (chosen.length > 0 || found.length === 0 || /[:-]\d*\]$/.test(term.replace('[-', '[')))
    return chosen;
  const message = `the host pattern "${term}" chooses none of the ${found.length} hosts of "${name}"`;
  throw InvalidInput.at(undefined, message, 'the first is [0], the last is [-1]');
}

/** Separates `web[0:2]` into a name and what of it is meant; the end is included in the pattern. */
function splitRange(term: string): { name: string; range?: [number, number | undefined] } {
  if (term.startsWith('~')) return { name: term };
  const [, name, single, first, last] = /^(.+)\[(?:(-?\d+)|(\d+)[:-](\d*))\]$/.exec(term) ?? [];
  if (name === undefined) return { name: term };
  if (single !== undefined) {
    const index = Number(single);
    return { name, range: [index, index === -1 ? undefined : index + 1] };
  }
  return { name, range: [Number(first), last === '' ? undefined : Number(last) + 1] };
}

/** Hosts are tried only when no group matches or the term has wildcards, as in Ansible. */
function matchName(name: string, { graph, implicitHost }: PatternScope): Host[] | undefined {
  const matches = matcher(name);
  const groups = [...graph.groups.values()].filter((group) => matches(group.name));
  const hosts = groups.flatMap(hostsBelow);
  if (groups.length === 0 || /^~|[.?*[]/.test(name)) {
    hosts.push(...[...graph.hosts.values()].filter((host) => matches(host.name)));
  }
  if (hosts.length === 0 && LOCAL_NAMES.includes(name)) return [implicitHost(name)];
  return hosts.length === 0 && groups.length === 0 ? undefined : [...new Set(hosts)];
}

function matcher(name: string): (candidate: string) => boolean {
  if (name.startsWith('~')) {
    const regex = compileRegex(name.slice(1));
    return (candidate) => regex.match(candidate) !== undefined;
  }
  if (!/[?*[]/.test(name)) return (candidate) => candidate === name;
  const glob = new RegExp(`^(?:${globSource(name)})$`, 's');
  return (candidate) => glob.test(candidate);
}

function compileRegex(source: string): PythonRegex {
  try {
    return new PythonRegex(source);
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw InvalidInput.at(
      undefined,
      `the host pattern "~${source}" is not a regular expression: ${error.message}`,
    );
  }
}

function globSource(glob: string): string {
  return glob.replace(/\[(!?)([^\]]+)\]|[\s\S]/g, (all, not?: string, set?: string) => {
    if (set !== undefined) return `[${not === '!' ? '^' : ''}${set.replace(/[\\[\]^]/g, '\\$&')}]`;
    if (all === '*') return '.*';
    return all === '?' ? '.' : all.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');
  });
}

/** Hosts in the order of a play's `order` keyword. */
export function orderHosts(hosts: readonly string[], order: string | undefined): string[] {
  if (order === 'sorted') return [...hosts].sort();
  if (order === 'reverse_sorted') return [...hosts].sort().reverse();
  if (order === 'reverse_inventory') return [...hosts].reverse();
  return order === 'shuffle' ? shuffled(hosts) : [...hosts];
}

function shuffled(hosts: readonly string[]): string[] {
  return hosts
    .map((host) => ({ host, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ host }) => host);
}
