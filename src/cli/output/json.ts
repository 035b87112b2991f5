/** One JSON document at the end of the run, in the shape of Ansible's callback ansible.posix.json. */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { dumpJson } from '../../engine/jinja/json.ts';
import type { HostStats, ResultInfo, RunEvent, TaskInfo } from '../../engine/run/events.ts';
import { fromPlain, type Position } from '../../engine/values.ts';
import type { Output } from './output-port.ts';
import { warningsToStderr } from './warnings.ts';

export function jsonOutput(): Output {
  const report = new JsonReport();
  return {
    emit: (event) => report.listen(event),
    close: () => {
      process.stdout.write(`${report.text()}\n`);
    },
  };
}

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly duration: { readonly start: string; end: string };
}

interface TaskEntry {
  readonly task: Entry;
  readonly hosts: Map<string, unknown>;
}

interface PlayEntry {
  readonly play: Entry;
  readonly tasks: TaskEntry[];
}

/** Collects a run. */
export class JsonReport {
  readonly #plays: PlayEntry[] = [];
  readonly #tasks = new Map<TaskInfo, TaskEntry>();
  #stats: Record<string, unknown> = {};

  listen(event: RunEvent): void {
    if (event.type === 'play-start')
      this.#plays.push({ play: entryOf(event.name, event.position), tasks: [] });
    if (event.type === 'task-start') this.#taskStart(event.task);
    if (event.type === 'result') this.#result(event.task, event.info);
    if (event.type === 'warning') warningsToStderr(event.text);
    if (event.type === 'recap') this.#stats = countersOf(event.stats);
  }

  /** The document. */
  text(): string {
    const document = {
      custom_stats: {},
      global_custom_stats: {},
      plays: this.#plays.map(({ play, tasks }) => ({ play, tasks: tasks.map(plainTask) })),
      stats: this.#stats,
    };
    return dumpJson(fromPlain(document), { indent: 4, sortKeys: true, asciiOnly: false });
  }

  #taskStart(task: TaskInfo): void {
    const entry: TaskEntry = { task: entryOf(task.title, task.position), hosts: new Map() };
    this.#tasks.set(task, entry);
    this.#plays.at(-1)?.tasks.push(entry);
  }

  #result(task: TaskInfo, { host, result, status, unknown }: ResultInfo): void {
    const entry = this.#tasks.get(task);
    if (entry === undefined) return;
    const now = new Date().toISOString();
    entry.task.duration.end = now;
    const play = this.#plays.at(-1);
    if (play !== undefined) play.play.duration.end = now;
    entry.hosts.set(host, {
      action: task.action,
      ...Object.fromEntries(result),
      ...(status === 'skipped' && { skipped: true }),
      ...(unknown !== undefined && { unknown_depends_on: unknown }),
    });
  }
}

function plainTask({ task, hosts }: TaskEntry) {
  return { task, hosts: Object.fromEntries(hosts) };
}

function entryOf(name: string, { file, line }: Position): Entry {
  const start = new Date().toISOString();
  return {
    id: randomUUID(),
    name,
    path: `${resolve(file)}:${line}`,
    duration: { start, end: start },
  };
}

function countersOf(stats: ReadonlyMap<string, HostStats>): Record<string, unknown> {
  return Object.fromEntries(
    [...stats].map(([host, { failed, ...others }]) => [host, { ...others, failures: failed }]),
  );
}
