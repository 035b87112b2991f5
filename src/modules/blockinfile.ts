import { defineModule, TaskError } from '../engine/module.ts';
import { boolean, choice, type Infer, object, string } from '../shared/schema.ts';
import { type BlockWish, editBlock } from './support/block-edit.ts';
import { editArgs, editedPath } from './support/edit-args.ts';
import { type Edit, type EditedFile, planEdit, probeEditedFile } from './support/edited-file.ts';

const args = object({
  path: editedPath,
  block: string('Text between the marker lines; empty removes the block and its markers.', {
    default: '',
    aliases: ['content'],
  }),
  marker: string('The marker lines; `{mark}` becomes `marker_begin` and `marker_end`.', {
    default: '# {mark} ANSIBLE MANAGED BLOCK',
  }),
  marker_begin: string('What `{mark}` is in the first marker line.', { default: 'BEGIN' }),
  marker_end: string('What `{mark}` is in the last marker line.', { default: 'END' }),
  state: choice(['present', 'absent'], 'Whether the block should be there.', {
    default: 'present',
  }),
  append_newline: boolean('An empty line after the block, unless it ends the file.', {
    default: false,
  }),
  prepend_newline: boolean('An empty line before the block, unless it begins the file.', {
    default: false,
  }),
  ...editArgs,
});

type Args = Infer<typeof args>;

export const blockinfile = defineModule<Args, EditedFile>({
  name: 'blockinfile',
  aliases: ['ansible.builtin.blockinfile'],
  summary: 'Keep a block of lines between marker lines in a text file.',
  args,
  mutuallyExclusive: [['insertbefore', 'insertafter']],
  examples: [
    {
      title: 'Name the nodes of the cluster',
      args: { path: '/etc/hosts', block: '10.0.0.1 control\n10.0.0.2 worker1\n' },
    },
    {
      title: 'Keep two blocks in one file apart by their markers',
      args: { path: '/etc/hosts', block: '10.0.0.9 registry', marker: '# {mark} registry' },
    },
  ],
  returns: {
    msg: 'What was done: `Block inserted`, `Block removed`, `File created`.',
    backup_file: 'Path of the old file that was kept.',
  },

  probe: (host, { path: file, ...attributes }) => probeEditedFile(host, file, attributes),

  plan(current, input) {
    const { create, backup, validate } = input;
    if (current.file === undefined && !create) {
      throw new TaskError(`Path ${current.path} does not exist !`, {
        hint: 'set "create: true" to make it',
        result: { rc: 257 },
      });
    }
    const wish = blockWish(input);
    if (current.file === undefined && wish.block === '') {
      const after = { ...current, done: { message: `File ${current.path} not present` } };
      return { before: current, after, steps: [], effects: [] };
    }
    const isNew = current.file === undefined;
    const edit = (text: string) => described(text, editBlock(text, wish), wish, isNew);
    return planEdit(current, { attributes: input, backup, validate, edit });
  },

  report(_state, _input, plan, outputs) {
    const backup = outputs.find(({ backupFile }) => backupFile !== undefined)?.backupFile;
    const msg = plan.after.done?.message ?? '';
    return { msg, ...(backup !== undefined && { backup_file: backup }) };
  },
});

function blockWish(input: Args): BlockWish {
  return {
    block: input.state === 'absent' ? '' : input.block,
    begin: input.marker.replaceAll('{mark}', () => input.marker_begin),
    end: input.marker.replaceAll('{mark}', () => input.marker_end),
    insertAfter: input.insertafter,
    insertBefore: input.insertbefore,
    appendNewline: input.append_newline,
    prependNewline: input.prepend_newline,
  };
}

function described(text: string, edited: string, { block }: BlockWish, isNew: boolean): Edit {
  if (edited === text) return { text, message: '' };
  if (block === '') return { text: edited, message: 'Block removed' };
  return { text: edited, message: isNew ? 'File created' : 'Block inserted' };
}
