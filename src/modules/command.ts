import { defineModule, TaskError } from '../engine/module.ts';
import { boolean, list, object, optional, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import { splitWords } from '../shared/shell-words.ts';
import {
  type CommandArgs,
  commandArgs,
  commandBeats,
  commandReturns,
  type Task,
} from './support/command-task.ts';
import { expandedWord } from './support/shell-word.ts';

interface Args extends CommandArgs {
  readonly cmd: string | undefined;
  readonly argv: readonly string[] | undefined;
  readonly expand_argument_vars: boolean;
  readonly executable: string | undefined;
}

export const command = defineModule({
  name: 'command',
  aliases: ['ansible.builtin.command'],
  summary: 'Run a program without a shell.',

  args: object({
    cmd: optional(string('The program and its arguments, split as a shell splits words.')),
    argv: optional(list(string('One word.'), 'The program and its arguments, one by one.')),
    ...commandArgs,
    expand_argument_vars: boolean(
      'Whether `~` and `$NAME` at or in a word are expanded from the environment on the host.',
      { default: true },
    ),
    executable: optional(string('Ignored with a warning; only `shell` has one.')),
  }),
  freeForm: 'cmd',
  mutuallyExclusive: [['cmd', 'argv']],
  requiredOneOf: [['cmd', 'argv']],

  examples: [
    {
      title: 'Make a file system once',
      args: { cmd: 'mkfs.ext4 /dev/vdb', creates: '/data/lost+found' },
    },
    {
      title: 'Give the words one by one',
      args: { argv: ['kubeadm', 'join', '--config', '/etc/kubeadm.yaml'] },
    },
  ],

  returns: commandReturns,

  ...commandBeats(taskOf),
});

function taskOf(args: Args): Task {
  const cmd = args.argv ?? wordsOf(args.cmd ?? '');
  if (cmd.length === 0) throw new TaskError('no command given', { result: { rc: 256 } });
  const words = cmd.map((word) => (args.expand_argument_vars ? expandedWord(word) : sh`${word}`));
  if (args.executable === undefined) return { args, cmd, words };
  const warning =
    "As of Ansible 2.4, the parameter 'executable' is no longer supported with the 'command' module. " +
    `Not using '${args.executable}'.`;
  return { args, cmd, words, warnings: [warning] };
}

function wordsOf(cmd: string): string[] {
  try {
    return splitWords(cmd);
  } catch (error) {
    if (error instanceof SyntaxError) throw new TaskError(error.message, { hint: `in: ${cmd}` });
    throw error;
  }
}
