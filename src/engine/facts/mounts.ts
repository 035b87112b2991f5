import { sh } from '../../shared/shell.ts';
import { lines, type Sections } from './collector.ts';

/** A host name before the path makes a network file system, which may hang: each gets its own time limit. */
export const MOUNTS_SCRIPT = sh`f mtab /etc/mtab || f mtab /proc/mounts; f mountinfo /proc/self/mountinfo
s statfs; while read -r d e rest; do
case $d in /*|*:/*) ;; *) continue;; esac
case $e in *\\\\*) m=$(printf '%b.' "$(printf %s "$e" | sed 's/\\\\/\\\\0/g')"); m=\${m%.};; *) m=$e;; esac
l=$(limited stat -f -c '%S %s %b %a %c %d' "$m") && printf '%s %s\\n' "$l" "$e"
done </proc/mounts
s uuids; has lsblk && lsblk --list --noheadings --paths --output NAME,UUID --exclude 2`;

interface Mount {
  readonly device: string;
  readonly mount: string;
  readonly fstype: string;
  readonly options: string;
  readonly dump: number;
  readonly passno: number;
}

/** File systems on devices and on the network, with their sizes in bytes. */
export function parseMounts(sections: Sections): readonly unknown[] {
  const sizes = readSizes(sections);
  const bound = new Set(lines(sections, 'mountinfo').flatMap(boundMount));
  const uuids = new Map(
    lines(sections, 'uuids').map((line) => line.trim().split(/\s+/, 2) as [string, string]),
  ); // Two words, or one and undefined.
  const mounts = lines(sections, 'mtab').map(parseMount).filter(isReal);
  // What is mounted over another counts in its place.
  const visible = new Map(mounts.map((each) => [each.mount, each]));
  return [...visible.values()].map((each) => {
    const options = bound.has(each.mount) ? `${each.options},bind` : each.options;
    return { ...each, options, uuid: uuids.get(each.device) ?? 'N/A', ...sizes.get(each.mount) };
  });
}

function parseMount(line: string): Mount {
  const [device = '', mount = '', fstype = '', options = '', dump, passno] = line
    .split(' ')
    .map(octalDecoded);
  return { device, mount, fstype, options, dump: Number(dump ?? 0), passno: Number(passno ?? 0) };
}

function isReal({ device, fstype }: Mount): boolean {
  return (device.startsWith('/') || device.includes(':/')) && fstype !== 'none';
}

/** A mount whose root is not that of its file system, as the kernel lists it. */
function boundMount(line: string): readonly string[] {
  const [, , , root, mount = ''] = line.split(' ');
  return root === '/' ? [] : [octalDecoded(mount)];
}

function readSizes(sections: Sections): ReadonlyMap<string, object> {
  return new Map(
    lines(sections, 'statfs').map((line) => {
      const [, numbers = '', mount = ''] = /^((?:-?\d+ ){6})(.*)$/.exec(line) ?? [];
      return [octalDecoded(mount), sizesOf(numbers.trim().split(' ').map(Number))];
    }),
  );
}

function sizesOf([
  fragment = 0,
  block = 0,
  total = 0,
  available = 0,
  inodes = 0,
  free = 0,
]: number[]) {
  return {
    size_total: fragment * total,
    size_available: fragment * available,
    block_size: block,
    block_total: total,
    block_available: available,
    block_used: total - available,
    inode_total: inodes,
    inode_available: free,
    inode_used: inodes - free,
  };
}

/** Blanks and backslashes are octal in the kernel's tables. */
function octalDecoded(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
