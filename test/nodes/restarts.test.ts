/** Which hosts are restarted for their boot line, in which order, and when no more. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { BOOT_OPTIONS, bootByLine, pretendLine } from '../support/nodes/boot-line.ts';
import type { TestNode } from '../support/nodes/node.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { playNode } from '../support/nodes/play-node.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import type { PlayRun } from '../support/play-on.ts';

const LINE = 'root=PARTUUID=1-02 rootwait';

const GROUPS = '[control_plane]\ncp\n[workers]\nw1\nw2\n';

/** Plays the boot step in these groups, as if the containers had kernels of their own. */
function playBoot(
  nodes: readonly TestNode[],
  folder: string,
  args: readonly string[],
): Promise<PlayRun> {
  const variables = { boot_in_container: false, boot_loader: 'firmware' };
  const some = ['-i', join(folder, 'groups.ini'), '--tags', 'boot'];
  return playNode('prepare', { nodes, folder, variables }, [...some, ...args]);
}

/** The hosts that were restarted, in order. */
function restarted({ text }: PlayRun): (string | undefined)[] {
  const starts = text.split('\n').filter((line) => line.includes('"title": "boot : Restart"'));
  return starts.flatMap((line) => /"task-start".*"hosts": \["(\w+)"\]/.exec(line)?.[1] ?? []);
}

/** One container stands for all. */
describe('restarts for the boot line', () => {
  let node: NspawnNode;
  let folder: string;

  before(async function () {
    await needMachines(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-restarts-'));
    node = await startNode({ name: 'restart' });
    await pretendLine(node, LINE);
    await mkdir(join(node.root, 'boot/firmware'), { recursive: true });
    await writeFile(join(node.root, 'boot/firmware/config.txt'), '');
    await writeFile(join(node.root, 'boot/firmware/cmdline.txt'), `${LINE} ${BOOT_OPTIONS}\n`);
    await writeFile(join(folder, 'groups.ini'), GROUPS);
  });
  after(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const play = (...args: readonly string[]) => {
    const nodes = ['cp', 'w1', 'w2'].map((name) => ({ ...node, name }));
    return playBoot(nodes, folder, args);
  };

  it('go through the workers and then through the control planes, one after the other', async () => {
    const run = await play('--check');
    expect(run.code, run.text).to.equal(0);
    expect(restarted(run)).to.deep.equal(['w1', 'w2', 'cp']);
  });

  it('wait for you where none is allowed', async () => {
    const run = await play('-e', 'allow_reboot=false');
    expect(run.code, run.text).to.equal(0);
    expect(restarted(run)).to.deep.equal([]);
    expect(run.text).to.include(
      `A restart is pending: the kernel was not started with ${BOOT_OPTIONS}`,
    );
  });

  it('end with the first whose command fails, which is reported with its error and what to do', async () => {
    const program = '#!/bin/sh\necho Failed to connect to bus >&2\nexit 1\n';
    await node.exec(
      `rm /sbin/shutdown; printf '${program}' > /sbin/shutdown && chmod +x /sbin/shutdown`,
    );
    const run = await play();
    expect(run.code, run.text).to.equal(2);
    expect(restarted(run)).to.deep.equal(['w1']);
    expect(run.text).to.include(
      "The restart of w1 for its boot line could not be started (Reboot command failed. Error was: ', Failed to connect to bus'). The boot line is written. No other host is restarted. Put right what kept it from restarting, or restart it yourself, then play again.",
    );
    expect(run.text).not.to.include('did not come back');
  });
});

describe('a restart for the boot line that never ends', () => {
  const names = ['cp', 'w1', 'w2'];
  const nodes: NspawnNode[] = [];
  let folder: string;
  let lost: PlayRun;
  let resumed: PlayRun;

  before(async function () {
    await needMachines(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-lost-'));
    for (const name of names) {
      const node = await startNode({ name });
      nodes.push(node);
      await bootByLine(node, LINE);
    }
    await writeFile(join(folder, 'groups.ini'), GROUPS);
    const lostNode = nodes[names.indexOf('w1')];
    const program = '#!/bin/sh\nexec systemctl poweroff\n';
    await lostNode?.exec(
      `rm /sbin/shutdown; printf '${program}' > /sbin/shutdown && chmod +x /sbin/shutdown`,
    );
    lost = await play('-e', 'reboot_timeout=20');
    await lostNode?.powerOn();
    resumed = await play();
  });
  after(async () => {
    for (const node of nodes) await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const play = (...args: readonly string[]) => playBoot(nodes, folder, args);

  it('is reported with the time that was waited and what to do', () => {
    expect(lost.code, lost.text).to.equal(2);
    expect(lost.text).to.match(
      /w1 did not come back within 20 s after the restart for its boot line \(.+\)\. Look at its console; what the boot line was is kept in \/var\/lib\/tsprov\/boot\. No other host is restarted\. Play again when it is back, with a larger reboot_timeout where it is slow\./,
    );
  });

  it('ends the run before another host is restarted', () => {
    expect(restarted(lost)).to.deep.equal(['w1']);
  });

  it('is made up for by the next run, once the host is back', async () => {
    expect(resumed.code, resumed.text).to.equal(0);
    expect(restarted(resumed)).to.deep.equal(['w2', 'cp']);
    for (const node of nodes) {
      expect((await node.exec('cat /proc/cmdline')).stdout).to.equal(`${LINE} ${BOOT_OPTIONS}\n`);
    }
    expect((await play()).changed).to.deep.equal([]);
  });
});
