import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { playNode } from '../support/nodes/play-node.ts';
import { needReleases } from '../support/nodes/requirements.ts';
import type { PlayRun } from '../support/play-on.ts';
import { CONTAINERD_1, CONTAINERD_2 } from '../support/releases/components.ts';
import { type ReleaseServer, startReleaseServer } from '../support/releases/release-server.ts';
import { publishContainerd, publishUpstream } from '../support/releases/upstream.ts';

const TAGS = ['--tags', 'containerd,crio,tools,cni'];
const ARCHIVE = 'containerd-1.7.35-linux-amd64.tar.gz';
const RELEASE = `/github.com/containerd/containerd/releases/download/v1.7.35/${ARCHIVE}`;
/** Everything that means something to systemd or to a shell. */
const NOTE = `a "b" $HOME \`d\` \\e %h 'g' #`;
/** Written by somebody for a machine without Kubernetes. */
const FOREIGN_CONFIG = `version = 2
disabled_plugins = ["cri"]
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "/etc/containerd/certs.d" # our mirrors
`;

describe('where runtime and tools come from', () => {
  let node: NspawnNode;
  let folder: string;
  let server: ReleaseServer;

  before(async function () {
    await needReleases(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-sources-'));
    server = await startReleaseServer();
    await publishUpstream(server, CONTAINERD_1);
    node = await startNode({ name: 'src', packages: ['conntrack', 'iptables'] });
  });
  after(async () => {
    await node?.stop();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  type Playbook = Parameters<typeof playNode>[0];
  function play(given: Record<string, unknown>, name: Playbook = 'prepare'): Promise<PlayRun> {
    const variables = { crictl_checksums: {}, ...given };
    return playNode(name, { nodes: node, folder, variables }, name === 'prepare' ? TAGS : []);
  }
  const succeeds = async (variables: Record<string, unknown>, name?: Playbook) => {
    const run = await play(variables, name);
    expect(run.code, run.text).to.equal(0);
    return run;
  };
  const says = async (command: string) => (await node.exec(command)).stdout;

  it('leaves nothing behind when a download is cut off, or is not what was published', async () => {
    server.mishaps.set(RELEASE, ['cut', 'cut', 'cut', 'cut']);
    const cut = await play({ files_repo: server.url });
    expect(cut.code).to.equal(2);
    expect(cut.text).to.include(`${ARCHIVE} cannot be fetched`);
    const sums = server.answers.get(`${RELEASE}.sha256sum`) as Buffer; // It was published as one.
    server.answers.set(`${RELEASE}.sha256sum`, Buffer.from(`${'0'.repeat(64)}  ${ARCHIVE}\n`));
    const forged = await play({ files_repo: server.url });
    expect(forged.code).to.equal(2);
    expect(forged.text).to.match(/has the SHA-256 [0-9a-f]{64}, and 0{64} is wanted/);
    server.answers.set(`${RELEASE}.sha256sum`, sums);
    expect(await says('ls -A /usr/local/bin; ls -A /usr/local | grep tsprov')).to.equal('');
  });

  it('leaves nothing behind when the disk is full', async () => {
    await node.exec('mount -t tmpfs -o size=60m tmpfs /usr/local');
    const full = await play({ files_repo: server.url });
    expect(full.code).to.equal(2);
    expect(full.text).to.include('No space left on device');
    expect(await says('find /usr/local -type f; umount /usr/local')).to.equal('');
  });

  it('keeps what somebody else configured, and switches on what Kubernetes needs', async () => {
    await node.exec(
      `mkdir -p /etc/containerd && printf %s '${FOREIGN_CONFIG}' > /etc/containerd/config.toml`,
    );
    await node.exec(
      'mkdir -p /etc/cni/net.d && echo "{}" > /etc/cni/net.d/87-podman-bridge.conflist',
    );
    await succeeds({ files_repo: server.url, containerd_environment: { NOTE } });
    const environment = '/proc/$(systemctl show -p MainPID --value containerd)/environ';
    expect(await says(`tr '\\0' '\\n' < ${environment} | grep ^NOTE=`)).to.equal(`NOTE=${NOTE}\n`);
    await succeeds({ files_repo: server.url });
    expect(await says(`tr '\\0' '\\n' < ${environment} | grep ^NOTE=`)).to.equal('');
    const config = await says('containerd config dump');
    expect(config).to.match(/config_path = "\/etc\/containerd\/certs\.d"/);
    expect(config)
      .to.match(/disabled_plugins = \[\]/)
      .and.to.match(/SystemdCgroup = true/);
    expect(await says('ls /etc/cni/net.d')).to.equal('10-bridge.conf\n20-loopback.conf\n');
  });

  it('upgrades containerd from 1.x to 2.x, and its configuration with it', async () => {
    expect(await says('ctr version')).to.match(/Server:\n +Version: +v1\.7\.35/);
    expect(await says('grep ^version /etc/containerd/config.toml')).to.equal('version = 2\n');
    await publishContainerd(server, CONTAINERD_2, { architecture: 'amd64' });
    expect((await succeeds({ files_repo: server.url })).changed).to.deep.equal([]);
    await succeeds({ files_repo: server.url, update_versions: true });
    expect(await says('ctr version')).to.match(/Server:\n +Version: +v2\.4\.2/);
    expect(await says('grep ^version /etc/containerd/config.toml')).to.equal('version = 4\n');
    expect((await succeeds({ files_repo: server.url })).changed).to.deep.equal([]);
  });

  it('refuses to go back to an older version, and does it when told', async () => {
    const older = { files_repo: server.url, containerd_version: '1.7.35' };
    const refused = await play(older);
    expect(refused.code).to.equal(2);
    expect(refused.text).to.include('containerd 2.4.2 is installed, and 1.7.35 is wanted');
    // The older daemon takes no configuration of the newer one.
    const stuck = await play({ ...older, allow_downgrade: true });
    expect(stuck.text).to.include(
      'has version 4 of the format, and containerd v1.7.35 takes at most 2',
    );
    await node.exec('rm /etc/containerd/config.toml');
    await succeeds({ ...older, allow_downgrade: true });
    expect(await says('ctr version')).to.match(/Server:\n +Version: +v1\.7\.35/);
  });

  it('refuses the package beside the release', async () => {
    const run = await play({ containerd_source: 'package' });
    expect(run.code).to.equal(2);
    expect(run.text).to.include('A release of containerd is in /usr/local/bin');
    await succeeds({}, 'reset');
    expect(await says('cat /etc/containerd/config.toml')).to.equal(FOREIGN_CONFIG);
    expect(await says('ls /etc/cni/net.d')).to.equal('87-podman-bridge.conflist\n');
    await node.exec('rm /etc/containerd/config.toml /etc/cni/net.d/87-podman-bridge.conflist');
  });

  it('needs no network with a directory of files', async () => {
    const files = join(folder, 'files');
    for (const [path, answer] of server.answers) {
      if ('location' in answer) continue;
      await mkdir(dirname(join(files, path)), { recursive: true });
      await writeFile(
        join(files, path),
        Buffer.isBuffer(answer) ? answer : await readFile(answer.file),
      );
    }
    await rm(join(folder, 'cache'), { recursive: true });
    await rm(join(folder, 'tsprov.lock.yaml'));
    server.requests.length = 0;
    await succeeds({ files_dir: files });
    expect(server.requests).to.deep.equal([]);
    expect(await says('ctr version')).to.match(/Server:\n +Version: +v2\.4\.2/);
    await succeeds({}, 'verify');
    await succeeds({}, 'reset');
  });

  it('installs the package of the distribution with plugins from the release', async () => {
    const wanted = { containerd_source: 'package', files_repo: server.url };
    await succeeds(wanted);
    expect(await says('ctr version')).to.match(/Server:\n +Version: +1\.6/);
    expect(await says('containerd config dump')).to.match(/SystemdCgroup = true/);
    expect(await says('containerd config dump')).to.match(/bin_dir = "\/opt\/cni\/bin"/);
    expect((await succeeds(wanted)).changed).to.deep.equal([]);
    await succeeds(wanted, 'verify');
  });

  it('refuses the release beside the package', async () => {
    const run = await play({ files_repo: server.url });
    expect(run.code).to.equal(2);
    expect(run.text).to.include(
      'The package containerd is installed, and the release would run instead of it',
    );
  });

  it('brings the configuration of the package back', async () => {
    await succeeds({ containerd_source: 'package' }, 'reset');
    expect(await says('dpkg-query -W containerd; ls /usr/bin/containerd')).to.not.include(
      '/usr/bin',
    );
  });

  it('refuses a network configuration of somebody else that comes first, and changes nothing of it', async () => {
    await node.exec('mkdir -p /etc/cni/net.d && echo "{}" > /etc/cni/net.d/05-other.conflist');
    const run = await play({ files_repo: server.url });
    expect(run.code).to.equal(2);
    expect(run.text).to.include('05-other.conflist\\" comes before 10-bridge.conf');
    expect(await says('ls /etc/cni/net.d')).to.equal('05-other.conflist\n');
    const told = { files_repo: server.url, cni_remove: ['05-other.conflist'] };
    await succeeds(told);
    await succeeds(told, 'reset');
    expect(await says('ls /etc/cni/net.d')).to.equal('05-other.conflist\n');
    await node.exec('rm /etc/cni/net.d/05-other.conflist');
  });

  it('refuses to take the place of CRI-O, and does it when told', async () => {
    const unit =
      '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n';
    await node.exec(
      `printf '${unit}' > /etc/systemd/system/crio.service; systemctl enable --now crio`,
    );
    const refused = await play({ files_repo: server.url });
    expect(refused.code).to.equal(2);
    expect(refused.text).to.include('CRI-O runs on this host, and its pods would be lost.');
    await succeeds({ files_repo: server.url, allow_runtime_switch: true });
    expect(await says('systemctl is-active crio; systemctl is-enabled crio')).to.equal(
      'inactive\ndisabled\n',
    );
  });
});
