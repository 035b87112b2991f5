import { randomBytes } from 'node:crypto';
import { defineConversation, fileResult, run, TaskError } from '../engine/module.ts';
import { choice, object, optional, path, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';

const RANDOM_BYTES = 5;

export const tempfile = defineConversation({
  name: 'tempfile',
  aliases: ['ansible.builtin.tempfile'],
  summary: 'Make a temporary file or directory that nobody else can read.',

  args: object({
    state: choice(['file', 'directory'], 'What to make.', { default: 'file' }),
    path: optional(path('Directory to make it in; without it, `$TMPDIR` or `/tmp`.')),
    prefix: string('Beginning of its name.', { default: 'ansible.' }),
    suffix: string('End of its name.', { default: '' }),
  }),

  examples: [
    { title: 'Make a file to download into', args: { suffix: '.tar.gz' } },
    { title: 'Make a directory to build in', args: { state: 'directory', suffix: '.build' } },
  ],

  returns: { path: 'The path that was made. It stays until something removes it.' },

  async run({ host }, { state, path: directory, prefix, suffix }) {
    checkComponents({ prefix, suffix });
    const name = `${prefix}${randomBytes(RANDOM_BYTES).toString('hex')}${suffix}`;
    const parent = directory === undefined ? sh`"\${TMPDIR:-/tmp}"` : sh`${directory}`;
    const make = state === 'directory' ? sh`mkdir -- "$p"` : sh`set -C && true >"$p"`;
    const { stdout } = await host.perform(
      run(sh`umask 077; p=${parent}/${name}; ${make} && printf %s "$p"`, {
        failure: `a temporary ${state} cannot be made`,
      }),
    );
    const made = await host.path(stdout);
    if (made === undefined) throw new TaskError(`"${stdout}" is gone as soon as it was made`);
    return { result: { changed: true, path: stdout, ...fileResult(made) } };
  },

  resultInCheckMode: () => ({
    skipped: true,
    msg: 'remote module (tempfile) does not support check mode',
  }),
});

function checkComponents(parts: Readonly<Record<string, string>>): void {
  for (const [name, part] of Object.entries(parts)) {
    if (!part.includes('/')) continue;
    throw new TaskError(`${name} must be a valid file name component, got '${part}'`);
  }
}
