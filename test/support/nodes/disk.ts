import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CACHE, cached, removeTree } from '../cache.ts';
import { mustRun } from '../run-command.ts';
import { nodeKey } from './node.ts';
import { BOOKWORM, type DebianSystem } from './system.ts';
import { debianTree, type Layers, mountOverlay } from './tree.ts';
import { treeWithUnpackedKernel } from './unpacked-kernel.ts';

const DISK_SIZE = '4G';

/** What the disk of a whole-kernel node has. */
export interface DiskContents {
  readonly system: DebianSystem;
  /** Debian packages beside the kernel. */
  readonly packages: readonly string[];
  /** Files, by their paths. */
  readonly files: Readonly<Record<string, string>>;
}

/** A disk, and what boots it. */
export interface Disk {
  readonly image: string;
  readonly kernel: string;
  readonly initrd: string;
  /** The machine's public host keys, a line each. */
  readonly knownKeys: readonly string[];
}

/** A folder with the disk, the kernel and the initial file system, made from a Debian tree and cached. */
export async function diskImage({ system, packages, files }: DiskContents): Promise<Disk> {
  const layers = await treeWithKernel(system, packages);
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
  await removeTree(`${path}.mount`);
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

function treeWithKernel(system: DebianSystem, packages: readonly string[]): Promise<Layers> {
  if (system.architecture !== BOOKWORM.architecture) {
    return treeWithUnpackedKernel(packages, system);
  }
  return debianTree(['linux-image-amd64', ...packages], system);
}
