import { change, defineModule, run, TaskError } from '../engine/module.ts';
import { object, optional, path, string } from '../shared/schema.ts';
import { givenScript, sh } from '../shared/shell.ts';

export const raw = defineModule({
  name: 'raw',
  aliases: ['ansible.builtin.raw'],
  summary: 'Run a command line as it is.',

  args: object({
    cmd: string('The command line.', { default: '' }),
    executable: optional(
      path('The shell that runs it, instead of the login shell, or `/bin/sh` for another user.'),
    ),
  }),
  freeForm: 'cmd',
  ignoresEnvironment: true,

  examples: [
    { title: 'Install what Ansible would need', args: { cmd: 'apt-get install -y python3' } },
  ],

  returns: {
    rc: 'Exit code of the command line.',
    stdout: 'What it printed.',
    stderr: 'What it printed as errors.',
  },

  alwaysActs: () => true,

  async probe() {
    return {};
  },

  plan(state, { cmd, executable }) {
    const interpreter = executable === undefined ? sh`"$login"` : sh`${executable}`;
    // POSIX is the connection's own locale, not the user's.
    const line = sh`[ "$LC_ALL" != POSIX ] || unset LC_ALL; ${interpreter} -c ${givenScript(cmd)}`;
    const step = run(line, { always: true, accept: 'any' });
    const effects = [{ kind: 'other', name: `command ${cmd}`, makesFiles: true } as const];
    return change(state, state, [step], { unknowable: { changed: false, skipped: true }, effects });
  },

  report(_state, _args, _plan, [output]) {
    if (output === undefined) return {};
    const { code: rc, stdout, stderr } = output;
    const result = { changed: true, rc, stdout, stderr };
    if (rc === 0) return result;
    throw new TaskError('non-zero return code', { result });
  },
});
