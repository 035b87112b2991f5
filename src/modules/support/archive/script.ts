/** What is run on the host to look into archives and to unpack them. */
import { type Command, joinCommands, sh } from '../../../shared/shell.ts';
import { plainRequest } from '../download/request.ts';
import { fetchScript } from '../download/script.ts';
import type { Tool } from '../download/tools.ts';
import { makeScratch } from '../scratch.ts';
import type { UnarchiveArgs } from './args.ts';
import { listingScript } from './listing.ts';

/** Where the archive of a script comes from: a path on the host, or a URL with what fetches it. */
export type Source =
  | { readonly path: string }
  | { readonly url: string; readonly tool: Tool; readonly validateCerts: boolean };

/** Sets `a` to the path of the archive, `z` to the program that unpacks it and `k` to its kind. */
function opening(source: Source, { dest, exclude }: UnarchiveArgs): Command {
  const needsX = exclude.length > 0;
  const locate =
    'path' in source
      ? sh`${makeScratch([dest])}
a=${inHome(source.path)}`
      : sh`exec 3>&1 >/dev/null
${fetchScript(source.tool, plainRequest(source.url, source.validateCerts), { ...{ decompress: false, digests: [] }, fallback: dest })}
[ -z "$s" ] || [ "$s" -lt 300 ] || { echo "HTTP status $s" >&2; exit 4; }
[ "$c" -eq 0 ] || exit 4
a=$w/body; exec >&3`;
  return sh`${locate}
printf '%s\n' ${[...exclude]} >"$w/exclude"
[ -f "$a" ] || { echo "Source '$a' does not exist" >&2; exit 5; }
[ -s "$a" ] || { echo "Invalid archive '$a', the file is 0 bytes" >&2; exit 5; }
h=$(head -c 6 "$a" | od -An -v -tx1 | tr -d ' \\n'); k=TarArchive; z=cat
case $h in
504b*) k=ZipArchive; z=unzip;; 1f8b*) k=TgzArchive; z=gzip;; 425a68*) k=TarBzipArchive; z=bzip2;;
fd377a585a00) k=TarXzArchive; z=xz;; 28b52ffd*) k=TarZstdArchive; z=zstd;;
esac
command -v $z >/dev/null || { echo "the host has no $z to unpack $a (install the package that brings it)" >&2; exit 6; }
${needsX ? NEEDS_X : sh`:`}
u() { if [ $z = cat ]; then cat "$a"; else $z -dc "$a"; fi; }`;
}

const NEEDS_X = sh`[ $z = unzip ] || tar --help 2>&1 | grep -q -e '-X' || {
echo 'the tar of the host knows no -X, which "exclude" needs (install the package tar)' >&2; exit 6
}`;

/** A path of which a leading `~` is the home directory on the host. */
function inHome(path: string): Command {
  return path.startsWith('~/') ? sh`"$HOME"${path.slice(1)}` : sh`${path}`;
}

/** Options that leave out what fits patterns; they stand in a file because busybox knows no other way. */
function excluding(globs: readonly string[]): Command {
  return globs.length === 0 ? sh`` : sh`-X "$w/exclude"`;
}

/** Unpacks `$a` into a directory. */
function unpacking(directory: Command, args: UnarchiveArgs): Command {
  const { include, exclude, extra_opts: extra, keep_newer: keepNewer } = args;
  const newer = keepNewer ? ['--keep-newer-files'] : [];
  const zipExcluded = exclude.length > 0 ? ['-x', ...exclude] : [];
  return sh`if [ $k = ZipArchive ]; then
unzip -o ${keepNewer ? ['-u'] : []} ${[...extra]} "$a" ${[...include]} ${zipExcluded} -d ${directory}
c=$?; [ $c -ne 1 ] || unzip --help 2>&1 | grep -q BusyBox || c=0
else
u | tar -x -C ${directory} ${newer} ${[...extra]} ${excluding(exclude)} -f - -- ${[...include]}; c=$?
fi`;
}

/** Unpacks an archive and sets the attributes that the task asks for; `names` prints paths ended by NUL. */
export function unpackScript(source: Source, args: UnarchiveArgs, names: Command): Command {
  const { dest, owner, group, mode } = args;
  const isOwned = owner !== undefined || group !== undefined;
  const parts = [
    opening(source, args),
    unpacking(sh`${dest}`, args),
    sh`[ $c -eq 0 ] || exit $c
cd -- ${dest} || exit 1
n() { ${names}; }`,
    isOwned &&
      sh`${names} | xargs -0 chown -h ${`${owner ?? ''}${group === undefined ? '' : `:${group}`}`} -- || exit 1`,
    mode !== undefined &&
      sh`n | xargs -0 sh -c 'for f; do [ -L "$f" ] || printf "%s\\0" "$f"; done' sh | xargs -0 chmod ${modeText(mode)} -- || exit 1`,
  ];
  return joinCommands(
    parts.filter((part) => part !== false),
    '\n',
  );
}

/** Compares by tar itself where that tells all, else unpacks into a directory of its own and lists both. */
export function compareScript(source: Source, args: UnarchiveArgs): Command {
  const { dest, include, exclude, extra_opts: extra } = args;
  const options = sh`--show-transformed-names --quoting-style=literal ${[...extra]} ${excluding(exclude)} -f - -- ${[...include]}`;
  const needsTree = [args.keep_newer, args.mode, args.owner, args.group].some(
    (each) => each !== undefined && each !== false,
  );
  const names = sh`(cd "$w/tree" && find . -print0)`;
  return joinCommands(
    [
      opening(source, args),
      sh`export LC_ALL=C
echo "kind=$k"; id -u; umask
if [ $k != ZipArchive ] && ${needsTree ? 'false' : 'true'} && tar --version 2>/dev/null | grep -q GNU; then
echo ==names==
u | tar -t ${options} || exit 7
echo ==diff==
u | tar --diff -C ${dest} ${options} 2>&1
exit 0
fi
mkdir "$w/tree"
${unpacking(sh`"$w/tree"`, { ...args, keep_newer: false })} >/dev/null
[ $c -eq 0 ] || exit 7
echo ==tree==
(${listingScript(sh`"$w/tree"`, names)}
)
echo ==there==
(${listingScript(dest, names)}
)
exit 0`,
    ],
    '\n',
  );
}

/** As chmod takes it. */
export function modeText(mode: unknown): string {
  return typeof mode === 'number' ? mode.toString(8).padStart(4, '0') : String(mode);
}
