import { posix } from 'node:path';
import { defineModule, type PathState, type Reader, TaskError } from '../engine/module.ts';
import { type Infer, object, path } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';

const args = object({ src: path('File to read; a link is followed.', { aliases: ['path'] }) });

export const slurp = defineModule<Infer<typeof args>, string>({
  name: 'slurp',
  aliases: ['ansible.builtin.slurp'],
  summary: 'Read a file of the host into a variable, as base64.',
  args,

  examples: [{ title: 'Read the name of the machine', args: { src: '/etc/hostname' } }],

  returns: {
    content: 'The bytes of the file, in base64.',
    encoding: 'How `content` is encoded, always `base64`.',
    source: 'The file that was read.',
  },

  async probe(host, { src }) {
    const wanted = { follow: true, content: true } as const;
    const file = await host.path(src, wanted).catch((error) => {
      throw isDenied(error) ? new TaskError(`File is not readable: ${src}`) : error;
    });
    if (file === undefined) throw await missing(host, src);
    if (file.type === 'directory') {
      const { code } = await host.read(sh`test -r ${src}`);
      if (code !== 0) throw new TaskError(`File is not readable: ${src}`);
      throw new TaskError(`Source is a directory and must be a file: ${src}`);
    }
    return file.content?.toString('base64') ?? (await readLarge(host, file));
  },

  plan: (content) => ({ before: content, after: content, steps: [], effects: [] }),

  report: (content, { src }) => ({ content, encoding: 'base64', source: src }),
});

/** Whether a directory above keeps the file from being looked at. */
function isDenied(error: unknown): boolean {
  return error instanceof TaskError && error.message.endsWith('Permission denied');
}

/** What is no regular file, or too large to be read with its state, is read on its own. */
async function readLarge(host: Reader, { path: src }: PathState): Promise<string> {
  const { code, stdout, stderr } = await host.read(sh`base64 <${src}`);
  if (code === 0) return stdout.replaceAll('\n', '');
  throw new TaskError(`File is not readable: ${src}`, { result: { rc: code, stderr } });
}

async function missing(host: Reader, src: string): Promise<TaskError> {
  const above = await host.path(posix.dirname(src), { follow: true });
  const isBelowFile = above !== undefined && above.type !== 'directory';
  return new TaskError(
    isBelowFile
      ? `Unable to slurp file: ${posix.dirname(src)} is no directory`
      : `File not found: ${src}`,
  );
}
