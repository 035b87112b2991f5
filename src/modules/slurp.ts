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
    const file = await host.path(src, { follow: true, content: true });
    if (file === undefined) throw new TaskError(`File not found: ${src}`);
    if (file.type === 'directory') {
      throw new TaskError(`Source is a directory and must be a file: ${src}`);
    }
    return file.content?.toString('base64') ?? (await readLarge(host, file));
  },

  plan: (content) => ({ before: content, after: content, steps: [], effects: [] }),

  report: (content, { src }) => ({ content, encoding: 'base64', source: src }),
});

/** What is no regular file, or too large to be read with its state, is read on its own. */
async function readLarge(host: Reader, { path: src }: PathState): Promise<string> {
  const { code, stdout, stderr } = await host.read(sh`base64 <${src}`);
  if (code === 0) return stdout.replaceAll('\n', '');
  throw new TaskError(`file is not readable: ${src}`, { result: { rc: code, stderr } });
}
