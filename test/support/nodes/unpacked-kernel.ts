import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { cached } from '../cache.ts';
import { mustRun } from '../run-command.ts';
import type { DebianSystem } from './system.ts';
import { buildLayer, debianTree, type Layers } from './tree.ts';
import { dependencyOf, unpackPackages } from './unpacked-packages.ts';

/** What it takes to find the root file system of an emulated machine. */
const FIRST_MODULES = ['virtio_pci', 'virtio_blk', 'crc32c_generic', 'ext4'];

const INIT = `#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t devtmpfs devtmpfs /dev
mount -t proc proc /proc
mount -t sysfs sysfs /sys
modprobe -a ${FIRST_MODULES.join(' ')}
for word in $(cat /proc/cmdline); do
  case $word in root=*) root=\${word#root=};; esac
done
mount -t ext4 "$root" /root
mount --move /dev /root/dev
umount /sys /proc
exec switch_root /root /sbin/init
`;

/**
 * A Debian file system with packages, and with a kernel that was unpacked, not installed, and with a small initial file system. Where
 * the architecture is emulated, the one that Debian makes takes 25 minutes.
 */
export async function treeWithUnpackedKernel(
  packages: readonly string[],
  system: DebianSystem,
): Promise<Layers> {
  const layers = await debianTree(packages, system);
  const layer = await cached(`trees/${basename(layers[0] ?? '')}-kernel`, (path) =>
    buildLayer(layers, path, (root) => unpackKernel(root, system)),
  );
  return [layer, ...layers];
}

async function unpackKernel(root: string, system: DebianSystem): Promise<void> {
  const kernel = await dependencyOf(`linux-image-${system.architecture}`, system);
  const version = kernel.replace('linux-image-', '');
  const unpacked = join(dirname(root), 'unpacked');
  await unpackPackages([kernel, 'busybox-static'], system, unpacked);
  await cp(join(unpacked, 'boot'), join(root, 'boot'), { recursive: true });
  const modules = join('lib/modules', version);
  await mkdir(join(root, 'usr/lib/modules'), { recursive: true });
  await mustRun('mv', [join(unpacked, modules), join(root, 'usr', modules)]);
  await mustRun('depmod', ['-b', root, version]);
  const busybox = join(unpacked, 'bin/busybox');
  await makeInitrd(root, { modules, busybox, image: join(root, 'boot', `initrd.img-${version}`) });
}

interface Parts {
  /** The folder of the kernel's modules, below a root. */
  readonly modules: string;
  readonly busybox: string;
  /** The file to make. */
  readonly image: string;
}

async function makeInitrd(root: string, { modules, busybox, image }: Parts): Promise<void> {
  const tree = join(dirname(root), 'initrd');
  await rm(tree, { recursive: true, force: true });
  for (const each of ['bin', 'dev', 'proc', 'sys', 'root', modules]) {
    await mkdir(join(tree, each), { recursive: true });
  }
  await cp(busybox, join(tree, 'bin/busybox'));
  await writeFile(join(tree, 'init'), INIT);
  for (const each of ['init', 'bin/busybox']) await chmod(join(tree, each), 0o755);
  const list = await readFile(join(root, modules, 'modules.dep'), 'utf8');
  for (const each of neededModules(list)) {
    await cp(join(root, modules, each), join(tree, modules, each));
  }
  await cp(join(root, modules, 'modules.dep'), join(tree, modules, 'modules.dep'));
  const pack = 'cd "$1" && find . | busybox cpio -o -H newc | gzip > "$2"';
  await mustRun('sh', ['-c', pack, 'sh', tree, image]);
}

/** The files of the first modules and of those that they need, as `modules.dep` lists them. */
function neededModules(list: string): string[] {
  const lines = list.split('\n').map((line) => line.replace(':', '').split(' '));
  const wanted = new Set(FIRST_MODULES.map((name) => `${name}.ko`));
  const found = lines.filter(([file = '']) => wanted.has(basename(file)));
  return [...new Set(found.flat())].filter((file) => file !== '');
}
