import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  defineConversation,
  type PathState,
  type Result,
  TaskError,
  type Writer,
} from '../engine/module.ts';
import { expandHome } from '../shared/home-path.ts';
import { makeDirectories } from '../shared/make-directories.ts';
import { boolean, object, optional, path, raw, string } from '../shared/schema.ts';

const RANDOM_BYTES = 6;

export const fetch = defineConversation({
  name: 'fetch',
  aliases: ['ansible.builtin.fetch'],
  summary: 'Copy a file of a host to the controller.',

  args: object({
    src: path('File of the host; a link is followed.'),
    dest: string(
      'Directory of the controller; the file goes to `<dest>/<host>/<src>`, with `flat` to `<dest>`.',
    ),
    flat: boolean('Use `dest` as it is; with a final `/`, the file keeps its name in it.', {
      default: false,
    }),
    fail_on_missing: boolean('Fail when the file is not there.', { default: true }),
    mode: optional(raw('Taken because Ansible takes it; the file has the usual mode there, too.')),
    validate_checksum: boolean('Compare the digests of both sides after the transfer.', {
      default: true,
    }),
  }),

  examples: [
    { title: 'Keep a copy for each host', args: { src: '/etc/hostname', dest: 'backup' } },
    {
      title: 'Fetch the credentials of a cluster',
      args: { src: '/etc/kubernetes/admin.conf', dest: './kubeconfig', flat: true },
    },
  ],

  returns: {
    dest: 'Where the file is on the controller.',
    checksum: 'SHA-1 of the file on the controller.',
    remote_checksum: 'SHA-1 of the file on the host.',
    md5sum: 'MD5 of the file on the controller.',
    file: 'The file on the host, when it was not transferred.',
  },

  async run({ host, controller }, { src, dest: wanted, flat, fail_on_missing, validate_checksum }) {
    const remote = await find(host, src);
    if ('hindrance' in remote) {
      const { hindrance, ignored } = remote;
      if (fail_on_missing) throw new TaskError(hindrance);
      return { result: ignored };
    }
    const base = resolve(controller.playbookDir, expandHome(wanted));
    const dest = flat
      ? await flatDestination(base, wanted, src)
      : join(base, host.name, src.replace(/^\.\.(?=\/)/, ''));
    const local = await digests(dest);
    if (local !== undefined && local.checksum === remote.checksum) {
      return { result: { ...local, dest, file: src } };
    }
    const received = await receive(
      host,
      src,
      dest,
      validate_checksum ? remote.checksum : undefined,
    );
    const { checksum: remote_checksum = received['checksum'] } = remote;
    return { result: { changed: true, ...received, dest, remote_checksum, remote_md5sum: null } };
  },

  makesLocalFiles: true,
  resultInCheckMode: () => ({
    skipped: true,
    msg: 'check mode not (yet) supported for this module',
  }),
});

/** Why a file cannot be fetched, and the result where that is no failure. */
interface Hindrance {
  readonly hindrance: string;
  readonly ignored: Result;
}

const NOT_FETCHED = 'not transferring, ignored';

async function find(host: Writer, src: string): Promise<PathState | Hindrance> {
  let remote: PathState | undefined;
  try {
    remote = await host.path(src, { follow: true, checksum: 'sha1' });
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    const { message } = error;
    return { hindrance: message, ignored: { file: src, msg: `${message}, ${NOT_FETCHED}` } };
  }
  if (remote === undefined) {
    const msg = `the remote file does not exist, ${NOT_FETCHED}`;
    return { hindrance: msg, ignored: { file: src, msg } };
  }
  if (remote.type === 'directory') {
    const hindrance = 'remote file is a directory, fetch cannot work on directories';
    return { hindrance, ignored: { msg: `${hindrance}, ${NOT_FETCHED}` } };
  }
  if (remote.type !== 'file' || remote.checksum !== undefined) return remote;
  const hindrance = `${src} cannot be read`;
  return { hindrance, ignored: { file: src, msg: `${hindrance}, ${NOT_FETCHED}` } };
}

async function flatDestination(base: string, wanted: string, src: string): Promise<string> {
  if (wanted.endsWith('/')) return join(base, basename(src));
  const isDirectory = await stat(base).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDirectory) return base;
  throw new TaskError(
    'dest is an existing directory, use a trailing slash if you want to fetch src into that directory',
    { result: { dest: base } },
  );
}

/** Streams the file into one beside its place, which it takes when it is whole. */
async function receive(
  host: Writer,
  src: string,
  dest: string,
  expected: string | undefined,
): Promise<Result> {
  makeDirectories(dirname(dest));
  const partial = `${dest}.${randomBytes(RANDOM_BYTES).toString('hex')}.part`;
  try {
    await pipeline(host.download(src), createWriteStream(partial));
    const received = await digests(partial);
    if (expected !== undefined && received?.checksum !== expected) {
      const result = { ...received, file: src, dest, remote_checksum: expected };
      throw new TaskError('checksum mismatch', {
        hint: 'the file changed while it was read',
        result,
      });
    }
    await rename(partial, dest);
    return { ...received };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Digests of a local file, or undefined where there is none. */
async function digests(file: string): Promise<{ checksum: string; md5sum: string } | undefined> {
  const [sha1, md5] = [createHash('sha1'), createHash('md5')];
  try {
    for await (const chunk of createReadStream(file)) {
      sha1.update(chunk);
      md5.update(chunk);
    }
  } catch {
    return undefined;
  }
  return { checksum: sha1.digest('hex'), md5sum: md5.digest('hex') };
}
