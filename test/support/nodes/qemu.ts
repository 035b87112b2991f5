import { spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CACHE, cached } from '../cache.ts';
import { mustRun } from '../run-command.ts';
import { type NodeAccess, nodeKey, rebootOver, sshRun, type TestNode, waitForSsh } from './node.ts';
import { startPackageProxy } from './package-proxy.ts';
import { claimSlot, notePid, releaseSlot, type Slot, sweepSlots } from './slot.ts';
import { debianTree, mountOverlay } from './tree.ts';

/** Software emulation boots in 40 s alone on two cores, slower beside another suite. */
const BOOT_TIMEOUT_MS = 900_000;
const DISK_SIZE = '4G';
/** Where the emulated network shows the machine that runs the emulator. */
const HOST_SEEN_FROM_GUEST = '10.0.2.2';

/** What a whole-kernel node is to be. */
export interface QemuOptions {
  readonly name: string;
  readonly python?: boolean;
  readonly packages?: readonly string[];
  readonly memoryMib?: number;
}

interface Disk {
  readonly image: string;
  readonly kernel: string;
  readonly initrd: string;
  readonly knownKeys: readonly string[];
}

/**
 * Boots a Debian machine with a kernel of its own under software emulation. Needs root (to make the disk image)
 * and about 40 s. Its apt reaches this machine's package sources.
 */
export async function startQemuNode(options: QemuOptions): Promise<TestNode> {
  await sweepSlots();
  const disk = await diskImage([
    'linux-image-amd64',
    ...(options.python ? ['python3', 'python3-apt'] : []),
    ...(options.packages ?? []),
  ]);
  const slot = await claimSlot();
  const port = await freePort();
  const proxy = await startPackageProxy('127.0.0.1');
  const knownHostsFile = join(slot.folder, 'known_hosts');
  await writeFile(
    knownHostsFile,
    disk.knownKeys.map((key) => `[127.0.0.1]:${port} ${key}`).join(''),
  );
  const keyFile = await nodeKey();
  const access: NodeAccess = { address: '127.0.0.1', port, user: 'root', keyFile, knownHostsFile };
  await boot(slot, disk, { port, memoryMib: options.memoryMib ?? 1024 });
  await waitForSsh(access, BOOT_TIMEOUT_MS);
  await sshRun(access, settleCommand(options.name, proxy.port));
  return {
    ...access,
    name: options.name,
    exec: (command) => sshRun(access, command),
    reboot: () => rebootOver(access, BOOT_TIMEOUT_MS),
    stop: async () => {
      await proxy.close();
      await releaseSlot(slot);
    },
  };
}

function settleCommand(name: string, proxyPort: number): string {
  const proxy = `http://${HOST_SEEN_FROM_GUEST}:${proxyPort}`;
  return [
    `hostnamectl set-hostname ${name}`,
    `printf '127.0.0.1 localhost\\n127.0.1.1 ${name}\\n' > /etc/hosts`,
    `printf 'Acquire::%s::Proxy "${proxy}";\\n' http https > /etc/apt/apt.conf.d/01proxy`,
  ].join('; ');
}

/** A folder with the disk, the kernel and the initial file system, made from a Debian tree and cached. */
async function diskImage(packages: readonly string[]): Promise<Disk> {
  const layers = await debianTree(packages);
  const key = layers[0]?.split('/').at(-1) ?? '';
  const folder = await cached(`trees/${key}-disk`, (path) => buildDisk(layers, path));
  const knownKeys = [await readFile(join(folder, 'ssh_host_keys'), 'utf8')];
  return {
    image: join(folder, 'disk.img'),
    kernel: join(folder, 'vmlinuz'),
    initrd: join(folder, 'initrd'),
    knownKeys: knownKeys.flatMap((text) => text.split(/(?<=\n)/)),
  };
}

async function buildDisk(layers: readonly string[], path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  const root = await mountOverlay(layers, `${path}.mount`);
  try {
    await prepareTree(root);
    const boot = await readdir(join(root, 'boot'));
    for (const kind of ['vmlinuz', 'initrd']) {
      const file = boot.find((name) => name.startsWith(`${kind}`) && name.includes('-'));
      await copyFile(join(root, 'boot', file ?? kind), join(path, kind));
    }
    await mustRun('sh', [
      '-c',
      'cat "$1"/etc/ssh/ssh_host_*_key.pub > "$2"',
      'sh',
      root,
      join(path, 'ssh_host_keys'),
    ]);
    const image = join(path, 'disk.unfinished');
    await mustRun('mke2fs', ['-q', '-t', 'ext4', '-d', root, '-r', '1', image, DISK_SIZE]);
    await rename(image, join(path, 'disk.img'));
  } finally {
    await mustRun('umount', [root]);
    await rm(`${path}.mount`, { recursive: true, force: true });
  }
}

async function prepareTree(root: string): Promise<void> {
  await nodeKey();
  await mkdir(join(root, 'root/.ssh'), { recursive: true, mode: 0o700 });
  await copyFile(join(CACHE, 'node-key.pub'), join(root, 'root/.ssh/authorized_keys'));
  await mkdir(join(root, 'etc/systemd/network'), { recursive: true });
  const network = '[Match]\nName=en* eth*\n[Network]\nDHCP=yes\n';
  await writeFile(join(root, 'etc/systemd/network/10-eth.network'), network);
  await writeFile(join(root, 'etc/fstab'), '/dev/vda / ext4 defaults 0 1\n');
}

async function boot(
  slot: Slot,
  disk: Disk,
  { port, memoryMib }: { port: number; memoryMib: number },
): Promise<void> {
  const overlay = join(slot.folder, 'disk.qcow2');
  await mustRun('qemu-img', [
    'create',
    '-q',
    '-f',
    'qcow2',
    '-F',
    'raw',
    '-b',
    disk.image,
    overlay,
  ]);
  const child = spawn(
    'qemu-system-x86_64',
    [
      ...['-machine', 'q35', '-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '1'],
      ...['-m', String(memoryMib), '-display', 'none'],
      ...['-serial', `file:${join(slot.folder, 'console.log')}`],
      ...['-kernel', disk.kernel, '-initrd', disk.initrd],
      ...['-append', 'root=/dev/vda rw console=ttyS0'],
      ...['-drive', `file=${overlay},if=virtio,format=qcow2`],
      ...['-netdev', `user,id=n0,hostfwd=tcp:127.0.0.1:${port}-:22`],
      ...['-device', 'virtio-net-pci,netdev=n0'],
    ],
    { detached: true, stdio: 'ignore' },
  );
  child.unref();
  if (child.pid === undefined) throw new Error('qemu-system-x86_64 is not installed');
  await notePid(slot, child.pid);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
