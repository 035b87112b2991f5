import { expect } from 'chai';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';

describe('a container node', () => {
  let node: NspawnNode;

  before(async function () {
    await needMachines(this);
    node = await startNode({ name: 'smoke' });
  });
  after(() => node?.stop());

  it('runs systemd without a failed unit, under its own name', async () => {
    const { stdout } = await node.exec('systemctl is-system-running --wait; hostname');
    expect(stdout).to.equal('running\nsmoke\n');
  });

  it('has no Python', async () => {
    const { code } = await node.exec('command -v python3 || command -v python');
    expect(code).not.to.equal(0);
  });

  it('installs a package of Debian', async () => {
    const { code, stderr } = await node.exec('apt-get install -qy tree && tree --version');
    expect(code, stderr).to.equal(0);
  });

  it('comes back after a reboot', async () => {
    await node.exec('touch /run/until-reboot /var/lib/kept');
    await node.reboot();
    const { stdout } = await node.exec('ls -d /run/until-reboot /var/lib/kept 2> /dev/null');
    expect(stdout).to.equal('/var/lib/kept\n');
  });
});
