/** The script that fetches a file and puts it in its place. */
import { posix } from 'node:path';
import {
  type AttributeFacts,
  type Ownership,
  ownershipCommands,
  type PathState,
} from '../../../engine/module.ts';
import { formatMode } from '../../../shared/file-mode.ts';
import { type Command, joinCommands, plainName, sh } from '../../../shared/shell.ts';
import { takeAttributes } from '../../../shared/take-attributes.ts';
import type { WantedChecksum } from './checksum.ts';
import type { DownloadRequest } from './request.ts';
import { fetchScript, printHeaders } from './script.ts';
import type { Tool } from './tools.ts';

export interface Place {
  readonly path: string;
  /** What is there, with its SHA-1. */
  readonly file: PathState | undefined;
  readonly reached: Ownership;
  readonly maker: AttributeFacts['maker'];
  readonly checksum: WantedChecksum | undefined;
  readonly temporaryDirectory: string | undefined;
  readonly decompress: boolean;
  readonly backup: boolean;
  readonly unsafeWrites: boolean;
}

/**
 * Fetches, checks the checksum, and replaces the file by a rename, unless its content is the same. Prints what
 * `parseAnswer` reads, with `changed` (`no`, `attributes`, `content`) and `backup` among the values.
 */
export function placeScript(tool: Tool, request: DownloadRequest, place: Place): Command {
  const { path, checksum, decompress, unsafeWrites } = place;
  // A directory that takes no new file takes no temporary one either.
  const beside = unsafeWrites ? undefined : posix.dirname(path);
  const directory = place.temporaryDirectory ?? beside;
  const digests = new Set(['sha1', 'md5', ...(checksum === undefined ? [] : [checksum.algorithm])]);
  const parts = [
    fetchScript(tool, request, { directory, decompress, digests: [...digests] }),
    sh`[ -z "$s" ] || [ "$s" -lt 300 ] || { echo "HTTP status $s" >&2; exit 1; }
[ "$c" -eq 0 ] || exit 1`,
    ...(checksum === undefined ? [] : [guard(checksum)]),
    sh`p=${path}
if ${isSame(place)}; then
${keep(place)}
else
${replace(place)}
echo changed=content
fi`,
    printHeaders,
  ];
  return joinCommands(parts, '\n');
}

function guard({ algorithm, value }: WantedChecksum): Command {
  const digest = plainName(algorithm);
  return sh`k=${value}; [ "$${digest}" = "$k" ] || {
echo "The checksum for $u did not match $k; it was $${digest}." >&2; exit 1
}`;
}

function isSame({ file }: Place): Command {
  return file?.checksum === undefined ? sh`false` : sh`[ "$sha1" = ${file.checksum} ]`;
}

function keep({ path, file, reached }: Place): Command {
  const commands = file === undefined ? [] : ownershipCommands(path, 'file', file, reached);
  const outcome = sh`echo ${commands.length > 0 ? 'changed=attributes' : 'changed=no'}`;
  return joinCommands([...commands.map((command) => sh`${command} || exit 1`), outcome], '\n');
}

function replace({ path, file, reached, maker, backup, unsafeWrites }: Place): Command {
  const isOwn = file === undefined && reached.uid === maker.uid && reached.gid === maker.gid;
  const directory = posix.dirname(path);
  const create = sh`mktemp ${`${directory}/.tsprov-XXXXXXXX`}`;
  const attributes = (of: Command) => [
    isOwn ? sh`:` : sh`chown ${`${reached.uid}:${reached.gid}`} ${of} || exit 1`,
    sh`chmod ${formatMode(reached.mode)} ${of} || exit 1`,
  ];
  const overwrite = joinCommands([sh`cat "$t" >"$p" || exit 1`, ...attributes(sh`"$p"`)], '\n');
  const parts = [
    backup && file !== undefined
      ? sh`k=$p.$$.$(date +%Y-%m-%d@%H:%M:%S)~; cp -p "$p" "$k" || exit 1; printf 'backup=%s\n' "$k"`
      : sh`:`,
    sh`t=$(${unsafeWrites ? sh`${create} 2>/dev/null || mktemp` : create}) || exit 1
trap 'rm -rf "$w" "$t"' EXIT
cat "$w/body" >"$t" || exit 1`,
    file === undefined ? sh`:` : sh`${takeAttributes('p', 't')} || exit 1; touch "$t"`,
    ...attributes(sh`"$t"`),
    sh`sync "$t" 2>/dev/null || sync`,
    unsafeWrites
      ? sh`[ "\${t%/*}" = ${directory} ] && mv -f "$t" "$p" 2>/dev/null || {\n${overwrite}\n}`
      : sh`mv -f "$t" "$p" || exit 1`,
  ];
  return joinCommands(parts, '\n');
}
