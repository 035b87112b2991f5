/** Runs playbooks for a program instead of a person. */

import type { HostStats, RunEvent } from '../engine/run/events.ts';
import { loadPlaybooks, runPlaybooks } from '../engine/run-playbook.ts';
import { withWarnings } from './announce.ts';
import { sturdyEmit } from './output/sturdy.ts';
import { type Flags, openSetting, runOptions, runServices, verbosityOf } from './run-services.ts';

/** What to run. Only the playbook has to be given. */
export interface PlaybookRun {
  /** Files, run one after the other. */
  readonly playbook: string | readonly string[];
  /** Inventory files, directories, scripts, or host lists with a comma (`localhost,`). */
  readonly inventory?: string | readonly string[];
  /** Variables that beat all others; plain data. */
  readonly extraVars?: Readonly<Record<string, unknown>>;
  /** Pattern of the hosts to keep to. */
  readonly limit?: string;
  readonly tags?: readonly string[];
  readonly skipTags?: readonly string[];
  /** Predict changes, change nothing. */
  readonly check?: boolean;
  /** Give diffs with the results. */
  readonly diff?: boolean;
  readonly forks?: number;
  /** `ssh`, `openssh` or `local`, where inventory and playbook say nothing else. */
  readonly connection?: string;
  readonly user?: string;
  readonly privateKey?: string;
  readonly become?: boolean;
  readonly becomeUser?: string;
  readonly vaultPasswordFile?: string;
  /** Directories of modules, besides `library/` beside the playbooks and in roles. */
  readonly modulePath?: readonly string[];
  /** Hears everything that happens, as it happens. What it throws becomes a warning of the process. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Ends the run: what runs on the hosts is stopped and cleaned up. */
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export interface PlaybookSummary {
  /** No host failed, none was unreachable, and there were hosts. */
  readonly ok: boolean;
  /** Whether any task changed anything, or would in a check run. */
  readonly changed: boolean;
  readonly hosts: Readonly<Record<string, Readonly<HostStats>>>;
  readonly failed: readonly string[];
  readonly unreachable: readonly string[];
}

/**
 * Loads and runs playbooks, with configuration and environment as the command line has them. Failures of hosts are
 * in the summary; throws InvalidInput where playbooks, inventory or options are wrong.
 */
export async function runPlaybook(wanted: PlaybookRun): Promise<PlaybookSummary> {
  const files = listOf(wanted.playbook);
  const flags = flagsOf(wanted);
  const setting = await openSetting(flags, files);
  const listen = sturdyEmit(
    'onEvent',
    (event) => wanted.onEvent?.(event),
    (text) => process.emitWarning(text),
  );
  const emit = withWarnings(listen, setting);
  const { signal = new AbortController().signal } = wanted;
  const services = runServices(setting, emit, { signal, verbosity: verbosityOf(setting, flags) });
  const playbooks = await loadPlaybooks(files, services);
  const summary = await runPlaybooks(playbooks, services, {
    ...(await runOptions(setting, flags)),
    tags: wanted.tags ?? ['all'],
    skipTags: wanted.skipTags ?? [],
    ask: undefined,
  });
  const { stats, failed, unreachable, isEmpty } = summary;
  return {
    ok: failed.size === 0 && unreachable.size === 0 && !isEmpty && wanted.signal?.aborted !== true,
    changed: [...stats.values()].some((each) => each.changed > 0),
    hosts: Object.fromEntries(stats),
    failed: [...failed],
    unreachable: [...unreachable],
  };
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function flagsOf(wanted: PlaybookRun): Flags {
  const { playbook: _, tags: __, skipTags: ___, onEvent: ____, signal: _____, ...flags } = wanted;
  const { inventory, extraVars, limit, vaultPasswordFile, ...others } = flags;
  return {
    ...others,
    ...(inventory !== undefined && { inventory: listOf(inventory) }),
    ...(extraVars !== undefined && { extraVars: [JSON.stringify(extraVars)] }),
    ...(limit !== undefined && { limit: [limit] }),
    ...(vaultPasswordFile !== undefined && { vaultPasswordFile: [vaultPasswordFile] }),
  };
}
