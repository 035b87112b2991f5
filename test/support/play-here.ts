/** Plays playbooks inside the test's own process, through the same parts as the command line. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Flags,
  openSetting,
  runOptions,
  runServices,
  verbosityOf,
} from '../../src/cli/run-services.ts';
import { type ConfigPlace, loadConfig } from '../../src/engine/config.ts';
import type { ResultInfo, RunEvent } from '../../src/engine/run/events.ts';
import { reasonOf } from '../../src/engine/run/outcome.ts';
import type { RunOptions } from '../../src/engine/run/run-state.ts';
import { loadPlaybooks, type RunSummary, runPlaybooks } from '../../src/engine/run-playbook.ts';
import { toPlain } from '../../src/engine/values.ts';

/** A directory of files that goes after the test. */
export interface World {
  readonly directory: string;
  path(name: string): string;
  write(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

/** Makes a directory with the given files: path inside it → text. */
export function makeWorld(files: Readonly<Record<string, string>> = {}): World {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'tsprov-play-')));
  const world: World = {
    directory,
    path: (name) => join(directory, name),
    write: (more) => {
      for (const [name, text] of Object.entries(more)) {
        mkdirSync(dirname(join(directory, name)), { recursive: true });
        writeFileSync(join(directory, name), text);
      }
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
  world.write(files);
  return world;
}

/** What is special about a play. */
export interface PlayHereOptions {
  readonly flags?: Flags;
  readonly options?: Partial<RunOptions>;
  readonly signal?: AbortSignal;
  /** Where the configuration is looked for; this process's surroundings unless given. */
  readonly config?: ConfigPlace;
  /** Another playbook than the world's `play.yaml`. */
  readonly file?: string;
  /** Hears every event at once. */
  readonly listen?: (event: RunEvent) => void;
}

/** What a play came to. */
export interface PlayedHere {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  /** Results by title of the task, of all hosts, in order; plain data. */
  results(title: string): readonly PlainResult[];
  /** The members of the only result that a task had. */
  result(title: string): Readonly<Record<string, unknown>>;
  /** `host task` or `host task (item)` of what was or would be changed. */
  readonly changed: readonly string[];
  /** What tasks show of their differences. */
  readonly diffs: readonly ShownDiff[];
  /** `host: message` of what failed for good. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
  /** Round trips of all connections. */
  readonly frames: number;
}

interface ShownDiff {
  readonly task: string;
  readonly item: string | undefined;
  readonly diffs: readonly unknown[];
}

export interface PlainResult {
  readonly info: ResultInfo;
  readonly result: Readonly<Record<string, unknown>>;
}

/** Plays `play.yaml` of a world, on this machine unless the flags name an inventory. Throws InvalidInput. */
export async function playHere(world: World, given: PlayHereOptions = {}): Promise<PlayedHere> {
  const { flags = {}, signal = new AbortController().signal } = given;
  const file = given.file ?? world.path('play.yaml');
  const all: Flags =
    flags.inventory === undefined
      ? { inventory: ['localhost,'], connection: 'local', ...flags }
      : flags;
  const setting = await openSetting(all, [file], loadConfig(given.config));
  const events: RunEvent[] = [];
  const emit = (event: RunEvent) => {
    events.push(event);
    given.listen?.(event);
  };
  const services = runServices(setting, emit, {
    signal,
    verbosity: verbosityOf(setting, all),
    flushCache: all.flushCache,
  });
  const playbooks = await loadPlaybooks([file], services);
  const options: RunOptions = {
    ...(await runOptions(setting, all)),
    tags: ['all'],
    skipTags: [],
    startAtTask: undefined,
    ...given.options,
  };
  const summary = await runPlaybooks(playbooks, services, options);
  return played(summary, events);
}

function played(summary: RunSummary, events: readonly RunEvent[]): PlayedHere {
  const results = (title: string) =>
    events.flatMap((event) =>
      event.type === 'result' && event.task.title === title ? [plainResult(event.info)] : [],
    );
  return {
    summary,
    events,
    results,
    result: (title) => {
      const [only, ...others] = results(title);
      if (only === undefined || others.length > 0) throw new Error(`not one result of "${title}"`);
      return only.result;
    },
    changed: events.flatMap(changeIn),
    diffs: events.flatMap(diffsIn),
    failures: events.flatMap(failureIn),
    warnings: events.flatMap((event) => (event.type === 'warning' ? [event.text] : [])),
    frames: framesOf(events),
  };
}

function plainResult(info: ResultInfo): PlainResult {
  // Results are dicts with text keys.
  return { info, result: toPlain(info.result) as Readonly<Record<string, unknown>> };
}

function changeIn(event: RunEvent): string[] {
  const counts = event.type === 'item' || (event.type === 'result' && !event.looped);
  if (!counts || event.info.status !== 'changed') return [];
  const item = event.info.label === undefined ? '' : ` (${event.info.label})`;
  return [`${event.info.host} ${event.task.title}${item}`];
}

function diffsIn(event: RunEvent): ShownDiff[] {
  if (event.type !== 'result' && event.type !== 'item') return [];
  const { diffs, label } = event.info;
  return diffs.length === 0 ? [] : [{ task: event.task.title, item: label, diffs }];
}

function failureIn(event: RunEvent): string[] {
  if (event.type !== 'result' || event.info.ignored) return [];
  const { host, status, result } = event.info;
  if (status !== 'failed' && status !== 'unreachable') return [];
  return [`${host}: ${reasonOf(result)}`];
}

function framesOf(events: readonly RunEvent[]): number {
  const recap = events.find((event) => event.type === 'recap');
  return [...(recap?.frames.values() ?? [])].reduce((sum, each) => sum + each, 0);
}
