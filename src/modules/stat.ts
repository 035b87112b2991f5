import { defineModule, type PathState } from '../engine/module.ts';
import { formatMode } from '../shared/file-mode.ts';
import { boolean, choice, type Infer, object, path } from '../shared/schema.ts';
import { probeDetails, type StatDetails } from './support/stat-details.ts';

const args = object({
  path: path('What to look at.', { aliases: ['dest', 'name'] }),
  follow: boolean('Look at what a link points to.', { default: false }),
  get_checksum: boolean('Read a regular file and give its digest.', { default: true }),
  checksum_algorithm: choice(
    ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
    'Which digest.',
    { default: 'sha1', aliases: ['checksum', 'checksum_algo'] },
  ),
  get_mime: boolean('Ask `file` what the content is.', {
    default: true,
    aliases: ['mime', 'mime_type', 'mime-type'],
  }),
  get_attributes: boolean('Ask `lsattr` for the flags.', {
    default: true,
    aliases: ['attr', 'attributes'],
  }),
});

interface Seen {
  readonly state: PathState;
  readonly details: StatDetails;
}

export const stat = defineModule<Infer<typeof args>, Seen | undefined>({
  name: 'stat',
  aliases: ['ansible.builtin.stat'],
  summary: 'Tell everything about a file, directory or link.',
  args,

  examples: [
    { title: 'Look at a file', args: { path: '/etc/hosts' } },
    {
      title: 'Only ask whether it exists, which costs least',
      args: {
        path: '/var/lib/big.img',
        get_checksum: false,
        get_mime: false,
        get_attributes: false,
      },
    },
  ],

  returns: {
    stat: 'Whether the path exists, and if so type, mode, owner, times, access, digest, mime type and flags.',
  },

  async probe(host, wanted) {
    const { path: at, follow, get_checksum, checksum_algorithm } = wanted;
    const [state, details] = await Promise.all([
      host.path(at, { follow, ...(get_checksum && { checksum: checksum_algorithm }) }),
      probeDetails(host, wanted),
    ]);
    return state && { state, details };
  },

  plan: (now) => ({ before: now, after: now, steps: [], effects: [] }),

  report: (seen, wanted) => ({
    stat:
      seen === undefined
        ? { exists: false }
        : {
            exists: true,
            ...describe(seen.state),
            ...permissions(seen.state),
            ...seen.details,
            path: wanted.path,
          },
  }),
});

function describe(state: PathState): Readonly<Record<string, unknown>> {
  const { type, mode, uid, gid, owner, group, checksum } = state;
  return {
    mode: formatMode(mode),
    isdir: type === 'directory',
    ischr: type === 'char',
    isblk: type === 'block',
    isreg: type === 'file',
    isfifo: type === 'fifo',
    islnk: type === 'link',
    issock: type === 'socket',
    uid,
    gid,
    size: state.size,
    inode: state.inode,
    dev: state.device,
    nlink: state.links,
    atime: state.atime,
    mtime: state.mtime,
    ctime: state.ctime,
    // An id without a name is given as its number, which is not a name.
    ...(owner !== String(uid) && { pw_name: owner }),
    ...(group !== String(gid) && { gr_name: group }),
    ...(checksum !== undefined && { checksum }),
    ...(state.target !== undefined && { lnk_target: state.target }),
  };
}

function permissions({ mode }: PathState): Readonly<Record<string, boolean>> {
  const has = (bit: number) => (mode & bit) !== 0;
  return {
    rusr: has(0o400),
    wusr: has(0o200),
    xusr: has(0o100),
    rgrp: has(0o040),
    wgrp: has(0o020),
    xgrp: has(0o010),
    roth: has(0o004),
    woth: has(0o002),
    xoth: has(0o001),
    isuid: has(0o4000),
    isgid: has(0o2000),
  };
}
