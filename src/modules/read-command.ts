import { defineModule } from '../engine/module.ts';
import { type Infer, object, string } from '../shared/schema.ts';
import { givenScript, sh } from '../shared/shell.ts';

const args = object({
  cmd: string('The script, for `/bin/sh`. It must change nothing.'),
});

/** What a script said. */
interface Answer {
  readonly rc: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const readCommand = defineModule<Infer<typeof args>, Answer>({
  name: 'read_command',
  aliases: [],
  summary:
    'Run a script that only reads. It is asked together with what other tasks read, in check runs too, and may be asked before its turn.',
  args,

  examples: [{ title: 'Ask the memory report', args: { cmd: 'free' } }],

  returns: {
    rc: 'Exit code of the script; whatever it is, the task does not fail.',
    stdout: 'What it printed, in the locale `POSIX`.',
    stderr: 'What it printed as errors.',
  },

  async probe(host, { cmd }) {
    const { code, stdout, stderr } = await host.read(sh`/bin/sh -c ${givenScript(cmd)}`);
    return { rc: code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
  },

  plan: (now) => ({ before: now, after: now, steps: [], effects: [] }),

  report: (answer) => ({ ...answer }),
});
