/** A package repository of the form that CRI-O's has, with a package that is made here. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cached } from '../cache.ts';
import { mustRun } from '../run-command.ts';
import { CRIO } from './components.ts';
import { fingerprint, goBinaries } from './go-build.ts';
import { sha256 } from './release-server.ts';

const PACKAGE_VERSION = `${CRIO.version.slice(1)}-1.1`;

/** Upstream's package has these programs in it; here they are Debian's. */
const CONTROL = `Package: cri-o
Version: ${PACKAGE_VERSION}
Architecture: amd64
Maintainer: Nobody <nobody@example.org>
Depends: conmon, crun, iptables, runc
Description: CRI-O as it is built from its sources
`;

/** What has to be configured otherwise for a cluster, and the policy that has to stay. */
const CONFIGURATION = {
  'etc/crio/policy.json': '{"default": [{"type": "insecureAcceptAnything"}]}\n',
  'etc/crio/crio.conf.d/10-crio.conf': `[crio.image]
signature_policy = "/etc/crio/policy.json"

[crio.runtime]
default_runtime = "crun"

[crio.runtime.runtimes.crun]
runtime_path = "/usr/bin/crun"
runtime_root = "/run/crun"
monitor_path = "/usr/bin/conmon"

[crio.runtime.runtimes.runc]
runtime_path = "/usr/sbin/runc"
runtime_root = "/run/runc"
monitor_path = "/usr/bin/conmon"
`,
};

/** Where the package has files of CRI-O's sources. */
const PLACES = {
  'crictl.yaml': 'etc/crictl.yaml',
  'contrib/cni/11-crio-ipv4-bridge.conflist': 'etc/cni/net.d/11-crio-ipv4-bridge.conflist',
  'contrib/systemd/crio.service': 'usr/lib/systemd/system/crio.service',
};

/** Writes a signed repository without folders, with its key as `Release.key`. */
export async function writeCrioRepository(folder: string): Promise<void> {
  const file = `cri-o_${PACKAGE_VERSION}_amd64.deb`;
  await cp(await crioPackage(), join(folder, file));
  const content = await readFile(join(folder, file));
  const packages = `${CONTROL}Filename: ./${file}\nSize: ${content.length}\nSHA256: ${sha256(content)}\n`;
  await writeFile(join(folder, 'Packages'), packages);
  const release = `Date: ${new Date().toUTCString().replace('GMT', 'UTC')}\nSHA256:\n ${sha256(Buffer.from(packages))} ${packages.length} Packages\n`;
  await writeFile(join(folder, 'Release'), release);
  await sign(folder);
}

/** Builds the package, once. */
function crioPackage(): Promise<string> {
  const recipe = [CRIO, CONTROL, CONFIGURATION, PLACES];
  return cached(`releases/cri-o-${PACKAGE_VERSION}-${fingerprint(recipe)}.deb`, async (path) => {
    const tree = `${path}.tree`;
    await rm(tree, { recursive: true, force: true });
    const programs = join(tree, 'usr/bin');
    await mkdir(programs, { recursive: true });
    const built = await goBinaries(CRIO, 'amd64');
    await cp(join(built, 'crio'), join(programs, 'crio'));
    await buildPinns(join(built, 'tree/pinns/src'), join(programs, 'pinns'));
    for (const [source, place] of Object.entries(PLACES)) {
      const text = await readFile(join(built, 'tree', source), 'utf8');
      await put(join(tree, place), text.replaceAll('/usr/local/bin', '/usr/bin'));
    }
    for (const [name, text] of Object.entries(CONFIGURATION)) await put(join(tree, name), text);
    await put(join(tree, 'DEBIAN/control'), CONTROL);
    const kept = ['crictl.yaml', 'cni/net.d/11-crio-ipv4-bridge.conflist'];
    await put(join(tree, 'DEBIAN/conffiles'), kept.map((name) => `/etc/${name}\n`).join(''));
    await mustRun('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '-b', tree, path]);
    await rm(tree, { recursive: true });
  });
}

/** The program with which CRI-O holds namespaces, as upstream's makefile builds it. */
async function buildPinns(sources: string, program: string): Promise<void> {
  const files = ['pinns.c', 'sysctl.c'].map((name) => join(sources, name));
  await mustRun('gcc', ['-std=c99', '-Os', '-static', '-s', '-o', program, ...files]);
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function sign(folder: string): Promise<void> {
  const home = join(folder, 'gnupg');
  await mkdir(home, { mode: 0o700 });
  const gpg = (...args: readonly string[]) =>
    mustRun('gpg', ['--homedir', home, '--batch', '--quiet', '--passphrase', '', ...args], {
      cwd: folder,
    });
  await gpg('--quick-generate-key', 'test', 'ed25519', 'sign', 'never');
  await gpg('--clearsign', '--output', 'InRelease', 'Release');
  await gpg('--armor', '--export', '--output', 'Release.key');
  await mustRun('gpgconf', ['--homedir', home, '--kill', 'gpg-agent']);
  await rm(home, { recursive: true });
}
