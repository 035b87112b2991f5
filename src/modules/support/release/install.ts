/** The steps that put a release on a host, or take it away. */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { run, type Step, write } from '../../../engine/module.ts';
import { type Command, joinCommands, sh } from '../../../shared/shell.ts';
import { modeText } from '../archive/script.ts';
import type { ReleaseArgs } from './args.ts';
import type { Contents, Placed } from './contents.ts';
import { type Installed, type Stamp, stampPath } from './host.ts';

/**
 * Everything is unpacked beside the destination first and then moved file by file, each by a rename: no program is ever
 * half there, and a running one keeps its old file. The stamp comes last, so that what was interrupted is done again.
 */
export function installSteps(
  args: ReleaseArgs,
  contents: Contents,
  { stamp, old }: { readonly stamp: Stamp; readonly old: Installed | undefined },
): Step[] {
  const { dest, name } = args;
  const bundle = posix.join(dest, `.tsprov-${shortDigest(`${name} ${stamp.url}`)}`);
  const failure = `${name} ${stamp.version} is not installed`;
  const paths = contents.placed.map(({ to }) => to);
  const stale = (old?.paths ?? []).filter((path) => !paths.includes(path));
  const script = joinCommands(
    [
      sh`umask 022; a=${bundle}; s=$a.d; d=${dest}
trap 'rm -rf -- "$a" "$s"' EXIT; trap 'exit 130' HUP INT TERM
rm -rf -- "$s" && mkdir -- "$s" || exit 1`,
      contents.packing === undefined
        ? settle(args)
        : unpack(contents.packing, args.only_files ? contents.placed : []),
      sh`sync`,
      ...directories(paths).map((each) => sh`mkdir -p -- ${each} || exit 1`),
      ...contents.placed.map(move),
      ...(stale.length === 0 ? [] : [sh`rm -f -- ${stale}`]),
      writeStamp(stampPath(args), stamp, paths),
    ],
    '\n',
  );
  return [
    run(sh`umask 022; mkdir -p -- ${dest}`, { failure }),
    write({ path: bundle, content: contents.content, mode: 0o600 }),
    run(script, { failure }),
  ];
}

const shortDigest = (text: string) => createHash('sha1').update(text).digest('hex').slice(0, 12);

const directories = (paths: readonly string[]) => [...new Set(paths.map(posix.dirname))];

/** All of the archive, or what was chosen of it. Owners of the archive mean nothing on the host, and nobody else is to write to what root runs. */
function unpack(packing: string, chosen: readonly Placed[]): Command {
  const options = packing === '' ? [] : [packing];
  const members = chosen.flatMap(({ member }) => member ?? []);
  return sh`tar -x ${options} -o -C "$s" -f "$a" ${members} || exit 1
chown -h -R "$(id -u):$(id -g)" "$s" && find "$s" -type f -exec chmod u+rw,go+r,go-w {} + || exit 1`;
}

function settle({ mode }: ReleaseArgs): Command {
  return sh`cp -- "$a" "$s/file" && chmod ${modeText(mode)} "$s/file" && chown "$(id -u):$(id -g)" "$s/file" || exit 1`;
}

function move({ from, to }: Placed): Command {
  return sh`mv -f -- "$s"/${from ?? 'file'} ${to} || exit 1`;
}

/** Sizes and times are those that the files have on the host. */
function writeStamp(path: string, stamp: Stamp, paths: readonly string[]): Command {
  return sh`mkdir -p -- ${posix.dirname(path)} || exit 1
{ printf '%s\n' ${JSON.stringify(stamp)}; stat -c '%s %Y %n' -- ${[...paths]}; } >${`${path}.new`} && mv -f -- ${`${path}.new`} ${path} || exit 1
sync`;
}

/** Takes away what was installed, and nothing else. */
export function removeSteps(args: ReleaseArgs, { paths }: Installed): Step[] {
  return [run(sh`rm -f -- ${[...paths, stampPath(args)]}`)];
}
