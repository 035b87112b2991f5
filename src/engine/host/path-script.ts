import { type Command, joinCommands, plainName, sh } from '../../shared/shell.ts';
import { PATH_CONTENT_LIMIT_BYTES, type PathQuery } from '../host-contract.ts';

/** One numeric line, then the names of owner and group; the same in GNU coreutils and busybox. */
const FORMAT = '%f|%u|%g|%s|%i|%d|%h|%x|%y|%z\n%U\n%G';

/** A path that no tool takes for an option or for stdin. */
export function operand(path: string): string {
  return path === '' || path.startsWith('/') ? path : `./${path}`;
}

/** A script that prints what is at a path, in the form that `parsePath` reads. */
export function pathScript(path: string, { follow, checksum, content }: PathQuery = {}): string {
  const p = operand(path);
  const parts = [
    sh`LC_ALL=C TZ=UTC0 stat ${follow === true ? '-Lc' : '-c'} ${FORMAT} ${p} || exit 1`,
    follow !== true && sh`[ ! -L ${p} ] || { echo link:; readlink ${p}; exit; }`,
    (checksum ?? content) !== undefined && sh`if [ -f ${p} ] && [ -r ${p} ]; then :`,
    checksum !== undefined && checksumLine(p, checksum),
    content === true && contentLines(p),
    (checksum ?? content) !== undefined && sh`fi`,
    follow === true && sh`[ ! -L ${p} ] || { echo link:; readlink -f ${p}; }`,
    sh`exit 0`,
  ];
  return joinCommands(
    parts.filter((part) => part !== false),
    '\n',
  ).line;
}

function checksumLine(path: string, algorithm: string): Command {
  const tool = plainName(`${algorithm}sum`);
  return sh`s=$({ ${tool} || openssl dgst -r ${`-${algorithm}`}; } 2>/dev/null <${path})
printf 'sum:%s\n' "\${s%% *}"`;
}

function contentLines(path: string): Command {
  return sh`if [ "$(wc -c <${path})" -le ${PATH_CONTENT_LIMIT_BYTES} ]; then
if command -v base64 >/dev/null; then echo base64: && base64 <${path}; else echo hex: && od -An -v -tx1 <${path}; fi
fi`;
}
