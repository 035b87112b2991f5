/** The role of CRI-O on a container node. Its pods run on a machine with a kernel of its own. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseToml, tomlAt } from '../../src/shared/toml.ts';
import { CRIO_REPOSITORY, offerCrio } from '../support/nodes/crio.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { playNode } from '../support/nodes/play-node.ts';
import { needReleases } from '../support/nodes/requirements.ts';
import type { PlayRun } from '../support/play-on.ts';
import { CONTAINERD_2 } from '../support/releases/components.ts';
import { type ReleaseServer, startReleaseServer } from '../support/releases/release-server.ts';
import { publishUpstream } from '../support/releases/upstream.ts';

const FILTER = '/etc/sysconfig/iptables-config';
const LAST_WORD = '/etc/crio/crio.conf.d/99-tsprov.conf';

/** Keys that this version no longer has, and those on which drop-ins have the last word. */
const ELSEWHERE = [
  'crio.graphroot',
  'crio.runtime.seccomp_use_default_when_empty',
  'crio.image.signature_policy',
  'crio.runtime.runtimes.runc.runtime_path',
];

/** Values that it has in force by another name, or found where the configuration leaves that to it. */
const AS_FOUND: Readonly<Record<string, unknown>> = {
  'crio.storage_driver': 'overlay',
  'crio.runtime.pinns_path': '/usr/bin/pinns',
};

/** The values of a document with their dotted keys. */
function leaves(value: unknown, key = ''): [key: string, value: unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[key, value]];
  const prefix = key === '' ? '' : `${key}.`;
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, `${prefix}${name}`));
}

describe('CRI-O on a node', () => {
  let node: NspawnNode;
  let server: ReleaseServer;
  let folder: string;
  let predicted: PlayRun;
  let first: PlayRun;

  before(async function () {
    await needReleases(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-crio-'));
    server = await startReleaseServer();
    await publishUpstream(server, CONTAINERD_2);
    node = await startNode({ name: 'crio' });
    await node.exec('printf "#!/bin/sh\\necho mine\\nexit 0\\n" > /etc/rc.local');
    await offerCrio(node);
    predicted = await play('prepare', ['--check']);
    first = await play();
  });
  after(async () => {
    await node?.stop();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function play(
    name: Parameters<typeof playNode>[0] = 'prepare',
    args: readonly string[] = [],
  ): Promise<PlayRun> {
    const variables = {
      ...{ container_runtime: 'crio', crio_repositories: [CRIO_REPOSITORY], install_podman: true },
      // The sums of upstream's crictl are not those of the one that was built here.
      ...{ files_repo: server.url, crictl_checksums: {} },
    };
    return playNode(name, { nodes: node, folder, variables }, args);
  }
  const toml = async (path: string) => parseToml(await readFile(join(node.root, path), 'utf8'));

  it('is installed from its repository and runs', async () => {
    expect(first.code, first.text).to.equal(0);
    const { stdout } = await node.exec('systemctl is-active crio; systemctl is-enabled crio');
    expect(stdout).to.equal('active\nenabled\n');
  });

  it('is predicted by a check run that has never seen its repository', () => {
    expect(predicted.code, predicted.text).to.equal(0);
    expect(predicted.changed).to.deep.equal(first.changed);
  });

  it('answers to crictl', async () => {
    const { stdout } = await node.exec('crictl version');
    expect(stdout).to.match(/RuntimeName: +cri-o\nRuntimeVersion: +1\.34\.0\n/);
    const info = JSON.parse((await node.exec('crictl info')).stdout);
    expect(info.config.sandboxImage).to.equal('registry.k8s.io/pause:3.10');
    expect(info.status.conditions).to.deep.include({
      ...{ type: 'NetworkReady', status: true, reason: '', message: '' },
    });
  });

  it('runs with every value that its configuration has', async () => {
    const { stdout } = await node.exec('crio status config');
    const wanted = leaves(await toml('etc/crio/crio.conf'))
      .filter(([key]) => !ELSEWHERE.includes(key))
      .map(([key, value]) => [key, AS_FOUND[key] ?? value] as const);
    const inForce = new Map(leaves(parseToml(stdout)));
    const found = wanted.map(([key]) => [key, inForce.get(key)]);
    expect(found).to.deep.equal(wanted);
    const { stdout: status } = await node.exec('crio status info');
    expect(status).to.include('cgroup driver: systemd\nstorage driver: overlay\n');
  });

  it('keeps the network configuration of the package podman away', async () => {
    const list = 'cd /etc/cni/net.d && ls *.conf *.conflist';
    const { stdout } = await node.exec('podman --version && dpkg-query -L podman');
    expect(stdout).to.match(/^podman version 4\.3/);
    expect(stdout).to.include('/etc/cni/net.d/87-podman-bridge.conflist\n');
    const ours = '10-bridge.conf\n11-crio-ipv4-bridge.conflist\n20-loopback.conf\n';
    expect((await node.exec(list)).stdout).to.equal(ours);
    await node.exec('apt-get -qy install --reinstall podman');
    expect((await node.exec(list)).stdout, 'after an upgrade').to.equal(ours);
  });

  it('changes nothing the second time', async () => {
    const second = await play();
    expect(second.code, second.text).to.equal(0);
    expect(second.changed).to.deep.equal([]);
  });

  it('has the last word over what its package configures', async () => {
    const crio = await toml('etc/crio/crio.conf');
    expect(tomlAt(crio, ['crio', 'runtime', 'default_runtime'])).to.equal('runc');
    const last = await toml(LAST_WORD);
    expect(tomlAt(last, ['crio', 'runtime', 'default_runtime'])).to.equal('runc');
    const storage = await toml('etc/containers/storage.conf');
    expect(tomlAt(storage, ['storage', 'driver'])).to.equal('overlay2');
  });

  it('sets the kernel parameters again at every start', async () => {
    const { stdout } = await node.exec('cat /etc/rc.local; stat -c %a /etc/rc.local');
    expect(stdout).to.equal('#!/bin/sh\necho mine\n/sbin/sysctl --system\nexit 0\n755\n');
  });

  it('lets a unit set them where systemd knows no startup script', async () => {
    await node.exec('mv /etc/rc.local /root/rc.local');
    const run = await play('prepare', [
      '--tags',
      'crio',
      '-e',
      '{"crio_has_startup_script": false}',
    ]);
    expect(run.code, run.text).to.equal(0);
    expect((await node.exec('systemctl is-enabled tsprov-sysctl')).stdout).to.equal('enabled\n');
    await node.exec('systemctl disable -q tsprov-sysctl; mv /root/rc.local /etc/rc.local');
  });

  it('tells a packet filter that can be told to keep its modules', async () => {
    await node.exec(`mkdir /etc/sysconfig && echo 'IPTABLES_MODULES_UNLOAD="yes"' > ${FILTER}`);
    const run = await play('prepare', ['--tags', 'crio']);
    expect(run.code, run.text).to.equal(0);
    expect((await node.exec(`cat ${FILTER}`)).stdout).to.equal('IPTABLES_MODULES_UNLOAD="no"\n');
  });

  it('is seen by the verification, and so is a drop-in that comes later', async () => {
    const holds = await play('verify');
    expect(holds.text).to.match(
      /crio +sandbox image +registry\.k8s\.io\/pause:3\.10 +registry\S+ +pass/,
    );
    expect(holds.code, holds.text).to.equal(0);
    await node.exec('echo "[crio.runtime]" > /etc/crio/crio.conf.d/zz-other.conf');
    expect((await play('verify')).text).to.match(
      /drop-ins after crio\.conf .*zz-other\.conf +FAIL/,
    );
    await node.exec('rm /etc/crio/crio.conf.d/zz-other.conf');
  });

  it('refuses to take the place of containerd', async () => {
    const unit = '[Service]\\nExecStart=/bin/sleep infinity\\n';
    await node.exec(
      `printf '${unit}' > /etc/systemd/system/containerd.service; systemctl start containerd`,
    );
    const refused = await play();
    expect(refused.code).to.equal(2);
    expect(refused.text).to.include('containerd runs on this host, and its pods would be lost.');
    await node.exec('systemctl stop containerd; rm /etc/systemd/system/containerd.service');
  });

  it('goes without a trace', async () => {
    const reset = await play('reset');
    expect(reset.code, reset.text).to.equal(0);
    const { stdout } = await node.exec(
      `cat /etc/rc.local ${FILTER}; ls /usr/bin/crio ${LAST_WORD} /etc/crio/crio.conf /etc/containers/storage.conf /etc/apt/sources.list.d/tsprov* /etc/apt/keyrings/tsprov* /var/lib/tsprov/crio /etc/systemd/system/tsprov-sysctl.service`,
    );
    expect(stdout).to.equal('#!/bin/sh\necho mine\nexit 0\nIPTABLES_MODULES_UNLOAD="yes"\n');
  });
});
