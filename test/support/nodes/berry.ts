import type { Firmware } from './firmware.ts';
import { type TestNode, waitUntil } from './node.ts';
import { bootWords, type QemuNode, type QemuOptions, startQemuNode } from './qemu.ts';
import { BOOKWORM } from './system.ts';

/** How distributions lay out the partition by which a Raspberry Pi boots. */
export interface BootLayout {
  /** Where the partition is mounted. */
  readonly mount: string;
  /** The file that the firmware reads, below it. */
  readonly lineFile: string;
  /** All files, by their paths below it. */
  readonly files: (words: string) => Readonly<Record<string, string>>;
}

/** Raspberry Pi OS Bookworm and Trixie, Ubuntu 20.04 to 24.04. */
export const PLAIN_LAYOUT: BootLayout = {
  ...{ mount: '/boot/firmware', lineFile: 'cmdline.txt' },
  files: (words) => ({
    'config.txt': '[pi4]\nmax_framebuffers=2\n[all]\narm_64bit=1\n',
    'cmdline.txt': `${words}\n`,
  }),
};

/** Ubuntu 25.10 and 26.04, with an update that waits for a trial boot. */
export const SLOTS_LAYOUT: BootLayout = {
  ...{ mount: '/boot/firmware', lineFile: 'current/cmdline.txt' },
  files: (words) => ({
    'config.txt': '[all]\nos_prefix=current/\n[tryboot]\nos_prefix=new/\n',
    'cmdline.txt': `${words} inert=1\n`,
    'current/cmdline.txt': `${words}\n`,
    'new/cmdline.txt': `${words}\n`,
  }),
};

/** Raspberry Pi OS Bullseye and older. */
export const OLD_LAYOUT: BootLayout = {
  ...{ mount: '/boot', lineFile: 'cmdline.txt' },
  files: (words) => ({ 'config.txt': 'arm_64bit=1\n', 'cmdline.txt': words }),
};

/** What a machine that boots like a Raspberry Pi is to be. */
export interface BerryOptions extends Pick<QemuOptions, 'name' | 'system' | 'openPorts'> {
  readonly layout: BootLayout;
  /** Packages that swap; those of `SWAP_PACKAGES` may be left out where installing them takes long. */
  readonly packages?: readonly string[];
  /** A word more in the lines that the firmware may read. */
  readonly word?: string;
}

/** Packages that swap to a file of their own and to compressed memory. */
export const SWAP_PACKAGES = ['dphys-swapfile', 'systemd-zram-generator'];

/** Two more ways to swap: a line of fstab, and a vendor's units that make their file anew. */
const SWAP_LINE = '/swapfile none swap sw,nofail 0 0\n';
const SWAP_FILES = {
  '/etc/dphys-swapfile': 'CONF_SWAPSIZE=16\n',
  '/etc/systemd/zram-generator.conf': '[zram0]\nzram-size = 32\n',
  '/usr/lib/systemd/system/mkswap.service': `[Unit]
DefaultDependencies=no
ConditionPathExists=!/vendorswap
After=systemd-remount-fs.service
Before=vendorswap.swap
[Service]
Type=oneshot
ExecStart=sh -c 'fallocate -l 16M /vendorswap && chmod 600 /vendorswap && mkswap /vendorswap'
`,
  '/usr/lib/systemd/system/vendorswap.swap': `[Unit]
After=mkswap.service
[Swap]
What=/vendorswap
`,
  '/usr/lib/systemd/system/swap.target.d/vendor.conf':
    '[Unit]\nWants=mkswap.service vendorswap.swap\n',
};

const BOOT_TIMEOUT_MS = 900_000;

/** A whole-kernel node that boots like a Raspberry Pi and swaps in every way. */
export async function startBerry(options: BerryOptions): Promise<QemuNode> {
  const { system = BOOKWORM, layout, packages = SWAP_PACKAGES, word } = options;
  const words = [bootWords(system), ...(word === undefined ? [] : [word])].join(' ');
  const firmware: Firmware = { files: layout.files(words), lineFile: layout.lineFile };
  const partition = `/dev/vdb ${layout.mount} vfat defaults,x-systemd.device-timeout=15min 0 2\n`;
  const fstab = `/dev/vda / ext4 defaults 0 1\n${partition}${SWAP_LINE}`;
  const files = { ...SWAP_FILES, '/etc/fstab': fstab };
  const node = await startQemuNode({ ...options, system, packages, files, firmware });
  await node.exec(
    'fallocate -l 16M /swapfile && chmod 600 /swapfile && mkswap /swapfile && swapon /swapfile',
  );
  return node;
}

/** What a node swaps to, in alphabetical order. */
export async function swapsOf(node: TestNode): Promise<string[]> {
  const { stdout } = await node.exec('tail -n +2 /proc/swaps');
  return stdout
    .split('\n')
    .map((line) => line.split(/\s/)[0] ?? '')
    .filter((swap) => swap !== '')
    .sort();
}

/** Resolves when a node that was just started swaps to everything that it has. */
export function waitForSwaps(node: TestNode, swaps: readonly string[]): Promise<void> {
  const hasAll = async () => (await swapsOf(node)).join() === swaps.join();
  return waitUntil(hasAll, BOOT_TIMEOUT_MS, 'not all swaps are there');
}

/** What a machine with all packages swaps to. */
export const ALL_SWAPS = ['/dev/zram0', '/swapfile', '/var/swap', '/vendorswap'];
