/** What upstream publishes, laid out as upstream does: names, inner paths, lists of sums, redirections. */
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from '../cache.ts';
import { unpackPackages } from '../nodes/unpacked-packages.ts';
import { mustRun } from '../run-command.ts';
import { BUILDKIT, CNI_PLUGINS, CRICTL, NERDCTL } from './components.ts';
import { type Architecture, type GoCommands, goBinaries } from './go-build.ts';
import { publish, type ReleaseServer, sumLine } from './release-server.ts';

/** The version of Debian's runc does not matter; upstream's name for it does. */
const RUNC_TAG = 'v1.1.5';

/** Publishes everything that a node needs, with this containerd as the newest one. */
export async function publishUpstream(
  server: ReleaseServer,
  containerd: GoCommands,
  architecture: Architecture = 'amd64',
): Promise<void> {
  await publishContainerd(server, containerd, { architecture });
  await publishRunc(server, architecture);
  await publishBuildKit(server, architecture);
  await publishPlugins(server, architecture);
  await publishCrictl(server, architecture);
  await publishNerdctl(server, architecture);
}

/** Builds what publishUpstream publishes. */
export async function buildUpstream(
  containerd: GoCommands,
  architecture: Architecture,
): Promise<void> {
  for (const each of [containerd, BUILDKIT, NERDCTL, CNI_PLUGINS, CRICTL]) {
    await goBinaries(each, architecture);
  }
}

/** Publishes one version of containerd. */
export async function publishContainerd(
  server: ReleaseServer,
  containerd: GoCommands,
  { architecture, latest = true }: { architecture: Architecture; latest?: boolean },
): Promise<void> {
  const folder = await goBinaries(containerd, architecture);
  const version = containerd.version.slice(1);
  const name = `containerd-${version}-linux-${architecture}.tar.gz`;
  const file = await archive(name, folder, 'bin');
  const sums = Buffer.from(sumLine(await readFile(file), name));
  const assets = { [name]: { file }, [`${name}.sha256sum`]: sums };
  const release = { repository: 'containerd/containerd', tag: containerd.version, assets };
  publish(server, release, { latest });
  publishTree(server, 'containerd/containerd', containerd, folder);
}

async function publishRunc(server: ReleaseServer, architecture: Architecture): Promise<void> {
  const file = join(await debianProgram('runc', 'usr/sbin/runc', architecture), 'runc');
  const name = `runc.${architecture}`;
  const sums = `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${sumLine(await readFile(file), name)}-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n`;
  const assets = { [name]: { file }, 'runc.sha256sum': Buffer.from(sums) };
  publish(server, { repository: 'opencontainers/runc', tag: RUNC_TAG, assets });
}

/** BuildKit publishes no sums. */
async function publishBuildKit(server: ReleaseServer, architecture: Architecture): Promise<void> {
  const folder = await goBinaries(BUILDKIT, architecture);
  const name = `buildkit-${BUILDKIT.version}.linux-${architecture}.tar.gz`;
  const assets = { [name]: { file: await archive(name, folder, 'bin') } };
  publish(server, { repository: 'moby/buildkit', tag: BUILDKIT.version, assets });
  publishTree(server, 'moby/buildkit', BUILDKIT, folder);
}

async function publishPlugins(server: ReleaseServer, architecture: Architecture): Promise<void> {
  const folder = await goBinaries(CNI_PLUGINS, architecture);
  const name = `cni-plugins-linux-${architecture}-${CNI_PLUGINS.version}.tgz`;
  const file = await archive(name, folder, '.', ['README.md', 'LICENSE']);
  const sums = Buffer.from(sumLine(await readFile(file), name));
  const assets = { [name]: { file }, [`${name}.sha256`]: sums };
  publish(server, { repository: 'containernetworking/plugins', tag: CNI_PLUGINS.version, assets });
}

/** Beside each archive of crictl lies a bare sum. */
async function publishCrictl(server: ReleaseServer, architecture: Architecture): Promise<void> {
  const name = `crictl-${CRICTL.tells}-linux-${architecture}.tar.gz`;
  const file = await archive(name, await goBinaries(CRICTL, architecture), '.');
  const [sum = ''] = sumLine(await readFile(file), name).split(' ');
  const assets = { [name]: { file }, [`${name}.sha256`]: Buffer.from(sum) };
  publish(server, { repository: 'kubernetes-sigs/cri-tools', tag: CRICTL.tells, assets });
}

/** nerdctl has one list of sums for all its files. */
async function publishNerdctl(server: ReleaseServer, architecture: Architecture): Promise<void> {
  const name = `nerdctl-${NERDCTL.version.slice(1)}-linux-${architecture}.tar.gz`;
  const file = await archive(name, await goBinaries(NERDCTL, architecture), '.');
  const lines = [
    sumLine(Buffer.from(''), 'nerdctl-full.tar.gz'),
    sumLine(await readFile(file), name),
  ];
  const assets = { [name]: { file }, SHA256SUMS: Buffer.from(lines.join('')) };
  publish(server, { repository: 'containerd/nerdctl', tag: NERDCTL.version, assets });
}

function publishTree(
  server: ReleaseServer,
  repository: string,
  { version, files }: GoCommands,
  folder: string,
): void {
  for (const file of files) {
    const path = `/raw.githubusercontent.com/${repository}/${version}/${file}`;
    server.answers.set(path, { file: join(folder, 'tree', file) });
  }
}

/** An archive with the programs of a folder below `inner`, with owners of the machine that made it. */
async function archive(
  name: string,
  folder: string,
  inner: string,
  documents: readonly string[] = [],
): Promise<string> {
  return cached(`releases/archives/${basename(folder)}/${name}`, async (path) => {
    const tree = `${path}.tree`;
    await rm(tree, { recursive: true, force: true });
    await mkdir(join(tree, inner), { recursive: true });
    const programs = (await readdir(folder)).filter((each) => each !== 'tree');
    for (const each of programs) await cp(join(folder, each), join(tree, inner, basename(each)));
    for (const each of documents) await cp(join(folder, 'tree', each), join(tree, each));
    await mustRun('tar', ['-C', tree, '--owner=1001', '--group=127', '-czf', path, '.']);
    await rm(tree, { recursive: true, force: true });
  });
}

/** A program of a Debian package, without installing it. */
function debianProgram(name: string, path: string, architecture: Architecture): Promise<string> {
  return cached(`releases/debian-${name}-${architecture}`, async (folder) => {
    const unpacked = `${folder}.unpacked`;
    await rm(unpacked, { recursive: true, force: true });
    await unpackPackages([name], { suite: 'bookworm', architecture }, unpacked);
    await mkdir(folder, { recursive: true });
    await cp(join(unpacked, path), join(folder, name));
    await rm(unpacked, { recursive: true, force: true });
  });
}
