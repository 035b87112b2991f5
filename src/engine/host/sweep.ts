import { sh } from '../../shared/shell.ts';

/** Reads into $b what tells one boot of a host from others: the number of a process is another one's after a restart. */
export const READ_BOOT = sh`{ read -r b </proc/sys/kernel/random/boot_id; } 2>/dev/null || b=; b=\${b%%-*}`;

/**
 * A script that removes temporary files which writes of earlier connections left behind when they were killed.
 * A write notes itself as a link `~/.tsprov/<pid of its shell>.<boot>-<id>` to its temporary file; one whose
 * shell still lives is left alone. Runs once for each user's shell, with its first reads.
 */
export function sweepScript(): string {
  return `[ -d "$HOME/.tsprov" ] || exit 0
${READ_BOOT.line}
for j in "$HOME"/.tsprov/*-*; do
[ -L "$j" ] || continue
n=\${j##*/}; n=\${n%%-*}
[ "\${n#*.}" = "$b" ] && kill -0 "\${n%%.*}" 2>/dev/null && continue
t=$(readlink "$j"; echo .); t=\${t%??}
case \${t##*/} in .tsprov-*) rm -f "$t";; esac
rm -f "$j"
done
rmdir "$HOME/.tsprov" 2>/dev/null
exit 0`;
}
