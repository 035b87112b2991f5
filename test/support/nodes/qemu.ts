import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { CACHE, cached } from '../cache.ts';
import { mustRun } from '../run-command.ts';
import { type Firmware, makePartition, readLine } from './firmware.ts';
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
  /** Files that the disk has from the start, by their paths; the result is cached. */
  readonly files?: Readonly<Record<string, string>>;
  /** Boots by this firmware, whose partition is `/dev/vdb`. */
  readonly firmware?: Firmware;
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
  const packages = [
    'linux-image-amd64',
    ...(options.python ? ['python3', 'python3-apt'] : []),
    ...(options.packages ?? []),
  ];
  const disk = await diskImage(packages, options.files ?? {});
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
  await makeDisks(slot, disk, options.firmware);
  await boot(slot, disk, {
    port,
    memoryMib: options.memoryMib ?? 1024,
    firmware: options.firmware,
  });
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
async function diskImage(
  packages: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<Disk> {
  const layers = await debianTree(packages);
  const tree = layers[0]?.split('/').at(-1) ?? '';
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 8);
  const key = Object.keys(files).length === 0 ? tree : `${tree}-${hash}`;
  const folder = await cached(`trees/${key}-disk`, (path) => buildDisk(layers, files, path));
  const knownKeys = [await readFile(join(folder, 'ssh_host_keys'), 'utf8')];
  return {
    image: join(folder, 'disk.img'),
    kernel: join(folder, 'vmlinuz'),
    initrd: join(folder, 'initrd'),
    knownKeys: knownKeys.flatMap((text) => text.split(/(?<=\n)/)),
  };
}

async function buildDisk(
  layers: readonly string[],
  files: Readonly<Record<string, string>>,
  path: string,
): Promise<void> {
  await mkdir(path, { recursive: true });
  const root = await mountOverlay(layers, `${path}.mount`);
  try {
    await prepareTree(root);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
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
  await mkdir(join(root, 'etc/systemd/system.conf.d'), { recursive: true });
  await writeFile(
    join(root, 'etc/systemd/system.conf.d/slow.conf'),
    '[Manager]\nDefaultTimeoutStartSec=15min\nDefaultDeviceTimeoutSec=15min\n',
  );
}

const FIRMWARE_DISK = 'firmware.img';

async function makeDisks(slot: Slot, { image }: Disk, firmware?: Firmware): Promise<void> {
  const overlay = join(slot.folder, 'disk.qcow2');
  const from = ['-f', 'qcow2', '-F', 'raw', '-b', image];
  await mustRun('qemu-img', ['create', '-q', ...from, overlay]);
  if (firmware !== undefined) await makePartition(firmware, join(slot.folder, FIRMWARE_DISK));
}

interface Machine {
  readonly port: number;
  readonly memoryMib: number;
  readonly firmware: Firmware | undefined;
}

async function boot(slot: Slot, disk: Disk, machine: Machine): Promise<void> {
  const { port, memoryMib, firmware } = machine;
  const partition = join(slot.folder, FIRMWARE_DISK);
  const line =
    firmware === undefined ? 'root=/dev/vda rw console=ttyS0' : await readLine(firmware, partition);
  const child = spawn(
    'qemu-system-x86_64',
    [
      ...['-machine', 'q35', '-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '1'],
      ...['-m', String(memoryMib), '-display', 'none'],
      ...['-serial', `file:${join(slot.folder, 'console.log')}`],
      ...['-kernel', disk.kernel, '-initrd', disk.initrd, '-append', line],
      ...['-drive', `file=${join(slot.folder, 'disk.qcow2')},if=virtio,format=qcow2`],
      ...(firmware === undefined
        ? []
        : ['-drive', `file=${partition},if=virtio,format=raw`, '-no-reboot']),
      ...['-netdev', `user,id=n0,hostfwd=tcp:127.0.0.1:${port}-:22`],
      ...['-device', 'virtio-net-pci,netdev=n0'],
    ],
    { detached: true, stdio: 'ignore' },
  );
  child.unref();
  if (child.pid === undefined) throw new Error('qemu-system-x86_64 is not installed');
  await notePid(slot, child.pid);
  child.on('exit', (code) => {
    // The machine has restarted: the firmware reads its file again. One that was killed ends otherwise.
    if (firmware !== undefined && code === 0) boot(slot, disk, machine).catch(() => undefined);
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
