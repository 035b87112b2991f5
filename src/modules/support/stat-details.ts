/** The part of stat's answer that no other module needs: blocks, access, mime type, flags. */
import type { Reader } from '../../engine/module.ts';
import { type Command, joinCommands, sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';

/** Members of stat's result, as Ansible names them. */
export type StatDetails = Readonly<Record<string, unknown>>;

export interface DetailQuery {
  readonly path: string;
  readonly follow: boolean;
  readonly get_mime: boolean;
  readonly get_attributes: boolean;
}

/** Ansible's names of the flags that `lsattr` shows. */
const FLAG_NAMES: Readonly<Record<string, string>> = table({
  ...{ A: 'noatime', a: 'append', c: 'compressed', C: 'nocow', d: 'nodump', D: 'dirsync' },
  ...{ e: 'extents', E: 'encrypted', h: 'blocksize', i: 'immutable', I: 'indexed' },
  ...{ j: 'journalled', N: 'inline', s: 'zero', S: 'synchronous', t: 'notail', T: 'blockroot' },
  ...{ u: 'undelete', X: 'compressedraw', Z: 'compresseddirty' },
});

/** Asks for everything in one script. What a missing tool cannot tell is left as Ansible leaves it. */
export async function probeDetails(host: Reader, query: DetailQuery): Promise<StatDetails> {
  const { code, stdout } = await host.read(script(query));
  if (code !== 0) return UNSEEN;
  const [numbers = '', access = '', flags = '', mime = '', ...link] = stdout.split('\n');
  const [blocks, blockSize, major = '', minor = ''] = numbers.split('|');
  return {
    blocks: Number(blocks),
    block_size: Number(blockSize),
    device_type: deviceNumber(Number.parseInt(major, 16), Number.parseInt(minor, 16)),
    readable: access.includes('r'),
    writeable: access.includes('w'),
    executable: access.includes('x'),
    ...(query.get_attributes && parseFlags(flags)),
    ...(query.get_mime && parseMime(mime)),
    // The last element is empty: it stands after the final newline.
    ...(link.length > 1 && { lnk_source: link.slice(0, -1).join('\n') }),
  };
}

/** For a path that a check run only predicts: nothing of this can be seen yet. */
const UNSEEN: StatDetails = {
  ...{ blocks: 0, block_size: 4096, device_type: 0 },
  ...{ readable: true, writeable: true, executable: false },
  ...{ mimetype: 'unknown', charset: 'unknown', attributes: [], attr_flags: '', version: null },
};

function script({ path, follow, get_mime, get_attributes }: DetailQuery): Command {
  const p = path.startsWith('/') ? path : `./${path}`;
  return joinCommands(
    [
      sh`stat ${follow ? '-Lc' : '-c'} '%b|%o|%t|%T' ${p} || exit 1`,
      sh`for t in r w x; do [ -$t ${p} ] && printf $t; done; echo`,
      get_attributes ? firstLine(sh`lsattr -vd ${p}`) : sh`echo`,
      get_mime ? firstLine(sh`file --mime-type --mime-encoding -b -- ${p}`) : sh`echo`,
      follow ? sh`exit 0` : sh`[ -L ${p} ] && readlink -f ${p}; exit 0`,
    ],
    '\n',
  );
}

/** Prints the first line of what a command prints, or an empty one. */
function firstLine(command: Command): Command {
  return sh`${command} 2>/dev/null | { IFS= read -r l; printf '%s\n' "$l"; }`;
}

function deviceNumber(major: number, minor: number): number {
  return (
    (minor % 256) +
    (major % 4096) * 256 +
    Math.floor(minor / 256) * 2 ** 20 +
    Math.floor(major / 4096) * 2 ** 44
  );
}

/** `123 --------------e------- /path`, empty where the file system has no flags. */
function parseFlags(line: string): StatDetails {
  const [, version, letters] = /^\s*(\d+)\s+([-A-Za-z]+)\s/.exec(line) ?? [];
  if (version === undefined || letters === undefined) {
    return { version: null, attributes: [], attr_flags: '' };
  }
  const flags = letters.replaceAll('-', '');
  const attributes = [...flags].map((flag) => FLAG_NAMES[flag] ?? flag);
  return { version, attributes, attr_flags: flags };
}

/** `text/plain; charset=us-ascii` */
function parseMime(line: string): StatDetails {
  const [, mimetype, charset] = /^(\S+); charset=(\S+)$/.exec(line) ?? [];
  return { mimetype: mimetype ?? 'unknown', charset: charset ?? 'unknown' };
}
