import { posix } from 'node:path';
import { base64Lines, type Command, joinCommands, sh } from '../../shared/shell.ts';
import { takeAttributes } from '../../shared/take-attributes.ts';
import type { WriteStep } from '../host-contract.ts';
import { operand } from './path-script.ts';
import { READ_BOOT } from './sweep.ts';

/** Where the bytes of the new content come from: text of the script itself, or its stdin. */
export type Source =
  | { readonly kind: 'base64' | 'octal'; readonly bytes: Buffer }
  | { readonly kind: 'remote'; readonly path: string }
  | { readonly kind: 'stdin'; readonly sizeBytes: number; readonly sha1?: string };

export interface WriteJob {
  readonly step: Omit<WriteStep, 'content'>;
  readonly source: Source;
  /** Words of the validation command; `%s` in them is the temporary file. */
  readonly validate: readonly string[];
  /** Random: names the temporary file and marks what the script says about itself. */
  readonly id: string;
}

/** Bytes of one `printf`, a shell built-in, in the fallback for hosts without base64. */
const OCTAL_CHUNK_BYTES = 4096;

/**
 * A script that replaces a file. The temporary file in the same directory is complete, has its final owner and mode,
 * and is on the disk before it takes the old one's place. However the script ends, the temporary file goes; a killed
 * one leaves a link in `$home/.tsprov`, by which the next connection finds and removes it (`sweepScript`).
 */
export function writeScript(job: WriteJob): string {
  const { step, source } = job;
  const name = posix.basename(step.path);
  const directory = posix.dirname(step.path);
  const parts = [
    sh`d=${directory}; case $d in /*) ;; *) d=$PWD/$d;; esac
p=$d/${name}; t=$d/${`.tsprov-${job.id}`}; j=
fail() { printf '\n%s %s %s\n' ${job.id} "$1" "$2" >&2; exit 1; }`,
    source.kind === 'base64' && sh`command -v base64 >/dev/null || fail base64 1`,
    createTemporary(job.id, step.unsafeWrites === true),
    fillTemporary(source),
    setAttributes(step),
    job.validate.length > 0 && sh`${validation(job.validate)} </dev/null || fail validate $?`,
    // The note too: the file may be on another file system, which writes by itself.
    sh`sync "$t" \${j:+"\${j%/*}"} 2>/dev/null || sync`,
    step.backup === true && backUp(job.id),
    rename(step),
  ];
  return joinCommands(
    parts.filter((part) => part !== false),
    '\n',
  ).line;
}

function createTemporary(id: string, mayLieElsewhere: boolean): Command {
  return sh`[ ! -d "$p" ] || fail directory 1
trap 'rm -f "$t" "$j"; [ -z "$j" ] || rmdir "\${j%/*}" 2>/dev/null' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 141' PIPE; trap 'exit 143' TERM
mask=$(umask); umask 077
if { [ -d "$home/.tsprov" ] || mkdir "$home/.tsprov"; } 2>/dev/null; then
${READ_BOOT}
j=$home/.tsprov/$$.$b-${id}; ln -s "$t" "$j" 2>/dev/null || j=
fi
set -C; ${mayLieElsewhere ? createAnywhere(id) : sh`true >"$t" || fail create $?`}; set +C`;
}

/** Where the directory takes no new file, but the file may be written, the temporary file lies elsewhere. */
function createAnywhere(id: string): Command {
  return sh`{ true >"$t"; } 2>/dev/null || {
[ -f "$p" ] && t=\${TMPDIR:-/tmp}/${`.tsprov-${id}`}
[ -z "$j" ] || ln -sfn "$t" "$j"; true >"$t" || fail create $?; }`;
}

function fillTemporary(source: Source): Command {
  switch (source.kind) {
    case 'base64':
      return sh`base64 -d >"$t" <<'-' || fail content $?
${base64Lines(source.bytes)}
-`;
    case 'octal':
      return sh`{ :
${octalPrintfs(source.bytes)}
} >"$t" || fail content $?`;
    case 'remote':
      return sh`cat ${operand(source.path)} >"$t" || fail content $?`;
    case 'stdin':
      return sh`cat >"$t" || fail content $?
[ "$(wc -c <"$t")" -eq ${source.sizeBytes} ] || fail truncated 1${checksumGuard(source.sha1)}`;
  }
}

function checksumGuard(sha1: string | undefined): Command {
  if (sha1 === undefined) return sh``;
  return sh`
s=$(sha1sum <"$t" 2>/dev/null); s=\${s%% *}; k=${sha1}; [ "\${s:-$k}" = "$k" ] || fail truncated 1`;
}

/** Owner, mode, ACL, extended attributes and context of the old or another file first, then what the step asks for. */
function setAttributes(step: Omit<WriteStep, 'content'>): Command {
  const { attributesOf } = step;
  return joinCommands(
    [
      sh`new=; [ -e "$p" ] && [ ! -L "$p" ] || new=1
a=${attributesOf === undefined ? sh`$p` : operand(attributesOf)}
if ${attributesOf === undefined ? sh`[ ! "$new" ]` : sh`:`}; then
${takeAttributes('a', 't')} || fail mode $?
touch "$t"
else
chmod "$(printf %o $((0666 & ~0$mask)))" "$t" || fail mode $?
fi`,
      ...ownAttributes(step, sh`"$t"`),
    ],
    '\n',
  );
}

/** What the step itself asks for. */
function ownAttributes({ mode, owner, group }: Omit<WriteStep, 'content'>, file: Command) {
  const isOwned = owner !== undefined || group !== undefined;
  const account = `${owner ?? ''}${group === undefined ? '' : `:${group}`}`;
  return [
    isOwned && sh`chown ${account} ${file} || fail owner $?`,
    mode !== undefined && sh`chmod ${mode.toString(8)} ${file} || fail mode $?`,
  ].filter((command) => command !== false);
}

function validation(words: readonly string[]): Command {
  const quoted = words.map((word) =>
    joinCommands(
      word.split('%s').map((part) => (part === '' ? sh`` : sh`${part}`)),
      '"$t"',
    ),
  );
  return joinCommands(quoted, ' ');
}

/** `<path>.<number>.<date>~`, as Ansible names backups; its suffix is printed after the id. */
function backUp(id: string): Command {
  const number = Number.parseInt(id.slice(0, 5), 16);
  return sh`if [ -e "$p" ]; then
b=.${number}.$(date +%Y-%m-%d@%H:%M:%S)~
cp --preserve=all "$p" "$p$b" 2>/dev/null || cp -p "$p" "$p$b" || { c=$?; rm -f "$p$b"; fail backup $c; }
printf '\n%s %s\n' ${id} "$b"
fi`;
}

function rename(step: Omit<WriteStep, 'content'>): Command {
  const { unsafeWrites, durable } = step;
  const move = unsafeWrites ? moveOrOverwrite(step) : sh`mv -f "$t" "$p" || fail rename $?`;
  return sh`${durable ? lastingly(move) : move}
if [ "$new" ] && command -v selinuxenabled >/dev/null && selinuxenabled; then restorecon "$p"; fi
exit 0`;
}

/** A file that is overwritten in place keeps its attributes, but for those that the step asks for. */
function moveOrOverwrite(step: Omit<WriteStep, 'content'>): Command {
  const overwrite = [sh`cat "$t" >"$p" || fail rename $?`, ...ownAttributes(step, sh`"$p"`)];
  return sh`[ "\${t%/*}" = "$d" ] && mv -f "$t" "$p" 2>/dev/null || {
${joinCommands(overwrite, '\n')}
}`;
}

/** FAT marks the room of the old content as free before the name leads to the new one, unless the old one is open. */
function lastingly(move: Command): Command {
  return sh`[ ! -e "$p" ] || exec 9<"$p"
${move}
sync
exec 9<&-`;
}

function octalPrintfs(bytes: Buffer): Command {
  const made: Command[] = [];
  for (let at = 0; at < bytes.length; at += OCTAL_CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + OCTAL_CHUNK_BYTES);
    const escapes = Array.from(chunk, (byte) => `\\${byte.toString(8).padStart(3, '0')}`);
    made.push(sh`printf ${escapes.join('')}`);
  }
  return joinCommands(made, ' &&\n');
}
