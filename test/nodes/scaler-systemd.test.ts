/** The operator as a unit of systemd on two nodes, for a control plane of this machine. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { workload } from '../support/cluster/manifests.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { scaledObject, untilReplicas } from '../support/cluster/scaler-objects.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needReleases } from '../support/nodes/requirements.ts';
import {
  giveAdminKubeconfig,
  isReady,
  machineSeenFrom,
  propertiesOf,
  REACHES_NODES,
  ScalerPlays,
} from '../support/nodes/scaler-node.ts';
import type { PlayRun } from '../support/play-on.ts';
import { publishNodejs } from '../support/releases/nodejs.ts';
import { type ReleaseServer, startReleaseServer } from '../support/releases/release-server.ts';
import { mustRun } from '../support/run-command.ts';
import { REPOSITORY } from '../support/tsprov.ts';
import { until } from '../support/until.ts';

const UNIT = 'tsprov-scaler.service';
/** Everything that means something to systemd or to a shell. */
const NOTE = `a "b" $HOME \`d\` \\e %h 'g' #`;

const sorted = ({ changed }: PlayRun) => [...changed].sort();

describe('the operator as a unit of systemd', () => {
  let folder: string;
  let server: ReleaseServer;
  let nodes: readonly [NspawnNode, NspawnNode];
  let plane: ControlPlane;
  let queueUrl: string;
  const queues = new QueueServer();
  let plays: ScalerPlays;
  let predicted: PlayRun;
  let first: PlayRun;

  before(async function () {
    await needReleases(this);
    await needControlPlane(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-scaler-'));
    server = await startReleaseServer();
    await publishNodejs(server);
    nodes = [await startNode({ name: 'unit1' }), await startNode({ name: 'unit2' })];
    const address = machineSeenFrom(nodes[0]);
    plane = await ControlPlane.start({ address, ...REACHES_NODES });
    for (const node of nodes) {
      await node.exec(`ip route add default via ${machineSeenFrom(node)}`);
      await giveAdminKubeconfig(node, plane, address);
    }
    await queues.start(address);
    queueUrl = `http://${address}:${queues.port}/worker`;
    const variables = {
      scaler_service_hosts: nodes.map(({ name }) => name),
      scaler_env: { NOTE },
    };
    plays = new ScalerPlays({ nodes, folder, releases: server.url, variables });
    predicted = await plays.install(['--check', '--diff']);
    first = await plays.install(['--diff']);
  });
  after(async () => {
    for (const node of nodes ?? []) await node.stop();
    await queues.stop();
    await plane?.stop();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const leader = async () => {
    const path = 'jsonpath={.spec.holderIdentity}';
    const lease = ['get', 'lease', 'scaler-operator', '-n', 'tsprov-scaler', '-o', path];
    return (await plane.kubectl(...lease)).split('_')[0];
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
    await plane.kubectl(
      ...['wait', '--for=condition=Available', '--timeout=240s'],
      ...['apiservice', 'v1beta1.external.metrics.k8s.io'],
    );
    await plane.apply(
      workload('Deployment', 'worker', 0),
      scaledObject('worker', { triggers: [queues.trigger('worker', { url: queueUrl })] }),
    );
    queues.lengths.set('worker', 3);
    await untilReplicas(plane, 'worker', 1);
    queues.lengths.set('worker', 15);
    await untilReplicas(plane, 'worker', 3);
    queues.lengths.set('worker', 0);
    await untilReplicas(plane, 'worker', 0);
  });

  it('is started again when it is killed, while another node leads', async () => {
    const name = await leader();
    const node = nodes[0].name === name ? nodes[0] : nodes[1];
    const before = await propertiesOf(node, UNIT);
    await node.exec(`systemctl kill -s KILL ${UNIT}`);
    await untilLeads(nodes.flatMap((each) => (each === node ? [] : [each.name])));
    let found = before;
    await until(
      async () => {
        found = await propertiesOf(node, UNIT);
        return found['ActiveState'] === 'active' && found['MainPID'] !== before['MainPID'];
      },
      () => found,
    );
    expect(Number(found['NRestarts'])).to.equal(Number(before['NRestarts']) + 1);
    queues.lengths.set('worker', 5);
    await untilReplicas(plane, 'worker', 1);
  });

  it('gets another token when the API server takes the old one no more', async () => {
    const [node] = nodes;
    const before = await propertiesOf(node, UNIT);
    await plane.kubectl('delete', 'serviceaccount', 'scaler-operator', '-n', 'tsprov-scaler');
    await plane.kubectl('create', 'serviceaccount', 'scaler-operator', '-n', 'tsprov-scaler');
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
      async () => (await propertiesOf(node, UNIT))['MainPID'] !== before['MainPID'],
      () => before,
    );
    const mended = await plays.install();
    expect(mended.code, mended.text).to.equal(0);
  });

  it('is exchanged for another version as a check run says, and the old one goes', async () => {
    const tree = join(folder, 'next');
    await mustRun('mkdir', [tree]);
    await mustRun('tar', ['-xzf', join(REPOSITORY, 'dist/scaler.tgz'), '-C', tree]);
    await writeFile(join(tree, 'NEWS'), 'Nothing is new.\n');
    const archive = join(folder, 'next.tgz');
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
    for (const node of nodes) {
      const { stdout } = await node.exec(
        'ls -A /etc/tsprov-scaler /opt/tsprov /var/lib/tsprov/releases /etc/systemd/system 2>/dev/null | grep -E "scaler|node"; systemctl list-units --plain --no-legend "tsprov*"',
      );
      expect(stdout).to.equal('');
    }
    expect((await plays.uninstall()).changed).to.deep.equal([]);
  });
});
