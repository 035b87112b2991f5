/** `tsprov run`: one module on hosts, without a playbook. */
import { Command } from 'commander';
import { runPlaybooks } from '../../engine/run-playbook.ts';
import { adHocPlaybook } from '../ad-hoc.ts';
import { withWarnings } from '../announce.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import {
  addConnectionOptions,
  addInventoryOptions,
  addRunningOptions,
  addVariableOptions,
  needlessOptions,
  positive,
} from '../options.ts';
import { openOutput } from '../output/output.ts';
import { type Flags, openSetting, runOptions, runServices, verbosityOf } from '../run-services.ts';

interface RunFlags extends Flags {
  readonly moduleName: string;
  readonly args: string;
  readonly oneLine?: boolean;
  readonly taskTimeout?: number;
  readonly playbookDir?: string;
  readonly output?: string;
  readonly allowEmpty?: boolean;
}

export function runCommand(signal: AbortSignal): Command {
  const command = new Command('run')
    .description('Run one module on hosts.')
    .argument('<pattern>', 'the hosts')
    .option('-m, --module-name <module>', 'the module', 'command')
    .option('-a, --args <args>', 'its arguments: free-form text, name=value words or JSON', '')
    .option('-o, --one-line', 'one line for each host')
    .option('--task-timeout <seconds>', 'how long the task may take', positive)
    .option('--allow-empty', 'a pattern that matches no host is no error')
    .option('--playbook-dir <path>', 'directory whose group_vars, host_vars and library count')
    .option('--output <format>', 'how the run is shown: as for play, besides minimal and oneline');
  addInventoryOptions(command);
  addConnectionOptions(command);
  addVariableOptions(command);
  addRunningOptions(command);
  return command.action(async (pattern: string, flags: RunFlags) => {
    process.exitCode = await run(pattern, flags, signal);
  });
}

async function run(pattern: string, flags: RunFlags, signal: AbortSignal): Promise<number> {
  const { playbookDir } = flags;
  const setting = await openSetting(flags, playbookDir === undefined ? [] : [`${playbookDir}/.`]);
  const { settings, file } = setting.config;
  const output = openOutput(flags.output ?? (flags.oneLine === true ? 'oneline' : 'minimal'), {
    settings,
    verbosity: verbosityOf(setting, flags),
    profile: false,
    diff: flags.diff === true || settings.diffAlways,
    check: flags.check === true,
    configFile: file,
  });
  const emit = withWarnings(output.emit, setting);
  for (const text of needlessOptions(flags)) emit({ type: 'warning', text });
  const playbook = await adHocPlaybook(setting, {
    pattern,
    module: flags.moduleName,
    args: flags.args,
    taskTimeoutSeconds: flags.taskTimeout,
  });
  const options = await runOptions(setting, flags);
  const services = runServices(setting, emit, {
    signal,
    verbosity: options.verbosity,
    flushCache: flags.flushCache,
  });
  const summary = await runPlaybooks([playbook], services, options).finally(() => output.close());
  if (signal.aborted) return EXIT.interrupted;
  return summary.isEmpty && flags.allowEmpty !== true ? EXIT.error : exitCodeOf(summary);
}
