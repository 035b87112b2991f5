/** The operator as a unit of systemd on two nodes, for a control plane of this machine. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needReleases } from '../support/nodes/requirements.ts';
import {
  isReady,
  leftOn,
  machineSeenFrom,
  propertiesOf,
  type ScalerPlays,
  UNIT,
} from '../support/nodes/scaler-node.ts';
import { UnitStage } from '../support/nodes/scaler-unit.ts';
import type { PlayRun } from '../support/play-on.ts';
import { mustRun } from '../support/run-command.ts';
import { REPOSITORY } from '../support/tsprov.ts';
import { until } from '../support/until.ts';

/** Everything that means something to systemd or to a shell. */
const NOTE = `a "b" $HOME \`d\` \\e %h 'g' #`;

const sorted = ({ changed }: PlayRun) => [...changed].sort();

describe('the operator as a unit of systemd', () => {
  let nodes: readonly [NspawnNode, NspawnNode];
  let stage: UnitStage;
  let plays: ScalerPlays;
  let predicted: PlayRun;
  let first: PlayRun;

  before(async function () {
    await needReleases(this);
    await needControlPlane(this);
    nodes = [await startNode({ name: 'unit1' }), await startNode({ name: 'unit2' })];
    for (const node of nodes) await node.exec(`ip route add default via ${machineSeenFrom(node)}`);
    const variables = {
      scaler_service_hosts: nodes.map(({ name }) => name),
      scaler_env: { NOTE },
    };
    stage = await UnitStage.start({ nodes, address: machineSeenFrom(nodes[0]), variables });
    plays = stage.plays;
    predicted = await plays.install(['--check', '--diff']);
    first = await plays.install(['--diff']);
  });
  after(async () => {
    for (const node of nodes ?? []) await node.stop();
    await stage?.stop();
  });

  const leader = async () => {
    const path = 'jsonpath={.spec.holderIdentity}';
    const lease = ['get', 'lease', 'scaler-operator', '-n', 'tsprov-scaler', '-o', path];
    return (await stage.plane.kubectl(...lease)).split('_')[0];
  };
  const untilLeads = (others: readonly string[]) =>
    until(
      async () => others.includes((await leader()) ?? ''),
      () => others,
    );

  it('does not take a Node.js that is too old', async () => {
    const refused = await plays.install(['-e', 'scaler_nodejs_source=package', '--check']);
    expect(refused.code).to.equal(2);
    expect(refused.text).to.match(
      /The package nodejs of this distribution is .* needs 20\.20 or later/,
    );
  });

  it('is what a check run says that it will be', () => {
    expect(first.code, first.text).to.equal(0);
    expect(predicted.code, predicted.text).to.equal(0);
    // Two nodes go through the loops side by side.
    expect(sorted(predicted)).to.deep.equal(sorted(first));
  });

  it('shows its credential to nobody', async () => {
    expect(first.text + predicted.text).not.to.match(/eyJ[\w-]{20}/);
    for (const node of nodes) {
      const { stdout } = await node.exec(
        'stat -c "%U %a %n" /etc/tsprov-scaler /etc/tsprov-scaler/*',
      );
      expect(stdout).to.equal(
        'root 700 /etc/tsprov-scaler\nroot 600 /etc/tsprov-scaler/environment\nroot 600 /etc/tsprov-scaler/kubeconfig\n',
      );
    }
  });

  it('has no rights on its node', async () => {
    const { stdout } = await nodes[0].exec(
      `p=$(systemctl show -p MainPID --value ${UNIT}); grep -E '^(CapBnd|NoNewPrivs|Seccomp):' /proc/$p/status; stat -c %u /proc/$p; systemd-analyze security --no-pager ${UNIT} | tail -1`,
    );
    const [bounds, privileges, filter, user, verdict = ''] = stdout.trim().split('\n');
    expect([bounds, privileges, filter]).to.deep.equal([
      'CapBnd:\t0000000000000000',
      'NoNewPrivs:\t1',
      'Seccomp:\t2',
    ]);
    expect(Number(user)).to.be.above(60_000);
    expect(Number(/: ([\d.]+) /.exec(verdict)?.[1]), verdict).to.be.at.most(1.2);
  });

  it('has its environment to the letter', async () => {
    const { stdout } = await nodes[0].exec(
      `tr '\\0' '\\n' < /proc/$(systemctl show -p MainPID --value ${UNIT})/environ | grep ^NOTE=`,
    );
    expect(stdout).to.equal(`NOTE=${NOTE}\n`);
  });

  it('changes nothing the second time', async () => {
    const second = await plays.install();
    expect(second.code, second.text).to.equal(0);
    expect(second.changed).to.deep.equal([]);
  });

  it('scales a workload from zero, through the HPA, and back', async () => {
    await stage.addWorkload();
    await stage.followsQueue([3, 1], [15, 3], [0, 0]);
  });

  it('is started again when it is killed, while another node leads', async () => {
    const name = await leader();
    const node = nodes[0].name === name ? nodes[0] : nodes[1];
    const before = await propertiesOf(node);
    await node.exec(`systemctl kill -s KILL ${UNIT}`);
    await untilLeads(nodes.flatMap((each) => (each === node ? [] : [each.name])));
    let found = before;
    await until(
      async () => {
        found = await propertiesOf(node);
        return found['ActiveState'] === 'active' && found['MainPID'] !== before['MainPID'];
      },
      () => found,
    );
    expect(Number(found['NRestarts'])).to.equal(Number(before['NRestarts']) + 1);
    await stage.followsQueue([5, 1]);
  });

  it('gets another token when the API server takes the old one no more', async () => {
    const [node] = nodes;
    const before = await propertiesOf(node);
    await stage.plane.kubectl('delete', 'serviceaccount', 'scaler-operator', '-n', 'tsprov-scaler');
    await stage.plane.kubectl('create', 'serviceaccount', 'scaler-operator', '-n', 'tsprov-scaler');
    const renewal = 'systemctl start tsprov-scaler-kubeconfig.service';
    // The API server believes a token for ten seconds more.
    await until(
      async () => {
        await node.exec(renewal);
        const { stdout } = await node.exec('journalctl -u tsprov-scaler-kubeconfig -o cat');
        return stdout.includes('made: the API server refuses its token');
      },
      () => renewal,
    );
    await until(
      async () => (await propertiesOf(node))['MainPID'] !== before['MainPID'],
      () => before,
    );
    const mended = await plays.install();
    expect(mended.code, mended.text).to.equal(0);
  });

  it('is exchanged for another version as a check run says, and the old one goes', async () => {
    const tree = join(stage.folder, 'next');
    await mustRun('mkdir', [tree]);
    await mustRun('tar', ['-xzf', join(REPOSITORY, 'dist/scaler.tgz'), '-C', tree]);
    await writeFile(join(tree, 'NEWS'), 'Nothing is new.\n');
    const archive = join(stage.folder, 'next.tgz');
    await mustRun('tar', ['-czf', archive, '-C', tree, '.']);
    const next = ['-e', `scaler_service_archive=${archive}`];
    const foreseen = await plays.install([...next, '--check']);
    const upgrade = await plays.install(next);
    expect(upgrade.code, upgrade.text).to.equal(0);
    expect(sorted(upgrade)).to.deep.equal(sorted(foreseen));
    expect(upgrade.changed).to.include('scaler : Restart the scaler');
    const { stdout } = await nodes[1].exec(
      'cat /opt/tsprov/scaler/current/NEWS; ls /opt/tsprov/scaler/versions | wc -l',
    );
    expect(stdout).to.equal('Nothing is new.\n1\n');
    expect((await plays.install(next)).changed).to.deep.equal([]);
  });

  it('comes back after a restart of its node', async () => {
    const [node] = nodes;
    await node.reboot();
    await until(
      () => isReady(node),
      () => UNIT,
    );
  });

  it('leaves nothing behind', async () => {
    const gone = await plays.uninstall();
    expect(gone.code, gone.text).to.equal(0);
    for (const node of nodes) expect(await leftOn(node)).to.equal('');
    expect((await plays.uninstall()).changed).to.deep.equal([]);
  });
});
