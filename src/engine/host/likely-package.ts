import { posix } from 'node:path';

/** Words in package and unit names that say nothing about what the package is. */
const GENERIC = new Set([
  ...['server', 'client', 'daemon', 'common', 'utils', 'util', 'tools', 'core', 'base', 'data'],
  ...['bin', 'lib', 'dev', 'doc', 'the', 'service', 'socket', 'timer', 'system', 'linux', 'node'],
]);
const SHORTEST_WORD = 3;

/**
 * Whether a package probably ships a thing of this name: a unit, or a directory in `/etc`, `/usr` or `/var`.
 * Names of the two differ in small ways (`cri-o` and `crio.service`, `containerd.io` and `/etc/containerd`,
 * `nfs-kernel-server` and `nfs-server`), so they match when one contains the other or they share a word of
 * their own.
 */
export function isLikelyFrom(packageName: string, thing: string): boolean {
  const [a, b] = [plain(packageName), plain(thing)];
  const shared = words(packageName).filter((word) => words(thing).includes(word));
  return shared.length > 0 || contains(a, b) || contains(b, a);
}

/** Directories in which packages have one file each, of their own name. */
const OF_ALL_PACKAGES = /^\/etc(\/(default|init\.d|logrotate\.d|pam\.d|sysconfig|cron\.\w+))?$/;

/** Whether a package probably ships a file of `/etc` that is not in a directory of the package's own. */
export function isLikelyFile(packageName: string, path: string): boolean {
  const { dir, name } = posix.parse(path);
  return OF_ALL_PACKAGES.test(dir) && plain(packageName) === plain(name);
}

/** `containerd.io=1.7*` and `https://example.org/containerd_1.7_arm64.deb` are both about `containerd`. */
function bareName(name: string): string {
  const file = name.split('/').at(-1) ?? name;
  return file
    .toLowerCase()
    .replace(/[=:_@].*$/, '')
    .replace(/\.(service|socket|timer|deb|rpm)$/, '');
}

function words(name: string): string[] {
  return bareName(name)
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length >= SHORTEST_WORD && !GENERIC.has(word));
}

function plain(name: string): string {
  return bareName(name).replaceAll(/[^a-z0-9]/g, '');
}

function contains(long: string, short: string): boolean {
  return short.length >= SHORTEST_WORD && !GENERIC.has(short) && long.includes(short);
}
