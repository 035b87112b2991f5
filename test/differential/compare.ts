import { isDeepStrictEqual } from 'node:util';
import type { Outcome, TaskResult } from './outcome.ts';
import type { World } from './world.ts';

/** One place where the engines disagree. */
export interface Difference {
  /** E.g. `h1/Start the service/status`. */
  readonly at: string;
  readonly ansible: unknown;
  readonly tsprov: unknown;
}

/** Members whose value is another one on every run, or that only the engine itself reads. */
const ENGINE_OWN = /^_ansible_/;
const VOLATILE = new Set([
  ...[
    'start',
    'end',
    'stop',
    'elapsed',
    'delta',
    'invocation',
    'exception',
    'warnings',
    'deprecations',
    'diff',
  ],
  ...['atime', 'ctime', 'mtime', 'inode', 'dev', 'discovered_interpreter_python'],
  ...['failed_when_suppressed_exception'],
  // All properties of a unit, counters included; a place in Ansible's own code.
  ...['status', 'frame'],
]);
/** What a playbook asks of a failed result. Its wording is each engine's own, save where the playbook gave it. */
const OF_FAILURES = new Set([
  ...['changed', 'rc', 'cmd', 'stdout', 'stderr', 'stdout_lines', 'stderr_lines', 'results'],
  ...[
    'attempts',
    'failed_when_result',
    'changed_when_result',
    'assertion',
    'evaluated_to',
    'unreachable',
    'censored',
  ],
]);
const GIVES_ITS_WORDING = /\b(fail|assert)$/;
const TEMPORARY = '<temporary>';
const ENGINE_TEMPORARY = /\/\.?(ansible|tsprov)[^/]*\/tmp|\.tsprov|ansible-tmp-/;

/** Every difference in exit code, recap, and the results of each host in their order. */
export function compareOutcomes(ansible: Outcome, tsprov: Outcome): Difference[] {
  const found: Difference[] = [];
  const note = (at: string, left: unknown, right: unknown) => {
    if (!isDeepStrictEqual(left, right)) found.push({ at, ansible: left, tsprov: right });
  };
  note('exit code', ansible.exitCode, tsprov.exitCode);
  for (const host of union(Object.keys(ansible.recap), Object.keys(tsprov.recap))) {
    note(`recap/${host}`, ansible.recap[host], tsprov.recap[host]);
  }
  const hosts = union(ansible.results.map(hostOf), tsprov.results.map(hostOf));
  for (const host of hosts) {
    const [left, right] = [ansible, tsprov].map(({ results }) =>
      results.filter((r) => r.host === host && !isNotice(r)),
    );
    compareHost(left ?? [], right ?? [], (at, a, b) => note(`${host}/${at}`, a, b));
  }
  return found;
}

/** Includes that went well and meta actions: engines show them differently, the recap counts them. */
function isNotice({ task, status, result }: TaskResult): boolean {
  if (/(^|: )meta$/.test(task)) return true;
  if (status !== 'ok') return false;
  const { results } = result;
  const parts: unknown[] = Array.isArray(results) && results.length > 0 ? results : [result];
  return parts.every(
    (part) =>
      typeof part === 'object' && part !== null && ('include' in part || 'include_args' in part),
  );
}

/** Every difference in what two runs left behind. */
export function compareWorlds(ansible: World, tsprov: World): Difference[] {
  return union(ansible.keys(), tsprov.keys())
    .filter((path) => ansible.get(path) !== tsprov.get(path))
    .map((path) => ({ at: path, ansible: ansible.get(path), tsprov: tsprov.get(path) }));
}

type Note = (at: string, left: unknown, right: unknown) => void;

function compareHost(
  ansible: readonly TaskResult[],
  tsprov: readonly TaskResult[],
  note: Note,
): void {
  const labels = (results: readonly TaskResult[]) => results.map(labelOf);
  if (!isDeepStrictEqual(labels(ansible), labels(tsprov))) {
    note('tasks', labels(ansible), labels(tsprov));
    return;
  }
  ansible.forEach((left, i) => {
    const right = tsprov[i];
    if (right) compareResult(left, right, note);
  });
}

function compareResult(left: TaskResult, right: TaskResult, note: Note): void {
  const at = labelOf(left);
  note(`${at}/status`, outcomeOf(left), outcomeOf(right));
  const [a, b] = [clean(left.result), clean(right.result)];
  for (const key of comparedKeys(left, [...Object.keys(a), ...Object.keys(b)])) {
    // A module's own temporary file on the node, gone when anybody could look at it.
    if (a[key] === TEMPORARY) continue;
    // Ansible leaves `changed` out where it could only be false.
    const absent = key === 'changed' ? false : undefined;
    note(`${at}/${key}`, a[key] ?? absent, b[key] ?? absent);
  }
}

/** The members of a task's result that must be equal. */
function comparedKeys({ task, status }: TaskResult, keys: readonly string[]): string[] {
  // Facts have a suite of their own.
  if (task === 'Gathering Facts') return [];
  // Ansible adds these to what it registers only after its callbacks have seen the result.
  const unique = union(keys, []).filter((key) => key !== 'failed' && key !== 'skipped');
  if (status !== 'failed' && status !== 'unreachable') return unique;
  return unique.filter(
    (key) => OF_FAILURES.has(key) || (key === 'msg' && GIVES_ITS_WORDING.test(task)),
  );
}

const hostOf = ({ host }: TaskResult) => host;
const labelOf = ({ task, item }: TaskResult) => (item === undefined ? task : `${task} (${item})`);
/** Ansible's callbacks are not told that an unreachable host is ignored; the recap is. */
const outcomeOf = ({ status, ignored }: TaskResult) =>
  ignored && status !== 'unreachable' ? `${status}, ignored` : status;

function clean(value: Record<string, unknown>) {
  // An object stays an object.
  return cleanValue(value) as Record<string, unknown>;
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') {
    return ENGINE_TEMPORARY.test(value) ? TEMPORARY : value;
  }
  if (Array.isArray(value)) return value.map((each) => cleanValue(each));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([key]) => !VOLATILE.has(key) && !ENGINE_OWN.test(key),
  );
  return Object.fromEntries(
    members.map(([key, each]) => [key, isReason(key, each) ? '<reason>' : cleanValue(each)]),
  );
}

/** Why a verdict could not be reached: each engine says it in its own words. */
function isReason(key: string, value: unknown): boolean {
  return /^(changed|failed)_when_result$/.test(key) && typeof value === 'string';
}

function union(left: Iterable<string>, right: Iterable<string>): string[] {
  return [...new Set([...left, ...right])].sort();
}
