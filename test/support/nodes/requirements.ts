import type { Context } from 'mocha';
import { exists } from '../cache.ts';
import { runCommand } from '../run-command.ts';

const PROGRAMS = {
  '/usr/bin/mmdebstrap': 'mmdebstrap',
  '/usr/bin/systemd-nspawn': 'systemd-container',
  '/usr/sbin/ip': 'iproute2',
  '/usr/bin/ssh': 'openssh-client',
  '/usr/bin/qemu-system-x86_64': 'qemu-system-x86',
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

/** As needMachines, for suites that build releases from their Go modules. */
export async function needReleases(context: Context): Promise<void> {
  await needMachines(context);
  const { code } = await runCommand('go', ['version']);
  skipFor(code === 0 ? undefined : 'releases are built with Go: https://go.dev/dl', context);
}

function skipFor(reason: string | undefined, context: Context): void {
  if (reason === undefined) return;
  if (process.env['CI']) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  context.skip();
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
