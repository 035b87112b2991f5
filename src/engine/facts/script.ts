/** The one remote script: what collectors ask, and how the answer is taken apart. */
import { type Command, joinCommands, sh } from '../../shared/shell.ts';
import type { Collector, Sections } from './collector.ts';

const MARK = '\u0001';

/**
 * Functions for collectors. `s NAME` opens a section; `f NAME FILE` prints a file as a section; `v FILE…` prints
 * `path<TAB>first line` of each file that has one; `k LINK…` prints `path<TAB>target`; `has COMMAND` looks in PATH;
 * `limited COMMAND…` ends what takes longer than the gathering may.
 */
const SCRIPT_FUNCTIONS = sh`s() { printf '\\001%s\\n' "$1"; }
has() { command -v "$1" >/dev/null 2>&1; }
f() { [ -r "$2" ] && [ -f "$2" ] && s "$1" && cat "$2"; }
v() { for p; do l=; [ -f "$p" ] && read -r l <"$p"; [ -n "$l" ] && printf '%s\\t%s\\n' "$p" "$l"; done; }
k() { for p; do [ -L "$p" ] && printf '%s\\t%s\\n' "$p" "$(readlink "$p")"; done; }
if has timeout; then limited() { timeout "$limit" "$@"; }; else limited() { "$@"; }; fi`;

/** The script of some collectors; `factPath` is where local facts lie. */
export function factScript(
  collectors: readonly Collector[],
  { timeoutSeconds, factPath }: { readonly timeoutSeconds: number; readonly factPath: string },
): Command {
  const settings = sh`exec 2>/dev/null; limit=${timeoutSeconds}; fact_path=${factPath}`;
  return joinCommands(
    [settings, SCRIPT_FUNCTIONS, ...collectors.map(({ script }) => script), sh`true`],
    '\n',
  );
}

/** Sections of what the script printed. */
export function parseSections(output: string): Sections {
  const chunks = output.split(MARK).slice(1);
  return new Map(
    chunks.map((chunk) => {
      const end = chunk.indexOf('\n');
      return [chunk.slice(0, end), chunk.slice(end + 1)];
    }),
  );
}
