import { type Command, sh } from '../../shared/shell.ts';

/**
 * Sets `w` to a new directory for the time of a script: where the host has temporary files, else wherever its user may
 * write, at last in `directories`. It goes when the script ends.
 */
export function makeScratch(directories: readonly string[]): Command {
  return sh`for d in "\${TMPDIR:-/tmp}" /tmp /var/tmp "\${HOME:-/tmp}" ${directories}; do
w=$(mktemp -d "$d/.tsprov-XXXXXXXX" 2>/dev/null) && break; w=
done
[ -n "$w" ] || { echo 'no directory for temporary files can be written (set TMPDIR in the environment of the task)' >&2; exit 1; }
trap 'rm -rf "$w"' EXIT; trap 'exit 130' HUP INT TERM`;
}
