/**
 * A script that removes temporary files which writes of earlier connections left behind when they were killed.
 * A write notes itself as a link `~/.tsprov/<pid of its shell>-<id>` to its temporary file; one whose shell
 * still lives is left alone. Runs once for each user's shell, with its first reads.
 */
export function sweepScript(): string {
  return `[ -d "$HOME/.tsprov" ] || exit 0
for j in "$HOME"/.tsprov/*-*; do
[ -L "$j" ] || continue
n=\${j##*/}
kill -0 "\${n%%-*}" 2>/dev/null && continue
t=$(readlink "$j"; echo .); t=\${t%??}
case \${t##*/} in .tsprov-*) rm -f "$t";; esac
rm -f "$j"
done
rmdir "$HOME/.tsprov" 2>/dev/null
exit 0`;
}
