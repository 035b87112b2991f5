/** `tsprov validate`: finds what is wrong in files before any host is contacted. */
import { Command } from 'commander';
import type { Emit } from '../../engine/run/events.ts';
import { loadPlaybooks } from '../../engine/run-playbook.ts';
import { InvalidInput, type Problem } from '../../shared/errors.ts';
import { withWarnings } from '../announce.ts';
import { openFactCache } from '../fact-cache.ts';
import { type LookFlags, lookOf } from '../look.ts';
import { addInventoryOptions, addVariableOptions } from '../options.ts';
import { type Flags, openSetting, type Setting } from '../run-services.ts';
import { collect } from '../vault-options.ts';

interface ValidateFlags extends Flags, LookFlags {}

export function validateCommand(): Command {
  const command = new Command('validate')
    .description('Check playbooks, inventory and variables. No host is contacted.')
    .argument('<playbook...>', 'playbook files')
    .option('-M, --module-path <directories>', 'more directories of modules', collect);
  addVariableOptions(addInventoryOptions(command))
    .option('-t, --tags <tags>', 'as a run with these tags; may be repeated', collect)
    .option('--skip-tags <tags>', 'as a run without these tags; may be repeated', collect)
    .option('--strict', 'refuse what is wrong in tasks that may not run, too');
  return command.action(async (files: string[], flags: ValidateFlags) => {
    await validate(files, flags);
    process.stdout.write(`${files.join(', ')}: no problems found\n`);
  });
}

/** Throws InvalidInput with every problem of the playbooks, the inventory and the variables of every host. */
async function validate(files: readonly string[], flags: ValidateFlags): Promise<void> {
  const problems: Problem[] = [];
  const setting = await openSetting(flags, files).catch(async (error: unknown) => {
    problems.push(...problemsOf(error));
    // The playbooks can be judged even where the inventory is broken.
    return await openSetting({ ...flags, inventory: ['localhost,'] }, files);
  });
  const emit = withWarnings(warn, setting);
  const factCache = openFactCache(setting.config.settings, (text) =>
    emit({ type: 'warning', text }),
  );
  await loadPlaybooks(
    files,
    { ...setting, emit, factCache },
    { ...lookOf(setting, flags), thorough: true },
  ).catch((error: unknown) => {
    problems.push(...problemsOf(error));
  });
  problems.push(...hostProblems(setting));
  emit({ type: 'message', text: '' });
  if (problems.length > 0) throw new InvalidInput(unique(problems));
}

const warn: Emit = (event) => {
  if (event.type === 'warning') process.stderr.write(`[WARNING]: ${event.text}\n`);
};

/** What is wrong with group_vars and host_vars: they are read when a host's variables are asked for. */
function hostProblems({ inventory }: Setting): Problem[] {
  return inventory.hosts.flatMap((host) => {
    try {
      inventory.hostVars(host);
      return [];
    } catch (error) {
      return problemsOf(error);
    }
  });
}

function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof InvalidInput) return error.problems;
  throw error;
}

function unique(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
}
