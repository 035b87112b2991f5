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
  ...['start', 'end', 'delta', 'invocation', 'exception', 'warnings', 'deprecations', 'diff'],
  ...['atime', 'ctime', 'mtime', 'inode', 'dev', 'discovered_interpreter_python'],
]);
/** The wording of a failure is each engine's own, save where the playbook wrote it. */
const OWN_WORDING = /^(?!.*(fail|assert)).*$/;
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
      results.filter((r) => r.host === host),
    );
    compareHost(left ?? [], right ?? [], (at, a, b) => note(`${host}/${at}`, a, b));
  }
  return found;
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
  const labels = (results: readonly TaskResult[]) => results.map((r) => labelOf(r));
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
  // Facts have a suite of their own.
  if (left.task === 'Gathering Facts') return;
  const [a, b] = [left, right].map((r) => clean(r.result));
  for (const key of union(Object.keys(a ?? {}), Object.keys(b ?? {}))) {
    const failed = left.status === 'failed' || left.status === 'unreachable';
    // Ansible adds these to what it registers only after its callbacks have seen the result.
    if (key === 'failed' || key === 'skipped') continue;
    if (failed && key === 'msg' && OWN_WORDING.test(left.task)) continue;
    note(`${at}/${key}`, a?.[key], b?.[key]);
  }
}

const hostOf = ({ host }: TaskResult) => host;
const labelOf = ({ task, item }: TaskResult) => (item === undefined ? task : `${task} (${item})`);
const outcomeOf = ({ status, ignored }: TaskResult) => (ignored ? `${status}, ignored` : status);

function clean(value: Record<string, unknown>) {
  // An object stays an object.
  return cleanValue(value) as Record<string, unknown>;
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') {
    return ENGINE_TEMPORARY.test(value) ? '<temporary>' : value;
  }
  if (Array.isArray(value)) return value.map((each) => cleanValue(each));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([key]) => !VOLATILE.has(key) && !ENGINE_OWN.test(key),
  );
  return Object.fromEntries(members.map(([key, each]) => [key, cleanValue(each)]));
}

function union(left: Iterable<string>, right: Iterable<string>): string[] {
  return [...new Set([...left, ...right])].sort();
}
