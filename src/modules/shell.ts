import { defineModule, TaskError } from '../engine/module.ts';
import { object, path, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import {
  type CommandArgs,
  commandArgs,
  commandBeats,
  commandReturns,
  type Task,
} from './support/command-task.ts';

interface Args extends CommandArgs {
  readonly cmd: string;
  readonly executable: string;
}

export const shell = defineModule({
  name: 'shell',
  aliases: ['ansible.builtin.shell'],
  summary: 'Run a script through a shell of the host.',

  args: object({
    cmd: string('The script.'),
    executable: path('The shell that runs it.', { default: '/bin/sh' }),
    ...commandArgs,
  }),
  freeForm: 'cmd',

  examples: [
    { title: 'Use a pipe', args: { cmd: 'ls /etc | wc -l', chdir: '/' } },
    {
      title: 'Stop at the first failure of a pipe',
      args: { cmd: 'set -o pipefail; zcat dump.gz | psql', executable: '/bin/bash' },
    },
  ],

  returns: commandReturns,

  ...commandBeats(taskOf),
});

function taskOf(args: Args): Task {
  const { cmd, executable } = args;
  if (cmd.trim() === '') throw new TaskError('no command given', { result: { rc: 256 } });
  return { args, cmd, words: [executable, '-c', cmd].map((word) => sh`${word}`) };
}
