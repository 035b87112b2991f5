/** `tsprov-scaler completion`: scripts that complete commands and options in a shell. */
import { Argument, Command } from 'commander';
import { renderCompletion } from '../../../shared/completion-script.ts';

interface CommandEntry {
  readonly summary: string;
  readonly make: () => Promise<Command>;
}
type Entries = Readonly<Record<string, CommandEntry>>;

/** The command, which completes the others. */
export function completionCommand(entries: Entries): Command {
  return new Command('completion')
    .description('Print a script that completes commands and options.')
    .addArgument(new Argument('<shell>', 'for which shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nbash: source <(tsprov-scaler completion bash)\nzsh:  source <(tsprov-scaler completion zsh)\nfish: tsprov-scaler completion fish | source',
    )
    .action(async (shell: string) => {
      const commands = await Promise.all(Object.entries(entries).map(wordsOf));
      process.stdout.write(renderCompletion(shell, 'tsprov-scaler', { commands }));
    });
}

async function wordsOf([name, { summary, make }]: [string, CommandEntry]) {
  const { options, commands } = await make();
  return {
    name,
    summary,
    subcommands: commands.map((each) => each.name()),
    options: options
      .filter(({ hidden }) => !hidden)
      .map(({ long, short, description }) => ({ name: long ?? short ?? '', summary: description })),
  };
}
