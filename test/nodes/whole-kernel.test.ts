import { expect } from 'chai';
import type { TestNode } from '../support/nodes/node.ts';
import { startQemuNode } from '../support/nodes/qemu.ts';
import { needMachines } from '../support/nodes/requirements.ts';

describe('a whole-kernel node', () => {
  let node: TestNode;

  before(async function () {
    await needMachines(this);
    node = await startQemuNode({ name: 'whole' });
  });
  after(() => node?.stop());

  it('loads kernel modules', async () => {
    const { code, stderr } = await node.exec('modprobe -a overlay br_netfilter');
    expect(code, stderr).to.equal(0);
  });

  it('reaches the package sources', async () => {
    const { code, stderr } = await node.exec('apt-get install -qy --no-install-recommends tree');
    expect(code, stderr).to.equal(0);
  });

  it('comes back after a reboot', async () => {
    await node.reboot();
    const { stdout } = await node.exec('lsmod | grep -c ^br_netfilter; command -v tree');
    expect(stdout).to.equal('0\n/usr/bin/tree\n');
  });
});
