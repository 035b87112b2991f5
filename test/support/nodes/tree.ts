import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, cached, removeTree } from '../cache.ts';
import { mustRun } from '../run-command.ts';
import { makeForeignBase } from './foreign-base.ts';
import { BOOKWORM, type DebianSystem } from './system.ts';

const BASE_PACKAGES =
  'systemd-sysv,openssh-server,iproute2,udev,kmod,sudo,dbus,procps,ca-certificates';

/** The read-only folders of a Debian file system, topmost first, as overlayfs wants them. */
export type Layers = readonly string[];

/**
 * A Debian file system with systemd and sshd, without Python, plus these packages with what they need. Made
 * once a day (package lists age), then cached.
 */
export async function debianTree(
  packages: readonly string[] = [],
  system: DebianSystem = BOOKWORM,
): Promise<Layers> {
  const name = `trees/${today()}-${system.suite}-${system.architecture}`;
  const base = await cached(`${name}-base`, (path) => buildBase(path, system));
  if (packages.length === 0) return [base];
  const list = [...packages].sort();
  const key = createHash('sha256').update(list.join(' ')).digest('hex').slice(0, 12);
  const layer = await cached(`${name}-${key}`, (path) =>
    buildLayer([base], path, (root) => installPackages(root, list)),
  );
  return [layer, base];
}

/** Removes the trees of earlier days. */
export async function sweepTrees(): Promise<void> {
  const recent = [today(), dayBefore()];
  for (const name of await readdir(join(CACHE, 'trees')).catch(() => [])) {
    if (recent.some((day) => name.startsWith(day))) continue;
    await removeTree(join(CACHE, 'trees', name));
  }
}

/** Mounts layers with a writable folder on top; `folder` gets `upper`, `work` and `root`. Gives the path of `root`. */
export async function mountOverlay(layers: Layers, folder: string): Promise<string> {
  const [upper, work, root] = ['upper', 'work', 'root'].map((name) => join(folder, name));
  for (const path of [upper, work, root]) await mkdir(String(path), { recursive: true });
  const options = `lowerdir=${layers.join(':')},upperdir=${upper},workdir=${work}`;
  await mustRun('mount', ['-t', 'overlay', 'overlay', '-o', options, String(root)]);
  return String(root);
}

/** Makes a layer at `path` of what `work` does in a file system of these layers. */
export async function buildLayer(
  layers: Layers,
  path: string,
  work: (root: string) => Promise<void>,
): Promise<void> {
  const folder = `${path}.mount`;
  await removeTree(folder);
  const root = await mountOverlay(layers, folder);
  try {
    await work(root);
  } finally {
    await mustRun('umount', [root]);
  }
  await mustRun('mv', [join(folder, 'upper'), path]);
  await rm(folder, { recursive: true, force: true });
}

async function buildBase(path: string, system: DebianSystem): Promise<void> {
  const { suite, architecture } = system;
  if (architecture !== BOOKWORM.architecture) {
    const [native = ''] = await debianTree([], { ...BOOKWORM, suite });
    await makeForeignBase(native, path, system);
    return;
  }
  await bootstrap(suite, path, [
    '--variant=apt',
    ...[`--include=${BASE_PACKAGES}`, '--skip=cleanup/apt/lists'],
  ]);
  await writeFile(join(path, 'etc/fstab'), '');
  await mustRun('chroot', [path, 'systemctl', 'enable', 'systemd-networkd', 'ssh']);
}

/** Makes the file system of a Debian suite in a folder, by these options of mmdebstrap. */
export async function bootstrap(
  suite: string,
  path: string,
  options: readonly string[],
): Promise<void> {
  const settings = (await aptOptions()).map((line) => `--aptopt=${line}`);
  const sources = await debianSources(suite);
  const words = ['--format=directory', ...settings, ...options, suite, path, ...sources];
  await mustRun('mmdebstrap', words, { env: { ...process.env, TMPDIR: '/tmp' } });
}

async function installPackages(root: string, packages: readonly string[]): Promise<void> {
  await mustRun('systemd-nspawn', [
    ...['-D', root, '--register=no', '--keep-unit', '--pipe', '--resolv-conf=copy-host', '-q'],
    ...['--setenv=DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qy'],
    ...['install', '--no-install-recommends', ...packages],
  ]);
}

/** The machine's own files that say where this Debian suite comes from; none where it uses the default. */
async function debianSources(suite: string): Promise<string[]> {
  const parts = await readdir('/etc/apt/sources.list.d').catch(() => []);
  const files = [
    '/etc/apt/sources.list',
    ...parts.map((name) => `/etc/apt/sources.list.d/${name}`),
  ];
  const names = new RegExp(`\\s${suite}(-updates|-security)?\\s`);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return files.filter((_, i) => names.test(texts[i] ?? ''));
}

/** The machine's own settings for fetching packages, as lines of apt.conf. */
async function aptOptions(): Promise<string[]> {
  const dump = await mustRun('apt-config', ['dump', 'Acquire']);
  return dump.split('\n').filter((line) => /^Acquire::(Check-|https?::)[^"]*"[^"]+"/.test(line));
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function dayBefore(): string {
  const dayMs = 24 * 60 * 60 * 1000;
  return new Date(Date.now() - dayMs).toISOString().slice(0, 10);
}
