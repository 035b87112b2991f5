import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TestNode } from '../support/nodes/node.ts';
import { startNode } from '../support/nodes/nspawn.ts';
import { startQemuNode } from '../support/nodes/qemu.ts';
import { needReleases } from '../support/nodes/requirements.ts';
import { type PlayRun, playOn } from '../support/play-on.ts';
import { BUILDKIT, CONTAINERD_2 } from '../support/releases/components.ts';
import { type ReleaseServer, startReleaseServer } from '../support/releases/release-server.ts';
import { publishUpstream } from '../support/releases/upstream.ts';

/** An emulated machine is slow: what needs no kernel of its own is left to the other one. */
const MACHINES = [
  {
    ...{ what: 'a container node without Python', isEmulated: false },
    start: () => startNode({ name: 'prep' }),
  },
  {
    ...{ what: 'a whole-kernel node', isEmulated: true },
    start: () => startQemuNode({ name: 'prepq' }),
  },
];

for (const { what, isEmulated, start } of MACHINES) {
  describe(`playbooks/prepare-node.yaml on ${what}`, () => {
    let node: TestNode;
    let folder: string;
    let server: ReleaseServer;
    let predicted: PlayRun;
    let first: PlayRun;

    const play = (name = 'prepare', ...args: readonly string[]) =>
      playOn(node, folder, `playbooks/${name}-node.yaml`, [
        ...['-e', `@${join(folder, 'vars.json')}`],
        ...args,
      ]);

    before(async function () {
      await needReleases(this);
      folder = await mkdtemp(join(tmpdir(), 'tsprov-prepare-'));
      server = await startReleaseServer();
      await publishUpstream(server, CONTAINERD_2);
      node = await start();
      const variables = {
        ...{
          pod_cidr: '10.85.7.0/24',
          files_repo: server.url,
          release_cache: join(folder, 'cache'),
        },
        // The sums of the true crictl are not those of the program that stands in for it.
        ...{ crictl_checksums: {}, allow_reboot: false, confirm: true },
      };
      await writeFile(join(folder, 'vars.json'), JSON.stringify(variables));
      await node.exec('printf "/swapfile none swap sw 0 0\\n" >> /etc/fstab');
      predicted = await play('prepare', '--check', '--diff');
      first = await play('prepare', '--diff');
    });
    after(async () => {
      await node?.stop();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('succeeds', () => {
      expect(first.code, first.text).to.equal(0);
    });

    it('predicts what the run then changes', () => {
      expect(predicted.code, predicted.text).to.equal(0);
      expect(predicted.changed).to.deep.equal(first.changed);
    });

    it('changes nothing the second time, and asks no server', async () => {
      server.requests.length = 0;
      const second = await play();
      expect(second.code, second.text).to.equal(0);
      expect(second.changed).to.deep.equal([]);
      expect(server.requests).to.deep.equal([]);
    });

    it('locks versions, places and sums beside the inventory', async () => {
      const lock = await readFile(join(folder, 'tsprov.lock.yaml'), 'utf8');
      expect(lock).to.include(`version: "${CONTAINERD_2.version.slice(1)}"`);
      expect(lock).to.include(
        `https://github.com/moby/buildkit/releases/download/${BUILDKIT.version}/buildkit-${BUILDKIT.version}.linux-amd64.tar.gz`,
      );
      expect(lock.match(/sha256: "[0-9a-f]{64}"/g)).to.have.length(9);
    });

    it('leaves containerd running with the systemd cgroup driver and the pause image', async () => {
      const { stdout, stderr } = await node.exec(
        'systemctl is-active containerd && ctr version && containerd config dump',
      );
      expect(stdout, stderr).to.match(/^active\n/);
      expect(stdout).to.match(/Server:\n +Version: +v2\.4\.2/);
      expect(stdout).to.match(/SystemdCgroup = true/);
      expect(stdout).to.match(/sandbox = ['"]registry\.k8s\.io\/pause:3\.10['"]/);
    });

    it('leaves BuildKit running behind its socket, and crictl talking to containerd', async () => {
      const { stdout } = await node.exec(
        'systemctl is-active buildkit.socket buildkit.service; systemctl is-enabled buildkit.socket buildkit.service; buildctl debug workers; crictl version; crictl --version; nerdctl --version',
      );
      expect(stdout).to.match(/^active\nactive\nenabled\nenabled\n/);
      expect(stdout).to.match(/linux\/amd64/);
      expect(stdout).to.match(/RuntimeVersion: +v2\.4\.2/);
      expect(stdout).to.include('crictl version v1.30.1\nnerdctl version 2.3.5\n');
    });

    it('comments swap out of fstab', async () => {
      const { stdout } = await node.exec('grep swap /etc/fstab');
      expect(stdout).to.equal('#tsprov-swap-off# /swapfile none swap sw 0 0\n');
    });

    it('gives everything to root, and nobody else the right to write', async () => {
      const { stdout } = await node.exec(
        'stat -c "%U:%G %a %n" /opt/cni/bin /opt/cni/bin/* /usr/local/bin/* /usr/local/sbin/runc',
      );
      const lines = stdout.trim().split('\n');
      expect(lines).to.have.length.above(15);
      for (const line of lines)
        expect(line).to.match(/^root:root [75][0145][0145] |^root:root 644 /);
      const { stdout: hidden } = await node.exec(
        'ls -A /opt/cni/bin /usr/local /usr/local/bin | grep "^\\.tsprov"',
      );
      expect(hidden).to.equal('');
    });

    it('connects a network namespace by the configuration that it wrote', async () => {
      const add = `ip netns add pod && CNI_COMMAND=ADD CNI_CONTAINERID=pod CNI_NETNS=/var/run/netns/pod CNI_IFNAME=eth0 CNI_PATH=/opt/cni/bin /opt/cni/bin/bridge < /etc/cni/net.d/10-bridge.conf`;
      const { stdout, stderr } = await node.exec(
        `${add} && ip -4 -o addr show cnio0 && ip netns exec pod ip route`,
      );
      expect(stdout, stderr).to.include('10.85.7.1/24');
      expect(stdout).to.include('default via 10.85.7.1 dev eth0');
      const { code } = await node.exec(
        `${add.replace('ip netns add pod && ', '').replace('ADD', 'DEL')}; ip netns del pod`,
      );
      expect(code).to.equal(0);
    });

    it('is confirmed by playbooks/verify-node.yaml, which changes nothing', async () => {
      const verified = await play('verify');
      expect(verified.code, verified.text).to.equal(0);
      expect(verified.changed).to.deep.equal([]);
      expect(verified.text).to.match(/systemd cgroup driver +true +true +pass/);
    });

    it('holds after a restart', async () => {
      await node.reboot();
      const verified = await play('verify');
      expect(verified.code, verified.text).to.equal(0);
    });

    if (isEmulated) return;

    it('is undone by playbooks/reset-node.yaml, and can be done again', async () => {
      const reset = await play('reset');
      expect(reset.code, reset.text).to.equal(0);
      const { stdout } = await node.exec(
        'ls -A /usr/local/bin /usr/local/sbin /opt/cni/bin /etc/cni/net.d /var/lib/tsprov/releases /var/lib/tsprov/originals 2>/dev/null | grep -v :; ls /etc/crictl.yaml /etc/containerd/config.toml; ip link show cnio0; systemctl is-active containerd buildkit.socket',
      );
      expect(
        stdout
          .trim()
          .split('\n')
          .filter((line) => line !== ''),
      ).to.deep.equal(['inactive', 'inactive']);
      const verified = await play('verify');
      expect(verified.code, verified.text).to.equal(2);
      expect(verified.text).to.match(/FAIL/);
      expect((await play('reset')).changed).to.deep.equal([]);
      const again = await play();
      expect(again.code, again.text).to.equal(0);
      expect((await play('verify')).code).to.equal(0);
    });
  });
}
