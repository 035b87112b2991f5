/** Which hosts are restarted for their boot line, in which order, and when no more. One container stands for all. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { type PlayRun, playOn } from '../support/play-on.ts';

const LINE = 'root=PARTUUID=1-02 rootwait';
const OPTIONS = 'cgroup_enable=cpuset cgroup_memory=1 cgroup_enable=memory';

/** The hosts that were restarted, in order. */
function restarted({ text }: PlayRun): (string | undefined)[] {
  const starts = text.split('\n').filter((line) => line.includes('"title": "boot : Restart"'));
  return starts.flatMap((line) => /"task-start".*"hosts": \["(\w+)"\]/.exec(line)?.[1] ?? []);
}

describe('restarts for the boot line', () => {
  let node: NspawnNode;
  let folder: string;

  before(async function () {
    await needMachines(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-restarts-'));
    node = await startNode({ name: 'restart' });
    await writeFile(join(node.root, 'run-line'), `${LINE}\n`);
    await node.exec('mount --bind /run-line /proc/cmdline && mkdir -p /boot/firmware');
    await writeFile(join(node.root, 'boot/firmware/config.txt'), '');
    await writeFile(join(node.root, 'boot/firmware/cmdline.txt'), `${LINE} ${OPTIONS}\n`);
    const groups = '[control_plane]\ncp\n[workers]\nw1\nw2\n';
    await writeFile(join(folder, 'groups.ini'), groups);
    const variables = { boot_in_container: false, boot_loader: 'firmware' };
    await writeFile(join(folder, 'variables.json'), JSON.stringify(variables));
  });
  after(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const play = (...args: readonly string[]) => {
    const nodes = ['cp', 'w1', 'w2'].map((name) => ({ ...node, name }));
    return playOn(nodes, folder, 'playbooks/prepare-node.yaml', [
      ...['-i', join(folder, 'groups.ini'), '-e', `@${join(folder, 'variables.json')}`],
      ...['--tags', 'boot', ...args],
    ]);
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
    expect(run.text).to.include(`A restart is pending: the kernel was not started with ${OPTIONS}`);
  });

  it('end with the first host that does not come back', async () => {
    await node.exec('ln -sf /bin/true /sbin/shutdown');
    const run = await play('-e', 'reboot_timeout=2');
    expect(run.code, run.text).to.equal(2);
    expect(restarted(run)).to.deep.equal(['w1']);
    expect(run.text).to.include('w1 did not come back within 2 s');
  });
});
