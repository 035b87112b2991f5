import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TestNode } from '../support/nodes/node.ts';
import { startNode } from '../support/nodes/nspawn.ts';
import { startQemuNode } from '../support/nodes/qemu.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { type PlayRun, playOn } from '../support/play-on.ts';

const MACHINES = [
  { what: 'a container node without Python', start: () => startNode({ name: 'prep' }) },
  { what: 'a whole-kernel node', start: () => startQemuNode({ name: 'prepq' }) },
];

for (const { what, start } of MACHINES) {
  describe(`playbooks/prepare-node.yaml on ${what}`, () => {
    let node: TestNode;
    let folder: string;
    let predicted: PlayRun;
    let first: PlayRun;

    const play = (...args: readonly string[]) =>
      playOn(node, folder, 'playbooks/prepare-node.yaml', args);

    before(async function () {
      await needMachines(this);
      folder = await mkdtemp(join(tmpdir(), 'tsprov-prepare-'));
      node = await start();
      await writeFile(join(folder, 'vars.json'), '{"pod_cidr": "10.85.7.0/24"}');
      await node.exec('printf "/swapfile none swap sw 0 0\\n" >> /etc/fstab');
      predicted = await play('--check', '--diff', '-e', `@${join(folder, 'vars.json')}`);
      first = await play('--diff', '-e', `@${join(folder, 'vars.json')}`);
    });
    after(async () => {
      await node?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('succeeds', () => {
      expect(first.code, first.text).to.equal(0);
    });

    it('predicts what the run then changes', () => {
      expect(predicted.code, predicted.text).to.equal(0);
      expect(predicted.changed).to.deep.equal(first.changed);
    });

    it('changes nothing the second time', async () => {
      const second = await play('-e', `@${join(folder, 'vars.json')}`);
      expect(second.code, second.text).to.equal(0);
      expect(second.changed).to.deep.equal([]);
    });

    it('leaves containerd running with the systemd cgroup driver and the pause image', async () => {
      const { stdout, stderr } = await node.exec(
        'systemctl is-active containerd && ctr version > /dev/null && containerd config dump',
      );
      expect(stdout, stderr).to.match(/^active\n/);
      expect(stdout).to.match(/SystemdCgroup = true/);
      expect(stdout).to.match(/sandbox_image = "registry\.k8s\.io\/pause:3\.10"/);
    });

    it('writes the network configuration of the node', async () => {
      const { stdout } = await node.exec('cat /etc/cni/net.d/10-bridge.conf');
      expect(JSON.parse(stdout)).to.deep.include({
        cniVersion: '0.4.0',
        bridge: 'cnio0',
        isGateway: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: '10.85.7.0/24' }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      });
    });

    it('comments swap out of fstab', async () => {
      const { stdout } = await node.exec('grep swap /etc/fstab');
      expect(stdout).to.equal('#tsprov-swap-off# /swapfile none swap sw 0 0\n');
    });
  });
}
