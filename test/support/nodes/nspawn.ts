import { spawn } from 'node:child_process';
import { appendFile, copyFile, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun, runCommand } from '../run-command.ts';
import {
  type NodeAccess,
  nodeKey,
  rebootOver,
  sshRun,
  type TestNode,
  untilStarted,
  waitForSsh,
} from './node.ts';
import { type PackageProxy, startPackageProxy } from './package-proxy.ts';
import { claimSlot, notePid, releaseSlot, type Slot, sweepSlots } from './slot.ts';
import { debianTree, mountOverlay, sweepTrees } from './tree.ts';

const BOOT_TIMEOUT_MS = 600_000;
const LONGEST_NAME = 7;

/** What a container node is to be. */
export interface NspawnOptions {
  /** Host name, at most 7 characters. */
  readonly name: string;
  /** With python3 and python3-apt, as Ansible needs them on a node. */
  readonly python?: boolean;
  /** Debian packages that the file system has from the start; the result is cached. */
  readonly packages?: readonly string[];
}

/** A container node: its file system is visible from outside. */
export interface NspawnNode extends TestNode {
  /** The folder that is the node's `/`. */
  readonly root: string;
  /** Starts it once it is switched off, and resolves when it has started everything. */
  powerOn(): Promise<void>;
}

/**
 * Boots a Debian machine with systemd and sshd as a container with a network of its own, in about two seconds
 * once its file system is cached. Its apt reaches this machine's package sources. Needs root.
 */
export async function startNode({
  name,
  python,
  packages = [],
}: NspawnOptions): Promise<NspawnNode> {
  if (name.length > LONGEST_NAME) throw new Error(`the node name "${name}" is too long`);
  await sweepSlots();
  await sweepTrees();
  const wanted = [...(python ? ['python3', 'python3-apt'] : []), ...packages];
  const layers = await debianTree(wanted);
  const slot = await claimSlot();
  const root = await mountOverlay(layers, slot.folder);
  await nameMachine(root, name);
  const access = await prepareAccess(slot, root);
  const bridge = await addBridge(slot);
  const proxy = await startPackageProxy(gateway(slot));
  await useProxy(root, gateway(slot), proxy);
  let power = { off: Promise.resolve() };
  const powerOn = async () => {
    await power.off;
    power = await boot(slot, { name, root, bridge });
    await waitForSsh(access, BOOT_TIMEOUT_MS);
    await untilStarted(access);
  };
  await powerOn();
  return {
    ...access,
    name,
    root,
    powerOn,
    exec: (command) => sshRun(access, command),
    reboot: () => rebootOver(access, BOOT_TIMEOUT_MS),
    stop: async () => {
      await proxy.close();
      // Before the slot is free: its next owner has a bridge of the same name.
      await runCommand('ip', ['link', 'delete', bridge]);
      await releaseSlot(slot);
    },
  };
}

const gateway = (slot: Slot) => `10.77.${slot.number}.1`;

async function nameMachine(root: string, name: string): Promise<void> {
  await writeFile(join(root, 'etc/hostname'), `${name}\n`);
  await writeFile(
    join(root, 'etc/hosts'),
    `127.0.0.1 localhost\n127.0.1.1 ${name}\n::1 localhost\n`,
  );
}

async function prepareAccess(slot: Slot, root: string): Promise<NodeAccess> {
  const keyFile = await nodeKey();
  const address = `10.77.${slot.number}.2`;
  await mkdir(join(root, 'root/.ssh'), { recursive: true, mode: 0o700 });
  await copyFile(`${keyFile}.pub`, join(root, 'root/.ssh/authorized_keys'));
  const network = `[Match]\nName=host0\n[Network]\nAddress=${address}/24\nLinkLocalAddressing=no\n`;
  await mkdir(join(root, 'etc/systemd/network'), { recursive: true });
  await writeFile(join(root, 'etc/systemd/network/10-eth.network'), network);
  const knownHostsFile = join(slot.folder, 'known_hosts');
  for (const type of ['ed25519', 'ecdsa', 'rsa']) {
    const key = await readFile(join(root, `etc/ssh/ssh_host_${type}_key.pub`), 'utf8');
    await appendFile(knownHostsFile, `${address} ${key}`);
  }
  return { address, port: 22, user: 'root', keyFile, knownHostsFile };
}

async function addBridge(slot: Slot): Promise<string> {
  const bridge = `tsprov${slot.number}`;
  await runCommand('ip', ['link', 'delete', bridge]);
  await mustRun('ip', ['link', 'add', bridge, 'type', 'bridge']);
  await mustRun('ip', ['addr', 'add', `${gateway(slot)}/24`, 'dev', bridge]);
  await mustRun('ip', ['link', 'set', bridge, 'up']);
  return bridge;
}

/** Points a file system's apt at a package proxy. */
export async function useProxy(root: string, host: string, proxy: PackageProxy): Promise<void> {
  const address = `http://${host}:${proxy.port}`;
  const lines = ['http', 'https'].map((kind) => `Acquire::${kind}::Proxy "${address}";\n`);
  await writeFile(join(root, 'etc/apt/apt.conf.d/01proxy'), lines.join(''));
}

/** What nspawn ends with when the machine inside asks to be restarted. */
const RESTART_CODE = 133;

/** Starts a machine; `off` resolves when it was switched off. */
async function boot(
  slot: Slot,
  machine: { name: string; root: string; bridge: string },
): Promise<{ off: Promise<void> }> {
  const log = await open(join(slot.folder, 'console.log'), 'a');
  const child = spawn(
    'systemd-nspawn',
    [
      ...['-D', machine.root, `--machine=${machine.name}-${slot.number}`, '--boot'],
      ...[`--hostname=${machine.name}`, `--network-bridge=${machine.bridge}`],
      ...['--register=no', '--keep-unit', '--console=pipe'],
    ],
    { detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  child.unref();
  await log.close();
  if (child.pid === undefined) throw new Error('systemd-nspawn is not installed');
  const off = new Promise<void>((resolve) => {
    child.on('exit', (code) => {
      if (code !== RESTART_CODE) return resolve();
      // A boot that fails shows as an ssh that never answers.
      boot(slot, machine).then(
        (next) => next.off.then(resolve),
        () => resolve(),
      );
    });
  });
  await notePid(slot, child.pid);
  return { off };
}
