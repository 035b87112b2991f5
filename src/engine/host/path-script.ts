import { type Command, quote, sh } from '../../shared/shell.ts';
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
  const options = follow === true ? '-Lc' : '-c';
  const link =
    follow === true ? '' : `if [ -L ${quote(p)} ]; then readlink ${quote(p)}; exit; fi\n`;
  const wanted = [
    checksum === undefined ? '' : checksumLine(p, checksum).line,
    content === true ? contentLines(p).line : '',
  ].join('\n');
  return `${sh`LC_ALL=C TZ=UTC0 stat ${options} ${FORMAT} ${p} || exit 1`.line}
${link}${wanted.trim() === '' ? '' : `if [ -f ${quote(p)} ] && [ -r ${quote(p)} ]; then :\n${wanted}\nfi\n`}exit 0`;
}

function checksumLine(path: string, algorithm: string): Command {
  const tool: Command = { line: `${algorithm}sum` };
  return sh`s=$({ ${tool} || openssl dgst -r ${`-${algorithm}`}; } 2>/dev/null <${path})
printf 'sum:%s\n' "\${s%% *}"`;
}

function contentLines(path: string): Command {
  return sh`if [ "$(wc -c <${path})" -le ${PATH_CONTENT_LIMIT_BYTES} ]; then
if command -v base64 >/dev/null; then echo base64: && base64 <${path}; else echo hex: && od -An -v -tx1 <${path}; fi
fi`;
}
