import { statSync } from 'node:fs';
import { posix } from 'node:path';
import { defineModule, fileAttributes, fileReturns } from '../engine/module.ts';
import {
  boolean,
  choice,
  type Infer,
  object,
  optional,
  path,
  raw,
  string,
} from '../shared/schema.ts';
import { planPlaces } from './support/copy-plan.ts';
import { copyResult } from './support/copy-result.ts';
import { type CopySource, wholeContent } from './support/copy-source.ts';
import { type CopyNow, type CopyWish, probePlaces } from './support/copy-task.ts';
import { encodeText } from './support/text-encoding.ts';

const args = object({
  src: string('Template of the controller: `.hbs` is Handlebars, anything else is Jinja.'),
  dest: path(
    'Where to put the text; with a final `/`, a directory that is made where it is missing.',
  ),
  newline_sequence: choice(
    ['\n', '\r', '\r\n', '\\n', '\\r', '\\r\\n'],
    'How lines end in the result; escapes may be written out.',
    { default: '\n' },
  ),
  block_start_string: string('Beginning of a statement.', { default: '{%' }),
  block_end_string: string('End of a statement.', { default: '%}' }),
  variable_start_string: string('Beginning of an expression.', { default: '{{' }),
  variable_end_string: string('End of an expression.', { default: '}}' }),
  comment_start_string: optional(string('Beginning of a comment.')),
  comment_end_string: optional(string('End of a comment.')),
  trim_blocks: boolean('Drop the newline after a statement.', { default: true }),
  lstrip_blocks: boolean('Drop the blanks before a statement.', { default: false }),
  output_encoding: string('Encoding of the result.', { default: 'utf-8' }),
  force: boolean('Replace a file that differs.', { default: true }),
  follow: boolean('Where the destination is a link, write what it points to.', { default: false }),
  backup: boolean('Keep the old file beside the new one, with the time in its name.', {
    default: false,
  }),
  validate: optional(
    string('Command that judges the new file before it takes its place; `%s` is its path.'),
  ),
  ...fileAttributes,
  mode: optional(
    raw('Permissions, octal in quotes or symbolic; `preserve` takes those of the template.'),
  ),
});

type Args = Infer<typeof args>;

interface Input {
  readonly args: Args;
  readonly source: CopySource;
}

interface State {
  readonly now: CopyNow;
  readonly wish: CopyWish;
}

export const template = defineModule<Args, State, Input>({
  name: 'template',
  aliases: ['ansible.builtin.template'],
  summary: 'Render a template and copy the result to a host.',
  args,

  examples: [
    {
      title: 'Write a configuration file',
      args: { src: 'crio.conf.hbs', dest: '/etc/crio/crio.conf', mode: '0644' },
    },
    {
      title: 'Replace a file only when the new one is valid',
      args: {
        src: 'sshd_config.j2',
        dest: '/etc/ssh/sshd_config',
        validate: '/usr/sbin/sshd -t -f %s',
      },
    },
  ],

  returns: {
    dest: 'Where the text is.',
    src: 'The template.',
    checksum: 'SHA-1 of the text.',
    md5sum: 'MD5 of the text, when it was written.',
    backup_file: 'Where the old file was kept.',
    ...fileReturns,
    state: 'What is there: `file`.',
  },

  prepare(controller, wanted) {
    const file = controller.findFile('templates', wanted.src);
    const text = controller.renderTemplate(file, {
      trimBlocks: wanted.trim_blocks,
      lstripBlocks: wanted.lstrip_blocks,
      newlineSequence: unescaped(wanted.newline_sequence),
      variableStart: wanted.variable_start_string,
      variableEnd: wanted.variable_end_string,
      blockStart: wanted.block_start_string,
      blockEnd: wanted.block_end_string,
      ...(wanted.comment_start_string !== undefined && {
        commentStart: wanted.comment_start_string,
      }),
      ...(wanted.comment_end_string !== undefined && { commentEnd: wanted.comment_end_string }),
      name: wanted.src,
      destination: wanted.dest,
    });
    const content = wholeContent(encodeText(text, wanted.output_encoding));
    const mode = fileMode(file);
    const entries = [{ relative: '', type: 'file', mode, content } as const];
    return { args: wanted, source: { path: file, isRemote: false, isTree: false, entries } };
  },

  async probe(host, { args: wanted, source }) {
    const wish = wishOf(wanted, source);
    return { wish, now: await probePlaces(host, wish) };
  },

  plan({ now, wish }) {
    const plan = planPlaces(now, wish);
    return { ...plan, before: { now, wish }, after: { now: plan.after, wish } };
  },

  report: ({ now, wish }, _, plan, outputs) => copyResult(now, wish, plan, outputs),
});

function wishOf(wanted: Args, source: CopySource): CopyWish {
  const { dest, mode, force, follow, backup, validate } = wanted;
  const preservesMode = mode === 'preserve';
  const attributes = { ...wanted, mode: preservesMode ? undefined : mode };
  return {
    ...{
      dest,
      src: wanted.src,
      source,
      name: posix.basename(source.path ?? ''),
      attributes,
      preservesMode,
    },
    ...{ force, follow, backup, validate, directoryMode: undefined, checksum: undefined },
  };
}

/** A newline sequence from a YAML text in which `\\n` is two characters. */
function unescaped(sequence: string): string {
  return sequence.replaceAll('\\r', '\r').replaceAll('\\n', '\n');
}

/** Permission bits of the template itself, for `mode: preserve`. */
function fileMode(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o7777;
}
