/** `tsprov facts`: what is known about hosts. */
import { Command } from 'commander';
import { dumpJson } from '../../engine/jinja/json.ts';
import type { Emit, ResultInfo } from '../../engine/run/events.ts';
import { runPlaybooks } from '../../engine/run-playbook.ts';
import type { Value } from '../../engine/values.ts';
import { adHocPlaybook } from '../ad-hoc.ts';
import { withWarnings } from '../announce.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import {
  addConnectionOptions,
  addInventoryOptions,
  addRunningOptions,
  addVariableOptions,
  needlessOptions,
} from '../options.ts';
import { type Flags, openSetting, runOptions, runServices } from '../run-services.ts';

interface FactsFlags extends Flags {
  readonly args?: string;
}

export function factsCommand(signal: AbortSignal): Command {
  const command = new Command('facts')
    .description('Show the facts of hosts: one JSON object, by host.')
    .argument('<pattern>', 'the hosts')
    .option('-a, --args <args>', 'what to gather, e.g. "filter=ansible_distribution*"');
  addInventoryOptions(command);
  addConnectionOptions(command);
  addVariableOptions(command);
  addRunningOptions(command);
  return command.action(async (pattern: string, flags: FactsFlags) => {
    process.exitCode = await gather(pattern, flags, signal);
  });
}

async function gather(pattern: string, flags: FactsFlags, signal: AbortSignal): Promise<number> {
  const setting = await openSetting(flags, []);
  const byHost = new Map<string, Value>();
  const emit = withWarnings(listen(byHost), setting);
  for (const text of needlessOptions(flags)) emit({ type: 'warning', text });
  const adHoc = { pattern, module: 'setup', args: flags.args ?? '' };
  const playbook = await adHocPlaybook(setting, adHoc);
  const options = await runOptions(setting, flags);
  const services = runServices(setting, emit, {
    signal,
    verbosity: 0,
    flushCache: flags.flushCache,
  });
  const summary = await runPlaybooks([playbook], services, options);
  if (signal.aborted) return EXIT.interrupted;
  process.stdout.write(`${dumpJson(byHost, { indent: 4, sortKeys: true, asciiOnly: false })}\n`);
  return exitCodeOf(summary);
}

function listen(byHost: Map<string, Value>): Emit {
  return (event) => {
    if (event.type === 'warning') process.stderr.write(`[WARNING]: ${event.text}\n`);
    if (event.type === 'no-hosts-matched')
      process.stderr.write('[WARNING]: No hosts matched, nothing to do\n');
    if (event.type === 'result') keep(byHost, event.info);
  };
}

function keep(byHost: Map<string, Value>, { host, status, result }: ResultInfo): void {
  if (status === 'ok') byHost.set(host, result.get('ansible_facts') ?? null);
  else process.stderr.write(`${host}: ${String(result.get('msg') ?? status)}\n`);
}
