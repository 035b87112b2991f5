import { spawn } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../cache.ts';
import { freePort } from '../free-port.ts';
import { mustRun, runCommand } from '../run-command.ts';
import { type Disk, diskImage } from './disk.ts';
import { type Firmware, makePartition, readLine } from './firmware.ts';
import { type NodeAccess, nodeKey, rebootOver, sshRun, type TestNode, waitForSsh } from './node.ts';
import { startPackageProxy } from './package-proxy.ts';
import { claimSlot, notePid, releaseSlot, type Slot, sweepSlots } from './slot.ts';
import { BOOKWORM, type DebianSystem } from './system.ts';
import { readWrites, replay } from './write-log.ts';

/** Software emulation boots in 40 s alone on two cores, slower beside another suite. */
const BOOT_TIMEOUT_MS = 900_000;
/** Where the emulated network shows the machine that runs the emulator. */
const HOST_SEEN_FROM_GUEST = '10.0.2.2';

/** What emulates a computer of each architecture, and what its serial line is called. */
const EMULATORS = {
  amd64: {
    ...{ program: 'qemu-system-x86_64', console: 'ttyS0' },
    options: ['-machine', 'q35', '-cpu', 'max'],
  },
  arm64: {
    ...{ program: 'qemu-system-aarch64', console: 'ttyAMA0' },
    options: ['-machine', 'virt', '-cpu', 'cortex-a72'],
  },
} as const;

/** The words of the kernel's command line without which a whole-kernel node does not boot. */
export function bootWords({ architecture }: DebianSystem): string {
  return `root=/dev/vda rw console=${EMULATORS[architecture].console}`;
}

/** What a whole-kernel node is to be. */
export interface QemuOptions {
  readonly name: string;
  /** Debian 12 on this computer's architecture where it is left out. */
  readonly system?: DebianSystem;
  readonly python?: boolean;
  readonly packages?: readonly string[];
  readonly memoryMib?: number;
  /** Files that the disk has from the start, by their paths; the result is cached. */
  readonly files?: Readonly<Record<string, string>>;
  /** Boots by this firmware, whose partition is `/dev/vdb`. */
  readonly firmware?: Firmware;
  /** TCP ports of it that are open to this computer, at the address that they share. */
  readonly openPorts?: readonly number[];
}

/** A whole-kernel node, whose addresses the emulator translates. */
export interface QemuNode extends TestNode {
  /** An address of this computer, where the node reaches this computer and this computer the node's open ports. */
  readonly sharedAddress: string;
}

/**
 * Boots a Debian machine with a kernel of its own under software emulation. Needs root (to make the disk image)
 * and about 40 s. Its apt reaches this machine's package sources.
 */
export async function startQemuNode(options: QemuOptions): Promise<QemuNode> {
  await sweepSlots();
  const { system = BOOKWORM, files = {}, firmware, memoryMib = 1024, openPorts = [] } = options;
  const packages = [
    ...(options.python ? ['python3', 'python3-apt'] : []),
    ...(options.packages ?? []),
  ];
  const disk = await diskImage({ system, packages, files });
  const slot = await claimSlot();
  const sharedAddress = `10.78.${slot.number}.1`;
  await mustRun('ip', ['addr', 'replace', `${sharedAddress}/32`, 'dev', 'lo']);
  const port = await freePort();
  const forwards = [
    `127.0.0.1:${port}-:22`,
    ...openPorts.map((each) => `${sharedAddress}:${each}-:${each}`),
  ];
  const proxy = await startPackageProxy('127.0.0.1');
  const knownHostsFile = join(slot.folder, 'known_hosts');
  await writeFile(
    knownHostsFile,
    disk.knownKeys.map((key) => `[127.0.0.1]:${port} ${key}`).join(''),
  );
  const keyFile = await nodeKey();
  const access: NodeAccess = { address: '127.0.0.1', port, user: 'root', keyFile, knownHostsFile };
  await makeDisks(slot, disk, firmware);
  await boot(slot, disk, { system, forwards, memoryMib, firmware });
  await waitForSsh(access, BOOT_TIMEOUT_MS);
  await sshRun(access, settleCommand(options.name, proxy.port));
  return {
    ...access,
    name: options.name,
    sharedAddress,
    exec: (command) => sshRun(access, command),
    reboot: () => rebootOver(access, BOOT_TIMEOUT_MS),
    stop: async () => {
      await proxy.close();
      await runCommand('ip', ['addr', 'del', `${sharedAddress}/32`, 'dev', 'lo']);
      await releaseSlot(slot);
    },
    ...(firmware === undefined ? {} : { bootLines: () => bootLines(slot, firmware) }),
  };
}

async function bootLines({ folder }: Slot, firmware: Firmware): Promise<string[]> {
  const image = join(folder, 'replayed.img');
  await copyFile(join(folder, FIRST_FIRMWARE_DISK), image);
  const writes = await readWrites(join(folder, FIRMWARE_LOG));
  const lines = await replay(image, writes, () => readLine(firmware, image).catch(() => 'none'));
  return lines.filter((line, i) => line !== lines[i - 1]);
}

function settleCommand(name: string, proxyPort: number): string {
  const proxy = `http://${HOST_SEEN_FROM_GUEST}:${proxyPort}`;
  return [
    `hostnamectl set-hostname ${name}`,
    `printf '127.0.0.1 localhost\\n127.0.1.1 ${name}\\n' > /etc/hosts`,
    `printf 'Acquire::%s::Proxy "${proxy}";\\n' http https > /etc/apt/apt.conf.d/01proxy`,
  ].join('; ');
}

const FIRMWARE_DISK = 'firmware.img';
/** As it was before the machine started. */
const FIRST_FIRMWARE_DISK = 'firmware.first.img';
/** Everything that was written to it since. */
const FIRMWARE_LOG = 'firmware.log';

async function makeDisks(slot: Slot, { image }: Disk, firmware?: Firmware): Promise<void> {
  const overlay = join(slot.folder, 'disk.qcow2');
  const from = ['-f', 'qcow2', '-F', 'raw', '-b', image];
  await mustRun('qemu-img', ['create', '-q', ...from, overlay]);
  if (firmware === undefined) return;
  await makePartition(firmware, join(slot.folder, FIRST_FIRMWARE_DISK));
  await copyFile(join(slot.folder, FIRST_FIRMWARE_DISK), join(slot.folder, FIRMWARE_DISK));
}

/** The partition of the firmware as a drive of which every write is noted. */
async function firmwareDrive({ folder }: Slot): Promise<string[]> {
  const log = join(folder, FIRMWARE_LOG);
  const append = await exists(log);
  if (!append) await writeFile(log, '');
  const drive = [
    ...['if=virtio', 'driver=blklogwrites', `log-append=${append ? 'on' : 'off'}`],
    ...['file.driver=file', `file.filename=${join(folder, FIRMWARE_DISK)}`],
    ...['log.driver=file', `log.filename=${log}`, 'log-super-update-interval=1'],
  ];
  return ['-drive', drive.join(), '-no-reboot'];
}

interface Machine {
  readonly system: DebianSystem;
  /** Which address and port of this computer lead to which port of the machine, as the emulator's option has it. */
  readonly forwards: readonly string[];
  readonly memoryMib: number;
  readonly firmware: Firmware | undefined;
}

async function boot(slot: Slot, disk: Disk, machine: Machine): Promise<void> {
  const { system, forwards, memoryMib, firmware } = machine;
  const emulator = EMULATORS[system.architecture];
  const partition = join(slot.folder, FIRMWARE_DISK);
  const line = firmware === undefined ? bootWords(system) : await readLine(firmware, partition);
  const child = spawn(
    emulator.program,
    [
      ...[...emulator.options, '-accel', 'tcg,thread=multi', '-smp', '1'],
      ...['-m', String(memoryMib), '-display', 'none'],
      ...['-serial', `file:${join(slot.folder, 'console.log')}`],
      ...['-kernel', disk.kernel, '-initrd', disk.initrd, '-append', line],
      ...['-drive', `file=${join(slot.folder, 'disk.qcow2')},if=virtio,format=qcow2`],
      ...(firmware === undefined ? [] : await firmwareDrive(slot)),
      ...['-netdev', ['user,id=n0', ...forwards.map((each) => `hostfwd=tcp:${each}`)].join()],
      ...['-device', 'virtio-net-pci,netdev=n0'],
    ],
    { detached: true, stdio: 'ignore' },
  );
  child.unref();
  if (child.pid === undefined) throw new Error(`${emulator.program} is not installed`);
  await notePid(slot, child.pid);
  child.on('exit', (code) => {
    // The machine has restarted: the firmware reads its file again. One that was killed ends otherwise.
    if (firmware !== undefined && code === 0) boot(slot, disk, machine).catch(() => undefined);
  });
}
