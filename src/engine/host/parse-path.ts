import { TaskError } from '../../shared/errors.ts';
import type { Output } from '../connection/connection.ts';
import type { FileType, PathState } from '../host-contract.ts';

/** The file type bits of a mode, S_IFMT, shifted to the right. */
const TYPES: Readonly<Record<number, FileType>> = {
  1: 'fifo',
  2: 'char',
  4: 'directory',
  6: 'block',
  8: 'file',
  10: 'link',
  12: 'socket',
};

/** What `pathScript` printed about a path; undefined where nothing is there. Throws TaskError where that is hidden. */
export function parsePath(path: string, output: Output): PathState | undefined {
  if (output.code !== 0) return explainAbsence(path, output.stderr.toString());
  const [numbers = '', owner = '', group = '', ...rest] = output.stdout.toString().split('\n');
  const [mode = '', uid, gid, size, inode, device, links, ...times] = numbers.split('|');
  const [atime = '', mtime = '', ctime = ''] = times;
  const bits = Number.parseInt(mode, 16);
  const type = TYPES[bits >> 12] ?? 'file';
  return {
    path,
    type,
    mode: bits & 0o7777,
    uid: Number(uid),
    gid: Number(gid),
    owner: owner === 'UNKNOWN' ? String(uid) : owner,
    group: group === 'UNKNOWN' ? String(gid) : group,
    size: Number(size),
    inode: Number(inode),
    device: Number(device),
    links: Number(links),
    atime: parseTime(atime),
    mtime: parseTime(mtime),
    ctime: parseTime(ctime),
    ...parseLink(type, rest),
    ...(type === 'file' && parseFile(rest)),
  };
}

/** A link's target, or for a followed link the path where it leads. It may hold newlines, so it comes last. */
function parseLink(
  type: FileType,
  lines: readonly string[],
): { target?: string; realPath?: string } {
  const at = lines.indexOf('link:');
  if (at === -1) return {};
  // The last element is empty: it stands after the final newline.
  const path = lines.slice(at + 1, -1).join('\n');
  return type === 'link' ? { target: path } : { realPath: path };
}

function parseFile(lines: readonly string[]): Pick<PathState, 'checksum' | 'content'> {
  const [first = ''] = lines;
  const sum = first.startsWith('sum:') ? first.slice('sum:'.length) : '';
  const end = lines.includes('link:') ? lines.indexOf('link:') : lines.length;
  const [encoding, ...encoded] = lines.slice(first.startsWith('sum:') ? 1 : 0, end);
  return {
    ...(sum !== '' && { checksum: sum.replace(/^\\/, '') }),
    ...(encoding === 'base64:' && { content: Buffer.from(encoded.join(''), 'base64') }),
    ...(encoding === 'hex:' && {
      content: Buffer.from(encoded.join('').replaceAll(' ', ''), 'hex'),
    }),
  };
}

/** `2026-01-31 23:59:59.123456789 +0000` as seconds since the epoch. */
function parseTime(text: string): number {
  const [day = '', time = ''] = text.split(' ');
  const [clock, nanoseconds = '0'] = time.split('.');
  return Date.parse(`${day}T${clock}Z`) / 1000 + 1e-9 * Number(nanoseconds.padEnd(9, '0'));
}

/** A link to itself leads nowhere, too. */
const ABSENT = /No such file or directory|Not a directory|Too many levels of symbolic links/;

function explainAbsence(path: string, stderr: string): undefined {
  if (ABSENT.test(stderr)) return undefined;
  const reason = stderr.trim().split('\n').at(-1)?.split(': ').at(-1);
  throw new TaskError(`"${path}" cannot be examined: ${reason || 'stat gives no reason'}`, {
    ...(stderr.includes('not found') && { hint: 'install coreutils or busybox on the host' }),
    result: { stderr: stderr.trim() },
  });
}
