/** A machine with a kernel of its own, prepared and undone and prepared again, and the operator on it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { nodeImage } from '../support/cluster/image-builder.ts';
import { needControlPlane, needNodeImage } from '../support/cluster/requirements.ts';
import { ALL_SWAPS, PLAIN_LAYOUT, startBerry } from '../support/nodes/berry.ts';
import { waitUntil } from '../support/nodes/node.ts';
import { describePreparation } from '../support/nodes/preparation.ts';
import type { QemuNode } from '../support/nodes/qemu.ts';
import { isReady, leftOn, propertiesOf, UNIT } from '../support/nodes/scaler-node.ts';
import { UnitStage } from '../support/nodes/scaler-unit.ts';
import { TRIXIE } from '../support/nodes/system.ts';
import { type PlayRun, playOn } from '../support/play-on.ts';

/** Where the operator answers the API server. */
const SECURE_PORT = 10443;
/** An emulated processor that others keep busy takes minutes to start Node.js. */
const START_TIMEOUT_MS = 900_000;

describePreparation({
  title: 'a machine with the kernel of Debian 13 that boots like a Raspberry Pi',
  architecture: TRIXIE.architecture,
  start: () =>
    startBerry({
      ...{ name: 'trixie', system: TRIXIE, layout: PLAIN_LAYOUT },
      openPorts: [SECURE_PORT],
    }),
  swaps: ALL_SWAPS,
  variables: { boot_loader: 'firmware' },
  more: (node) => {
    describeUnit(node);
    describeImage(node);
  },
});

function describeUnit(node: () => QemuNode): void {
  describe('the operator as a unit of systemd on that machine', () => {
    let stage: UnitStage;
    let first: PlayRun;

    before(async function () {
      await needControlPlane(this);
      const address = node().sharedAddress;
      const variables = { scaler_service_address: address };
      stage = await UnitStage.start({ nodes: [node()], address, variables });
      first = await stage.plays.install();
    });
    after(() => stage?.stop());

    const untilReady = () =>
      waitUntil(() => isReady(node()), START_TIMEOUT_MS, 'the operator is not ready');

    it('is installed, and ready', async () => {
      expect(first.code, first.text).to.equal(0);
      expect(await isReady(node())).to.equal(true);
    });

    it('scales a workload from zero, through the HPA, and back', async () => {
      await stage.addWorkload();
      await stage.followsQueue([3, 1], [15, 3], [0, 0]);
    });

    it('is started again when it is killed, and goes on', async () => {
      const { MainPID: killed } = await propertiesOf(node());
      await node().exec(`systemctl kill -s KILL ${UNIT}`);
      await untilReady();
      expect((await propertiesOf(node()))['MainPID']).not.to.equal(killed);
      await stage.followsQueue([3, 1], [0, 0]);
    });

    it('comes back after a restart of the machine, and goes on', async () => {
      await node().reboot();
      await untilReady();
      await stage.followsQueue([3, 1], [0, 0]);
    });

    it('leaves nothing behind when it is uninstalled', async () => {
      const gone = await stage.plays.uninstall();
      expect(gone.code, gone.text).to.equal(0);
      expect(await leftOn(node())).to.equal('');
    });
  });
}

function describeImage(node: () => QemuNode): void {
  describe('the image of the operator on that machine', () => {
    let folder: string;
    let first: PlayRun;
    let name: string;

    before(async function () {
      await needNodeImage(this);
      folder = await mkdtemp(join(tmpdir(), 'tsprov-image-'));
      first = await play();
    });
    after(() => rm(folder, { recursive: true, force: true }));

    const play = async () => {
      const variables = {
        scaler_image_cache: join(folder, 'images'),
        scaler_node_image_archive: await nodeImage(),
      };
      const words = ['--tags', 'image', '-e', JSON.stringify(variables)];
      return playOn(node(), folder, 'playbooks/install-scaler.yaml', words);
    };

    it('is built by the BuildKit of the machine and loaded into its containerd', async () => {
      expect(first.code, first.text).to.equal(0);
      const { stdout } = await node().exec('ctr -n k8s.io images ls -q name~=tsprov-scaler');
      name = stdout.trim();
      expect(name).to.match(/^localhost\/tsprov-scaler:[\d.]+-[0-9a-f]{12}$/);
    });

    it('is there for the kubelet, which keeps it', async () => {
      const { stdout } = await node().exec('crictl --timeout 5m images -o json');
      const images: { repoTags: string[]; pinned: boolean }[] = JSON.parse(stdout).images;
      expect(images.find(({ repoTags }) => repoTags.includes(name))).to.include({ pinned: true });
    });

    it('runs the operator', async () => {
      const run = await node().exec(`nerdctl run --rm --net none ${name} --version`);
      expect(run.code, run.stderr).to.equal(0);
      expect(run.stdout).to.match(/^\d+\.\d+\.\d+/);
    });

    it('is not built again', async () => {
      const second = await play();
      expect(second.code, second.text).to.equal(0);
      expect(second.changed).to.deep.equal([]);
    });
  });
}
