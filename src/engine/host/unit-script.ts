import { type Command, sh } from '../../shared/shell.ts';

/** Stands between the word `debian`, on hosts of that family, and the properties. */
export const DEBIAN_MARK = '\n--\n';

/** A script that prints a unit's properties after `DEBIAN_MARK`. */
export function unitScript(name: string, scope: 'system' | 'user' | 'global'): Command {
  const family = sh`if [ -e /etc/debian_version ]; then printf debian; fi; printf ${DEBIAN_MARK}`;
  if (scope === 'system') return sh`${family}; systemctl show --no-pager -- ${name}`;
  if (scope === 'user') {
    return sh`${family}; export XDG_RUNTIME_DIR="\${XDG_RUNTIME_DIR:-/run/user/$(id -u)}"; systemctl --user show --no-pager -- ${name}`;
  }
  // The global manager runs nowhere: only a unit's file state can be asked.
  return sh`${family}; s=$(systemctl --global is-enabled -- ${name} 2>/dev/null); [ -z "$s" ] || printf 'LoadState=loaded\nActiveState=inactive\nUnitFileState=%s\n' "$s"`;
}
