import { sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';
import { type Collector, lines } from './collector.ts';

/** Where each package manager's program is; on a tie the family's own one is meant. */
const PROGRAMS: readonly (readonly [name: string, path: string])[] = [
  ['apt', '/usr/bin/apt-get'],
  ['dnf5', '/usr/bin/dnf5'],
  ['dnf', '/usr/bin/dnf-3'],
  ['dnf', '/usr/bin/dnf'],
  ['yum', '/usr/bin/yum'],
  ['zypper', '/usr/bin/zypper'],
  ['apk', '/sbin/apk'],
  ['pacman', '/usr/bin/pacman'],
  ['portage', '/usr/bin/emerge'],
  ['xbps', '/usr/bin/xbps-install'],
  ['swupd', '/usr/bin/swupd'],
  ['opkg', '/bin/opkg'],
  ['atomic_container', '/run/ostree-booted'],
];

const PREFERRED: Readonly<Record<string, readonly string[]>> = table({
  Debian: ['apt'],
  RedHat: ['atomic_container', 'dnf5', 'dnf', 'yum'],
  Suse: ['zypper'],
  Alpine: ['apk'],
  Archlinux: ['pacman'],
  Gentoo: ['portage'],
});

/** The package manager of the distribution. */
export const packageManager: Collector = {
  name: 'pkg_mgr',
  needs: ['distribution'],
  script: sh`s pkg_mgr; for p in ${PROGRAMS.map(([, path]) => path)}; do [ -e "$p" ] && echo "$p"; done`,

  parse(sections, facts) {
    const paths = lines(sections, 'pkg_mgr');
    const found = PROGRAMS.filter(([, path]) => paths.includes(path)).map(([name]) => name);
    const preferred = PREFERRED[String(facts.get('os_family'))] ?? [];
    return { pkg_mgr: preferred.find((name) => found.includes(name)) ?? found[0] ?? 'unknown' };
  },
};
