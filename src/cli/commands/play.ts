/** `tsprov play`: brings hosts to the state that playbooks declare. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { loadConfig } from '../../engine/config.ts';
import { collectedPlaybook } from '../../engine/playbook/collections.ts';
import type { RunOptions } from '../../engine/run/run-state.ts';
import { loadPlaybooks, type RunSummary, runPlaybooks } from '../../engine/run-playbook.ts';
import { withWarnings } from '../announce.ts';
import { ask } from '../ask.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { type Listing, listPlaybook } from '../list-playbook.ts';
import { type LookFlags, lookOf, selectionOf } from '../look.ts';
import {
  addConnectionOptions,
  addInventoryOptions,
  addRunningOptions,
  addVariableOptions,
  needlessOptions,
} from '../options.ts';
import { OUTPUT_NAMES, openOutput } from '../output/output.ts';
import {
  type Flags,
  openSetting,
  runOptions,
  runServices,
  type Setting,
  verbosityOf,
} from '../run-services.ts';
import { collect } from '../vault-options.ts';

interface PlayFlags extends Flags, Listing, LookFlags {
  readonly step?: boolean;
  readonly forceHandlers?: boolean;
  readonly syntaxCheck?: boolean;
  readonly detailedExitcode?: boolean;
  readonly allowEmpty?: boolean;
  readonly profile?: boolean;
  readonly output?: string;
}

export function playCommand(signal: AbortSignal): Command {
  const command = new Command('play')
    .description('Bring hosts to the state that playbooks declare.')
    .argument(
      '<playbook...>',
      'playbook files, or playbooks of collections (NAMESPACE.COLLECTION.NAME), run one after the other',
    );
  addInventoryOptions(command);
  addConnectionOptions(command);
  addVariableOptions(command);
  addRunningOptions(command);
  return addPlayOptions(command).action(async (files: string[], flags: PlayFlags) => {
    process.exitCode = await play(files.map(playbookFile), flags, signal);
  });
}

/** The file of a playbook, which may be named as part of a collection. */
function playbookFile(name: string): string {
  if (existsSync(name)) return name;
  const { collectionsPath } = loadConfig().settings;
  return collectedPlaybook(name, { playbookDir: '.', collectionsPath }) ?? name;
}

function addPlayOptions(command: Command): Command {
  return command
    .option('-t, --tags <tags>', 'only tasks with one of these tags; may be repeated', collect)
    .option('--skip-tags <tags>', 'no tasks with one of these tags; may be repeated', collect)
    .option('--start-at-task <name>', 'begin at the task with this name')
    .option('--step', 'ask before each task')
    .option('--force-handlers', 'run notified handlers even when a task fails')
    .option('--strict', 'refuse what is wrong in tasks that may not run, too')
    .option('--syntax-check', 'check the playbooks and run nothing')
    .option('--list-hosts', 'list the hosts of each play and run nothing')
    .option('--list-tasks', 'list the tasks of each play and run nothing')
    .option('--list-tags', 'list the tags of each play and run nothing')
    .option('--detailed-exitcode', 'exit with 3 when a check run has pending changes')
    .option('--allow-empty', 'a run that matches no host is no error')
    .option('--output <format>', `how the run is shown: ${OUTPUT_NAMES.join(', ')}`)
    .option('--profile', 'show how long each task took');
}

async function play(
  files: readonly string[],
  flags: PlayFlags,
  signal: AbortSignal,
): Promise<number> {
  const setting = await openSetting(flags, files);
  const output = openOutput(flags.output, {
    settings: setting.config.settings,
    verbosity: verbosityOf(setting, flags),
    profile: flags.profile === true,
    diff: flags.diff === true || setting.config.settings.diffAlways,
    check: flags.check === true,
    configFile: setting.config.file,
  });
  const emit = withWarnings(output.emit, setting);
  for (const text of needlessOptions(flags)) emit({ type: 'warning', text });
  const services = runServices(setting, emit, {
    signal,
    verbosity: verbosityOf(setting, flags),
    flushCache: flags.flushCache,
  });
  const playbooks = await loadPlaybooks(files, services, lookOf(setting, flags));
  const options = await playOptions(setting, flags);
  if (listPlaybook(playbooks, { services, options, flags })) return EXIT.ok;
  if (flags.syntaxCheck === true) {
    for (const { file } of playbooks) process.stdout.write(`\nplaybook: ${file}\n`);
    return EXIT.ok;
  }
  const summary = await runPlaybooks(playbooks, services, options).finally(() => output.close());
  return signal.aborted ? EXIT.interrupted : codeOf(summary, flags);
}

async function playOptions(setting: Setting, flags: PlayFlags): Promise<RunOptions> {
  return {
    ...(await runOptions(setting, flags)),
    ...selectionOf(setting, flags),
    ...(flags.forceHandlers === true && { forceHandlers: true }),
    ...(flags.step === true && { confirmTask: askForTask }),
  };
}

function codeOf(summary: RunSummary, flags: PlayFlags): number {
  const code = exitCodeOf(summary);
  if (code !== EXIT.ok) return code;
  const hasPending = [...summary.stats.values()].some(({ changed }) => changed > 0);
  if (flags.detailedExitcode === true && flags.check === true && hasPending)
    return EXIT.pendingChanges;
  if (!summary.isEmpty || flags.allowEmpty === true) return EXIT.ok;
  process.stderr.write('no play matches any host (--allow-empty if that is meant)\n');
  return EXIT.error;
}

async function askForTask(title: string): Promise<'yes' | 'no' | 'continue'> {
  const question = `Perform task: TASK: ${title} (N)o/(y)es/(c)ontinue: `;
  const answer = (await ask(question)).trim().toLowerCase();
  if (answer === 'y' || answer === 'yes') return 'yes';
  return answer === 'c' || answer === 'continue' ? 'continue' : 'no';
}
