import { posix } from 'node:path';
import { defineModule, fileAttributes, fileReturns, TaskError } from '../engine/module.ts';
import { unlisted } from '../shared/conceal.ts';
import { boolean, type Infer, object, optional, path, raw, string } from '../shared/schema.ts';
import { planPlaces } from './support/copy-plan.ts';
import { copyResult } from './support/copy-result.ts';
import { type CopySource, givenSource, localSource } from './support/copy-source.ts';
import { type CopyNow, type CopyWish, probePlaces } from './support/copy-task.ts';
import { remoteSource } from './support/remote-source.ts';

const args = object({
  src: optional(
    string('File or directory of the controller; of a directory with a final `/`, what is in it.'),
  ),
  content: unlisted(optional(raw('The content itself; a mapping or list becomes JSON.'))),
  dest: path('Where to put it; with a final `/`, a directory that is made where it is missing.'),
  mode: optional(
    raw('Permissions of files, octal in quotes or symbolic; `preserve` takes those of the source.'),
  ),
  directory_mode: optional(raw('Permissions of directories that are made.')),
  remote_src: boolean('The source is on the host itself.', { default: false }),
  force: boolean('Replace a file that differs.', { default: true, aliases: ['thirsty'] }),
  follow: boolean('Where the destination is a link, write what it points to.', { default: false }),
  local_follow: optional(
    boolean(
      'Copy what links in a directory point to instead of the links; on, except for `remote_src`.',
    ),
  ),
  backup: boolean('Keep the old file beside the new one, with the time in its name.', {
    default: false,
  }),
  validate: optional(
    string('Command that judges the new file before it takes its place; `%s` is its path.'),
  ),
  checksum: optional(string('SHA-1 that the source must have.')),
  decrypt: boolean('Decrypt a source that is encrypted with vault.', { default: true }),
  owner: fileAttributes.owner,
  group: fileAttributes.group,
  seuser: fileAttributes.seuser,
  serole: fileAttributes.serole,
  setype: fileAttributes.setype,
  selevel: fileAttributes.selevel,
  attributes: fileAttributes.attributes,
  unsafe_writes: fileAttributes.unsafe_writes,
});

type Args = Infer<typeof args>;

const NO_NAME = 'can not use content with a dir as dest';

/** The arguments, and what lies on the controller. */
interface Input {
  readonly args: Args;
  readonly source: CopySource | undefined;
}

interface State {
  readonly now: CopyNow;
  readonly wish: CopyWish;
}

export const copy = defineModule<Args, State, Input>({
  name: 'copy',
  aliases: ['ansible.builtin.copy'],
  summary: 'Copy files, directories or given content to a host.',
  args,
  mutuallyExclusive: [['src', 'content']],
  requiredOneOf: [['src', 'content']],

  examples: [
    { title: 'Copy a file', args: { src: 'motd', dest: '/etc/motd', mode: '0644' } },
    {
      title: 'Write a content',
      args: { content: 'overlay\nbr_netfilter\n', dest: '/etc/modules-load.d/k8s.conf' },
    },
    {
      title: 'Replace a file only when the new one is valid',
      args: { src: 'sudoers', dest: '/etc/sudoers', validate: '/usr/sbin/visudo -cf %s' },
    },
    {
      title: 'Copy a directory that is on the host',
      args: { src: '/etc/skel/', dest: '/srv/skel/', remote_src: true, mode: 'preserve' },
    },
  ],

  returns: {
    dest: 'Where it is.',
    src: 'What was copied.',
    checksum: 'SHA-1 of the file.',
    md5sum: 'MD5 of the file, when it was copied.',
    backup_file: 'Where the old file was kept.',
    ...fileReturns,
    state: 'What is there: `file`.',
  },

  async prepare(controller, wanted) {
    const { src, content, remote_src, decrypt, local_follow: followLinks = true } = wanted;
    if (content !== undefined && wanted.dest.endsWith('/')) {
      throw new TaskError(NO_NAME);
    }
    if (src === '') throw new TaskError('src (or content) is required');
    if (src === undefined) return { args: wanted, source: givenSource(content) };
    if (remote_src) return { args: wanted, source: undefined };
    return { args: wanted, source: await localSource(controller, src, { decrypt, followLinks }) };
  },

  async probe(host, { args: wanted, source }) {
    const { src = '', local_follow: followLinks = false } = wanted;
    const wish = wishOf(wanted, source ?? (await remoteSource(host, src, { followLinks })));
    const now = await probePlaces(host, wish);
    if (wanted.content !== undefined && now.top?.type === 'directory') throw new TaskError(NO_NAME);
    return { wish, now };
  },

  plan({ now, wish }) {
    const plan = planPlaces(now, wish);
    return { ...plan, before: { now, wish }, after: { now: plan.after, wish } };
  },

  report: ({ now, wish }, _, plan, outputs) => copyResult(now, wish, plan, outputs),
});

function wishOf(wanted: Args, source: CopySource): CopyWish {
  const { src, dest, mode, directory_mode: directoryMode } = wanted;
  const { force, follow, backup, validate, checksum } = wanted;
  const preservesMode = mode === 'preserve';
  const isContents = source.isTree && src?.endsWith('/') === true;
  const name = src === undefined || isContents ? undefined : posix.basename(source.path ?? src);
  const attributes = { ...wanted, mode: preservesMode ? undefined : mode };
  return {
    ...{ dest, src, source, name, attributes, directoryMode, preservesMode },
    ...{ force, follow, backup, validate, checksum },
  };
}
