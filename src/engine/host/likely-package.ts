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
 * their own and not both have others (`prometheus-alertmanager` does not ship `prometheus-node-exporter`).
 */
export function isLikelyFrom(packageName: string, thing: string): boolean {
  const [a, b] = [plain(packageName), plain(thing)];
  return contains(a, b) || contains(b, a) || areRelated(words(packageName), words(thing));
}

function areRelated(these: readonly string[], those: readonly string[]): boolean {
  const [rest, otherRest] = [these.filter(missingFrom(those)), those.filter(missingFrom(these))];
  const shared = these.filter((word) => those.includes(word));
  return shared.some(isTelling) && (rest.length === 0 || otherRest.length === 0);
}

function missingFrom(others: readonly string[]): (word: string) => boolean {
  return (word) => !GENERIC.has(word) && !others.includes(word);
}

/** Where packages have no business: what is below is of the users and of the administrator (FHS 3.0). */
const OF_USERS = /^\/(home|media|mnt|root|run|srv|tmp|usr\/local|var\/tmp)(\/|$)/;

/** Whether a package probably brings a missing directory. */
export function isLikelyDirectory(packageName: string, directory: string): boolean {
  if (OF_USERS.test(directory)) return false;
  const parts = directory.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part) => isLikelyFrom(packageName, part));
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
  return bareName(name).split(/[^a-z0-9]+/);
}

function isTelling(word: string): boolean {
  return word.length >= SHORTEST_WORD && !GENERIC.has(word);
}

function plain(name: string): string {
  return bareName(name).replaceAll(/[^a-z0-9]/g, '');
}

function contains(long: string, short: string): boolean {
  return isTelling(short) && long.includes(short);
}
