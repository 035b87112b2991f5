/** `tsprov play`: brings hosts to the state that playbooks declare. */
import { Command } from 'commander';
import { loadPlaybooks, runPlaybooks } from '../../engine/run-playbook.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import {
  addConnectionOptions,
  addInventoryOptions,
  addRunningOptions,
  addVariableOptions,
} from '../options.ts';
import { openOutput, OUTPUT_NAMES } from '../output/output.ts';
import { type Flags, openSetting, runOptions, runServices } from '../run-services.ts';
import { collect } from '../vault-options.ts';
import { listPlaybook, type Listing } from '../list-playbook.ts';

interface PlayFlags extends Flags, Listing {
  readonly tags?: readonly string[];
  readonly skipTags?: readonly string[];
  readonly startAtTask?: string;
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
    .summary('bring hosts to the state that playbooks declare')
    .argument('<playbook...>', 'playbook files, run one after the other');
  addInventoryOptions(command);
  addConnectionOptions(command);
  addVariableOptions(command);
  addRunningOptions(command);
  return command
    .option('-t, --tags <tags>', 'only tasks with one of these tags; may be repeated', collect)
    .option('--skip-tags <tags>', 'no tasks with one of these tags; may be repeated', collect)
    .option('--start-at-task <name>', 'begin at the task with this name')
    .option('--step', 'ask before each task')
    .option('--force-handlers', 'run notified handlers even when a task fails')
    .option('--flush-cache', 'forget cached facts (none are kept between runs)')
    .option('--syntax-check', 'check the playbooks and run nothing')
    .option('--list-hosts', 'list the hosts of each play and run nothing')
    .option('--list-tasks', 'list the tasks of each play and run nothing')
    .option('--list-tags', 'list the tags of each play and run nothing')
    .option('--detailed-exitcode', 'exit with 3 when a check run has pending changes')
    .option('--allow-empty', 'a play that matches no host is no error')
    .option('--output <format>', `how the run is shown: ${OUTPUT_NAMES.join(', ')}`, 'lines')
    .option('--profile', 'show how long each task took')
    .action(async (files: string[], flags: PlayFlags) => {
      process.exitCode = await play(files, flags, signal);
    });
}

async function play(files: readonly string[], flags: PlayFlags, signal: AbortSignal): Promise<number> {
  const setting = await openSetting(flags, files);
  const output = openOutput(flags.output ?? 'lines', { settings: setting.config.settings, verbosity: flags.verbose ?? 0, profile: flags.profile === true, diff: flags.diff === true });
  const services = runServices(setting, output.emit, signal);
  const playbooks = await loadPlaybooks(files, services);
  const options = {
    ...(await runOptions(setting, flags)),
    tags: tagList(flags.tags ?? setting.config.settings.runTags, ['all']),
    skipTags: tagList(flags.skipTags ?? setting.config.settings.skipTags, []),
    startAtTask: flags.startAtTask,
    ...(flags.forceHandlers === true && { forceHandlers: true }),
    ...(flags.step === true && { confirmTask: askForTask }),
  };
  for (const { message } of setting.inventory.warnings) output.emit({ type: 'warning', text: message });
  if (listPlaybook(playbooks, { services, options, flags })) return EXIT.ok;
  if (flags.syntaxCheck === true) {
    for (const { file } of playbooks) process.stdout.write(`\nplaybook: ${file}\n`);
    return EXIT.ok;
  }
  const summary = await runPlaybooks(playbooks, services, options);
  await output.close();
  if (signal.aborted) return EXIT.interrupted;
  const pending = [...summary.stats.values()].some(({ changed }) => changed > 0);
  const code = exitCodeOf(summary);
  if (code === EXIT.ok && flags.detailedExitcode === true && options.check && pending) return EXIT.pendingChanges;
  if (code === EXIT.ok && summary.isEmpty && flags.allowEmpty !== true) return EXIT.error;
  return code;
}

function tagList(texts: readonly string[], otherwise: readonly string[]): string[] {
  const tags = texts.flatMap((text) => text.split(',')).map((tag) => tag.trim()).filter((tag) => tag !== '');
  return tags.length === 0 ? [...otherwise] : tags;
}

async function askForTask(title: string): Promise<'yes' | 'no' | 'continue'> {
  const { read } = await import('read');
  const answer = (await read({ prompt: `Perform task: TASK: ${title} (N)o/(y)es/(c)ontinue: ` })).toLowerCase();
  if (answer === 'y' || answer === 'yes') return 'yes';
  return answer === 'c' || answer === 'continue' ? 'continue' : 'no';
}
