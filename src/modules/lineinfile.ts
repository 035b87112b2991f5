import { defineModule, TaskError } from '../engine/module.ts';
import { boolean, choice, type Infer, object, optional, string } from '../shared/schema.ts';
import { editArgs, editedPath } from './support/edit-args.ts';
import { type EditedFile, planEdit, probeEditedFile } from './support/edited-file.ts';
import { dropLines, type LineWish, putLine } from './support/line-edit.ts';

const args = object({
  path: editedPath,
  line: optional(
    string('The line as it should be; with `backrefs`, groups of the match are filled in.', {
      aliases: ['value'],
    }),
  ),
  regexp: optional(
    string('Python pattern of the line to replace (the last that matches) or to remove (all).', {
      aliases: ['regex'],
    }),
  ),
  search_string: optional(string('Text that the line to replace or remove contains.')),
  state: choice(['present', 'absent'], 'Whether the line should be there.', { default: 'present' }),
  backrefs: boolean('Fill `\\1` and `\\g<name>` in `line`; without a match nothing is changed.', {
    default: false,
  }),
  firstmatch: boolean('The first line that matches counts instead of the last.', {
    default: false,
  }),
  ...editArgs,
});

type Args = Infer<typeof args>;

const FITS_EVERYTHING =
  'which will match every line in the file. This may have unintended consequences, such as replacing the last line in the file rather than appending.';

export const lineinfile = defineModule<Args, EditedFile>({
  name: 'lineinfile',
  aliases: ['ansible.builtin.lineinfile'],
  summary: 'Keep one line of a text file as it should be.',
  args,
  mutuallyExclusive: [
    ['insertbefore', 'insertafter'],
    ['regexp', 'search_string'],
    ['backrefs', 'search_string'],
  ],
  requiredIf: [
    { argument: 'state', value: 'present', needs: ['line'] },
    { argument: 'state', value: 'absent', needs: ['line', 'search_string', 'regexp'], any: true },
    { argument: 'backrefs', value: true, needs: ['regexp'] },
  ],
  examples: [
    {
      title: 'Forbid root to log in by password',
      args: {
        path: '/etc/ssh/sshd_config',
        regexp: '^#?PermitRootLogin',
        line: 'PermitRootLogin prohibit-password',
        validate: '/usr/sbin/sshd -t -f %s',
      },
    },
    {
      title: 'Add a parameter to the boot command line',
      args: {
        path: '/boot/firmware/cmdline.txt',
        regexp: '^((?!.*cgroup_enable=memory).*)$',
        line: '\\1 cgroup_enable=memory',
        backrefs: true,
      },
    },
  ],
  returns: {
    msg: 'What was done: `line added`, `line replaced`, `2 line(s) removed`.',
    backup: 'Path of the old file that was kept, else empty.',
    found: 'With `state: absent`, how many lines were removed.',
  },

  probe: (host, { path: file, ...attributes }) => probeEditedFile(host, file, attributes),

  plan(current, input) {
    const { create, state } = input;
    if (current.file === undefined && state === 'absent') {
      const after = { ...current, done: { message: 'file not present' } };
      return { before: current, after, steps: [], effects: [] };
    }
    if (current.file === undefined && !create) {
      throw new TaskError(`Destination ${current.path} does not exist !`, {
        hint: 'set "create: true" to make it',
        result: { rc: 257 },
      });
    }
    const wish = lineWish(input);
    const { backup, validate } = input;
    const edit = (text: string) =>
      state === 'present' ? putLine(text, wish) : dropLines(text, wish);
    const plan = planEdit(current, { attributes: input, backup, validate, edit });
    return { ...plan, warnings: [...(plan.warnings ?? []), ...vague(input)] };
  },

  report(_state, _input, plan, outputs) {
    const { message = '', found } = plan.after.done ?? {};
    if (plan.before.file === undefined && plan.steps.length === 0 && message !== '')
      return { msg: message };
    const backup = outputs.find(({ backupFile }) => backupFile !== undefined)?.backupFile ?? '';
    return { msg: message, backup, ...(found !== undefined && { found }) };
  },
});

/** Warnings of a search that finds every line. */
function vague({ regexp, search_string }: Args): string[] {
  return [
    ...(regexp === ''
      ? [
          `The regular expression is an empty string, ${FITS_EVERYTHING} If this is desired, use '^' to match every line in the file and avoid this warning.`,
        ]
      : []),
    ...(search_string === '' ? [`The search string is an empty string, ${FITS_EVERYTHING}`] : []),
  ];
}

function lineWish(input: Args): LineWish {
  return {
    line: input.line,
    regexp: input.regexp,
    searchString: input.search_string,
    insertAfter: input.insertafter,
    insertBefore: input.insertbefore,
    firstMatch: input.firstmatch,
    backrefs: input.backrefs,
  };
}
