import type { Context } from 'mocha';
import { exists } from '../cache.ts';
import { runCommand } from '../run-command.ts';
import { skipFor } from '../skip.ts';

const PROGRAMS = {
  '/usr/bin/mmdebstrap': 'mmdebstrap',
  '/usr/bin/systemd-nspawn': 'systemd-container',
  '/usr/sbin/ip': 'iproute2',
  '/usr/bin/ssh': 'openssh-client',
  '/usr/bin/qemu-system-x86_64': 'qemu-system-x86',
  '/usr/bin/qemu-system-aarch64': 'qemu-system-arm',
  '/usr/sbin/depmod': 'kmod',
  '/usr/bin/busybox': 'busybox',
  '/usr/bin/qemu-img': 'qemu-utils',
  '/usr/sbin/mke2fs': 'e2fsprogs',
  '/usr/sbin/mkfs.vfat': 'dosfstools',
  '/usr/bin/mcopy': 'mtools',
};

/**
 * Skips a suite where this computer cannot run test machines, naming the reason. On CI a suite must not be
 * skipped: there it throws.
 */
export async function needMachines(context: Context): Promise<void> {
  skipFor(await whyNot(), context);
}

const COMPILERS = {
  go: ['version', 'releases are built with Go: https://go.dev/dl'],
  gcc: ['--version', 'a part of CRI-O is built with apt-get install gcc libc6-dev'],
} as const;

/** As needMachines, for suites that build releases from their sources. */
export async function needReleases(context: Context): Promise<void> {
  await needMachines(context);
  for (const [program, [argument, reason]] of Object.entries(COMPILERS)) {
    const { code } = await runCommand(program, [argument]);
    skipFor(code === 0 ? undefined : reason, context);
  }
}

async function whyNot(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'test machines need root';
  const missing: string[] = [];
  for (const [path, debianPackage] of Object.entries(PROGRAMS)) {
    if (!(await exists(path))) missing.push(debianPackage);
  }
  if (missing.length === 0) return undefined;
  return `test machines need these Debian packages: apt-get install ${missing.join(' ')}`;
}
