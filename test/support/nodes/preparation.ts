/** Preparing a node with everything, as every kind of test machine has to live through it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type PlayRun, playOn } from '../play-on.ts';
import { BUILDKIT, CONTAINERD_2 } from '../releases/components.ts';
import { type ReleaseServer, startReleaseServer } from '../releases/release-server.ts';
import { publishUpstream } from '../releases/upstream.ts';
import { measureTraffic, WITHOUT_KEEPALIVES } from './behind.ts';
import { swapsOf, waitForSwaps } from './berry.ts';
import { BOOT_OPTIONS } from './boot-line.ts';
import type { TestNode } from './node.ts';
import { playNode } from './play-node.ts';
import { needReleases } from './requirements.ts';
import type { DebianSystem } from './system.ts';

/** A kind of machine that is prepared. */
export interface Preparation<Node extends TestNode> {
  readonly title: string;
  readonly architecture: DebianSystem['architecture'];
  readonly start: () => Promise<Node>;
  /** For a machine with a kernel of its own, what it swaps to before. */
  readonly swaps?: readonly string[];
  /** Plays and verifies once only: on an emulated processor each run takes a minute. */
  readonly isBrief?: boolean;
  /** Variables of this machine. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Declares what else the machine has to live through, prepared as it is in the end. */
  readonly more?: (node: () => Node) => void;
}

type Playbook = Parameters<typeof playNode>[0];

/** What a prepared node may cost once the connection is up. */
const MOST_ROUND_TRIPS = 15;

/** The machine field of ELF headers, as bytes of a little-endian file. */
const ELF_MACHINES = { amd64: '3e 00', arm64: 'b7 00' };
const KERNEL_NAMES = { amd64: 'x86_64', arm64: 'aarch64' };

/** The files of a machine that are changed and not made: as they were, they are after a reset. */
const CHANGED_FILES = 'cat /etc/fstab /boot/firmware/cmdline.txt 2>/dev/null';

/** What is left of a preparation, a line each. */
const LEFTOVERS = `ls -A /usr/local/bin /usr/local/sbin /opt/cni/bin /etc/cni/net.d /var/lib/tsprov/releases /var/lib/tsprov/originals 2>/dev/null | grep '^[^/]'
ls /etc/crictl.yaml /etc/containerd/config.toml; ip -o link show cnio0; systemctl is-active containerd buildkit.socket | grep -v inactive`;

/** Declares the tests of one machine. */
export function describePreparation<Node extends TestNode>({
  title,
  architecture,
  start,
  swaps,
  isBrief = false,
  variables: own,
  more,
}: Preparation<Node>): void {
  describe(`playbooks/prepare-node.yaml on ${title}`, () => {
    let node: Node;
    let folder: string;
    let server: ReleaseServer;
    let filesBefore: string;
    let lineBefore: string;
    let predicted: PlayRun;
    let first: PlayRun;

    const play = (name: Playbook = 'prepare', ...args: readonly string[]) =>
      playOver(node, name, args);
    const playOver = (nodes: TestNode, name: Playbook, args: readonly string[] = []) => {
      // The sums of upstream's crictl are not those of the one that was built here.
      const served = { files_repo: server.url, crictl_checksums: {} };
      const variables = { ...served, pod_cidr: '10.85.7.0/24', ...own };
      return playNode(name, { nodes, folder, variables }, args);
    };

    const runningLine = async () => (await node.exec('cat /proc/cmdline')).stdout.trimEnd();
    const verifies = async () => {
      const verified = await play('verify');
      expect(verified.code, verified.text).to.equal(0);
      expect(verified.changed).to.deep.equal([]);
      expect(verified.text).to.match(/systemd cgroup driver +true +true +pass/);
      if (swaps === undefined) return;
      expect(await swapsOf(node)).to.deep.equal([]);
      expect(await runningLine()).to.equal(`${lineBefore} ${BOOT_OPTIONS}`);
    };

    before(async function () {
      await needReleases(this);
      folder = await mkdtemp(join(tmpdir(), 'tsprov-prepare-'));
      server = await startReleaseServer();
      await publishUpstream(server, CONTAINERD_2, architecture);
      node = await start();
      if (swaps !== undefined) await waitForSwaps(node, swaps);
      filesBefore = (await node.exec(CHANGED_FILES)).stdout;
      lineBefore = await runningLine();
      if (!isBrief) predicted = await play('prepare', '--check', '--diff');
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

    it('locks versions, places and sums beside the inventory', async () => {
      const lock = await readFile(join(folder, 'tsprov.lock.yaml'), 'utf8');
      expect(lock).to.include(`version: "${CONTAINERD_2.version.slice(1)}"`);
      expect(lock).to.include(
        `https://github.com/moby/buildkit/releases/download/${BUILDKIT.version}/buildkit-${BUILDKIT.version}.linux-${architecture}.tar.gz`,
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
      expect(stdout).to.include(`linux/${architecture}`);
      expect(stdout).to.match(/RuntimeVersion: +v2\.4\.2/);
      expect(stdout).to.include('crictl version v1.30.1\nnerdctl version 2.3.5\n');
    });

    it('builds an image with nerdctl and BuildKit, which pods can run', async () => {
      const lines = ['FROM scratch', 'COPY program /program', 'ENTRYPOINT ["/program"]'];
      const commands = [
        'mkdir -p /root/build && cd /root/build && cp /usr/local/bin/buildctl program',
        'nerdctl build -q -t built:1 .',
        'crictl images -q --no-trunc docker.io/library/built:1',
      ];
      // The kernel gives a container no control groups in which BuildKit or containerd could run a program.
      if (swaps !== undefined) {
        lines.push('RUN ["/program", "--version"]');
        commands.push('nerdctl run --rm built:1 --version');
      }
      const file = `mkdir -p /root/build && printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} > /root/build/Dockerfile`;
      const { code, stdout, stderr } = await node.exec([file, ...commands].join(' && '));
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/^sha256:[0-9a-f]{64}$/m);
      if (swaps !== undefined) expect(stdout).to.match(/^buildctl github\.com\/moby\/buildkit /m);
    });

    it('comments swap out of fstab', async () => {
      const { stdout } = await node.exec('grep /swapfile /etc/fstab');
      expect(stdout).to.equal('#tsprov-swap-off# /swapfile none swap sw,nofail 0 0\n');
    });

    it('installs programs for the processor of the machine', async () => {
      const look = `uname -m; for each in /usr/local/bin/* /usr/local/sbin/runc /opt/cni/bin/*; do
        head -c 4 "$each" | grep -q ELF && od -An -tx1 -j18 -N2 "$each"; done | sort | uniq -c`;
      const { stdout } = await node.exec(look);
      const [kernel, programs, ...others] = stdout.trim().split('\n');
      expect(kernel).to.equal(KERNEL_NAMES[architecture]);
      expect(programs).to.match(new RegExp(`^ +\\d{2} +${ELF_MACHINES[architecture]}$`));
      expect(others).to.deep.equal([]);
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

    if (!isBrief) {
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

      it(`costs at most ${MOST_ROUND_TRIPS} round trips and the connection when nothing is left to do`, async () => {
        const nothing = join(folder, 'nothing.yaml');
        await writeFile(nothing, '[{hosts: all, gather_facts: false, tasks: [{raw: "true"}]}]\n');
        const connection = await measureTraffic(node, folder, (counted) =>
          playOn(counted, folder, nothing, WITHOUT_KEEPALIVES),
        );
        const { result, traffic } = await measureTraffic(node, folder, (counted) =>
          playOver(counted, 'prepare', WITHOUT_KEEPALIVES),
        );
        expect(result.changed, result.text).to.deep.equal([]);
        const ofPlay = traffic.roundTrips - (connection.traffic.roundTrips - 1);
        expect(ofPlay).to.be.at.most(MOST_ROUND_TRIPS);
      });

      it('is confirmed by playbooks/verify-node.yaml, which changes nothing', verifies);
    }

    it('holds after a restart', async () => {
      await node.reboot();
      await verifies();
      if (swaps === undefined) return;
      // The package of zram-generator loads the module, whatever is configured.
      const { stdout: sizes } = await node.exec('cat /sys/block/zram*/disksize');
      expect(sizes).to.match(/^(0\n)*$/);
    });

    if (!isBrief) {
      it('is undone by playbooks/reset-node.yaml, each file as it was', async () => {
        const reset = await play('reset');
        expect(reset.code, reset.text).to.equal(0);
        expect((await node.exec(LEFTOVERS)).stdout).to.equal('');
        expect((await node.exec(CHANGED_FILES)).stdout).to.equal(filesBefore);
        expect(await runningLine()).to.equal(lineBefore);
        if (swaps !== undefined) await waitForSwaps(node, swaps);
      });

      it('is no prepared node then, and says so', async () => {
        const verified = await play('verify');
        expect(verified.code, verified.text).to.equal(2);
        expect(verified.text).to.match(/FAIL/);
      });

      it('can be done again', async () => {
        const again = await play();
        expect(again.code, again.text).to.equal(0);
        expect(again.changed).not.to.deep.equal([]);
        expect(first.changed).to.include.members(again.changed);
        await verifies();
      });
    }

    if (swaps !== undefined) {
      it('had a whole boot line at every moment at which the power could have gone', async () => {
        const prepared = `${lineBefore} ${BOOT_OPTIONS}`;
        const cycle = isBrief ? [] : [lineBefore, prepared];
        expect(await node.bootLines?.()).to.deep.equal([lineBefore, prepared, ...cycle]);
      });
    }

    more?.(() => node);
  });
}
