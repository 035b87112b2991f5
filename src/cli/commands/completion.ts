/** `tsprov completion`: scripts that complete commands and options in a shell. */
import { Argument, Command } from 'commander';
import { moduleNames } from '../../modules/registry.ts';
import { type Completions, renderCompletion } from '../../shared/completion-script.ts';
import { type CommandEntry, fullCommand } from '../command-entry.ts';

type Entries = Readonly<Record<string, CommandEntry>>;

/** The command, which completes the others. */
export function completionCommand(entries: Entries): Command {
  return new Command('completion')
    .description('Print a script that completes commands, options and modules.')
    .addArgument(new Argument('<shell>', 'for which shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nbash: source <(tsprov completion bash)\nzsh:  source <(tsprov completion zsh)\nfish: tsprov completion fish | source',
    )
    .action(async (shell: string) => {
      process.stdout.write(renderCompletion(shell, 'tsprov', await completions(entries)));
    });
}

async function completions(entries: Entries): Promise<Completions> {
  const never = new AbortController().signal;
  const commands = Object.entries(entries).map(async ([name, entry]) => {
    const command = await fullCommand(name, entry, never);
    const subcommands = command.commands.map((each) => each.name());
    const below = command.commands.flatMap((each) => optionsOf(each));
    const options = [
      ...new Map([...optionsOf(command), ...below].map((each) => [each.name, each])).values(),
    ];
    return { name, summary: entry.summary, subcommands, options };
  });
  const modules = Object.keys(moduleNames).filter((name) => !name.includes('.'));
  return { commands: await Promise.all(commands), modules: modules.sort() };
}

function optionsOf(command: Command): { name: string; summary: string }[] {
  return command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description }) => ({ name: long ?? short ?? '', summary: description }));
}
