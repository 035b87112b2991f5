/** A pod that CRI-O runs on a machine of its own, from images that were built there. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { workerProgram } from '../support/cluster/pod-image.ts';
import { BOOT_OPTIONS } from '../support/nodes/boot-line.ts';
import { CRIO_REPOSITORY, offerCrio } from '../support/nodes/crio.ts';
import { copyTo, type TestNode, waitUntil } from '../support/nodes/node.ts';
import { playNode } from '../support/nodes/play-node.ts';
import { startQemuNode } from '../support/nodes/qemu.ts';
import { needReleases } from '../support/nodes/requirements.ts';
import type { PlayRun } from '../support/play-on.ts';
import { CONTAINERD_2 } from '../support/releases/components.ts';
import { type ReleaseServer, startReleaseServer } from '../support/releases/release-server.ts';
import { publishUpstream } from '../support/releases/upstream.ts';

/** What CRI-O and buildah need: an emulated processor would install it for minutes. */
const PACKAGES = ['buildah', 'conmon', 'conntrack', 'crun', 'grub2-common', 'iptables', 'runc'];

/** It has the menu of GRUB, though the emulator itself starts its kernel. */
const GRUB = {
  '/etc/default/grub': 'GRUB_DISTRIBUTOR=Debian\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"\n',
  '/boot/grub/grub.cfg': '',
};

/** The sandbox image as the configuration names it, and one for a container. */
const IMAGES = { 'registry.k8s.io/pause:3.10': '/pause', 'localhost/worker:1': '/worker' };

/** An emulated processor takes longer than the ten seconds that crictl is configured to wait. */
const CRICTL = 'crictl --timeout 5m';

const POD = {
  metadata: { name: 'pod', namespace: 'default', uid: 'pod-1', attempt: 0 },
  ...{ log_directory: '/var/log/pod', linux: {} },
};
const CONTAINER = {
  ...{ metadata: { name: 'worker' }, image: { image: 'localhost/worker:1' } },
  ...{ command: ['/worker', 'version'], log_path: 'worker.log', linux: {} },
};

describe('CRI-O on a machine with a kernel of its own', () => {
  let node: TestNode;
  let server: ReleaseServer;
  let folder: string;
  let first: PlayRun;
  let pod: string;

  before(async function () {
    await needReleases(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-crio-pods-'));
    server = await startReleaseServer();
    await publishUpstream(server, CONTAINERD_2);
    node = await startQemuNode({ name: 'criopod', packages: PACKAGES, files: GRUB });
    await offerCrio(node);
    await copyTo(node, join(await workerProgram(), 'worker'), '/root/worker');
    const variables = {
      ...{ container_runtime: 'crio', crio_repositories: [CRIO_REPOSITORY] },
      // The sums of upstream's crictl are not those of the one that was built here.
      ...{ files_repo: server.url, crictl_checksums: {}, pod_cidr: '10.85.7.0/24' },
      ...{ boot_line: 'always', allow_reboot: false },
    };
    first = await playNode('prepare', { nodes: node, folder, variables });
  });
  after(async () => {
    await node?.stop();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What a command prints; fails where it does. */
  async function says(command: string): Promise<string> {
    const { code, stdout, stderr } = await node.exec(command);
    expect(code, `${command}: ${stdout}${stderr}`).to.equal(0);
    return stdout.trimEnd();
  }
  const write = (name: string, value: unknown) =>
    says(`printf %s '${JSON.stringify(value)}' > /root/${name}`);

  it('is prepared, with everything that its steps check', () => {
    expect(first.code, first.text).to.equal(0);
  });

  it('writes the boot options into the menu that GRUB makes, and tells that a restart is pending', async () => {
    const menu = await says('grep -E "^\\s+linux\\s" /boot/grub/grub.cfg | head -n 1');
    expect(menu).to.match(new RegExp(` quiet ${BOOT_OPTIONS}$`));
    expect(first.text).to.include('A restart is pending: the kernel was not started with');
  });

  it('sets parameters again that something has changed', async () => {
    await says('sysctl -qw net.ipv4.ip_forward=0 net.bridge.bridge-nf-call-iptables=0');
    await says('systemctl restart rc-local');
    const parameters = 'net.ipv4.ip_forward net.bridge.bridge-nf-call-iptables';
    expect(await says(`sysctl -n ${parameters}`)).to.equal('1\n1');
  });

  it('sees the images that buildah builds', async () => {
    for (const [name, program] of Object.entries(IMAGES)) {
      const made = `buildah copy -q made /root/worker ${program} && buildah config --entrypoint '["${program}"]' made`;
      await says(
        `buildah from -q --name made scratch && ${made} && buildah commit -q --rm made ${name}`,
      );
    }
    const images = JSON.parse(await says(`${CRICTL} images -o json`)).images;
    const names = images.flatMap((image: { repoTags: string[] }) => image.repoTags);
    expect(names).to.have.members(Object.keys(IMAGES));
  });

  it('gives a pod an address of the network that was configured', async () => {
    await write('pod.json', POD);
    pod = await says(`${CRICTL} runp /root/pod.json`);
    const { status } = JSON.parse(await says(`${CRICTL} inspectp ${pod}`));
    expect(status.state).to.equal('SANDBOX_READY');
    expect(status.network.ip).to.match(/^10\.85\.7\.\d+$/);
    expect(await says('ip -4 -o addr show cnio0')).to.include('10.85.7.1/24');
  });

  it('keeps it in a control group of systemd', async () => {
    const { info } = JSON.parse(await says(`${CRICTL} inspectp ${pod}`));
    expect(await says(`cat /proc/${info.pid}/cgroup`)).to.match(
      /^0::\/system\.slice\/runc-[0-9a-f]+/,
    );
  });

  it('runs a container in it, and has what it printed', async () => {
    await write('container.json', CONTAINER);
    const id = await says(`${CRICTL} create ${pod} /root/container.json /root/pod.json`);
    await says(`${CRICTL} start ${id}`);
    const hasEnded = async () => (await says(`${CRICTL} ps -aq --no-trunc --state exited`)) === id;
    await waitUntil(hasEnded, 600_000, 'the container does not end');
    expect(await says(`${CRICTL} logs ${id}`)).to.equal('v1.0.0');
  });

  it('removes it, and gives its address back', async () => {
    await says(`${CRICTL} stopp ${pod} && ${CRICTL} rmp ${pod}`);
    expect(await says(`${CRICTL} pods -q`)).to.equal('');
    expect(await says('ls /var/lib/cni/networks/bridge | grep -c ^10 || true')).to.equal('0');
  });
});
