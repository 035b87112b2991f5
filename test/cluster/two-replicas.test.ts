/** Two replicas as they are installed by default: the Service may lead to either, and both answer alike. */
import { expect } from 'chai';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { workload } from '../support/cluster/manifests.ts';
import { untilMetricsServed } from '../support/cluster/metrics-service.ts';
import { installScaler, Operator } from '../support/cluster/operator.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { scaledObject, untilCondition, untilReplicas } from '../support/cluster/scaler-objects.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

const LABEL = 'scaledobject.scaler.tsprov.dev/name';
/** Nobody polls again while the test runs. */
const SELDOM = { pollingInterval: 3600, minReplicaCount: 1 };

describe('Two replicas, of which the HPA is answered by the one that does not lead', () => {
  let plane: ControlPlane;
  let leader: Operator;
  let standby: Operator;
  const queues = new QueueServer();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await queues.start();
    const port = await freePort();
    await installScaler(plane, port);
    const args = ['--metrics-service-port', String(port)];
    leader = await Operator.another(plane, await freePort(), { args });
    await leader.process.start();
    await untilHeld();
    standby = await Operator.another(plane, port);
    await standby.process.start();
    await until(
      async () => (await standby.log()).includes('A leader was seen'),
      () => 'the standby has seen no leader',
    );
    await untilMetricsServed(plane);
  });

  after(async () => {
    await standby?.stop();
    await leader?.stop();
    await queues.stop();
    await plane?.stop();
  });

  /** Waits until somebody leads, and says where it is asked. */
  const untilHeld = async () => {
    let seen = '';
    const path = 'jsonpath={.items[*].metadata.annotations}';
    await until(
      async () => {
        seen = await plane.kubectl('get', 'lease', '-n', 'tsprov-scaler', '-o', path);
        return /"scaler.tsprov.dev\/link":"127\.0\.0\.1:\d+"/.test(seen);
      },
      () => seen,
    );
  };

  const ask = async (name: string): Promise<string> => {
    const selector = encodeURIComponent(`${LABEL}=${name}`);
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/default/s0-metric-api-length?labelSelector=${selector}`;
    const { items } = JSON.parse(await plane.kubectl('get', '--raw', path)) as {
      items: readonly { value: string }[];
    };
    return items.map(({ value }) => value).join();
  };

  it('gives what the leader has polled, and leaves the source alone', async () => {
    queues.lengths.set('cached', 5);
    const triggers = [{ ...queues.trigger('cached'), useCachedMetrics: true }];
    await plane.apply(
      workload('Deployment', 'cached', 1),
      scaledObject('cached', { ...SELDOM, triggers }),
    );
    await untilCondition(plane, 'cached', 'Ready', 'True ScaledObjectReady');
    queues.lengths.set('cached', 50);
    const answers = [];
    for (let question = 0; question < 14; question++) answers.push(await ask('cached'));
    expect(answers).to.deep.equal(new Array(14).fill('5'));
    expect(queues.asked.get('cached')).to.equal(1);
  });

  it('falls back as the leader counts, though nobody polls', async () => {
    const fallback = { failureThreshold: 3, replicas: 4 };
    queues.lengths.set('fallen', 5);
    const triggers = [queues.trigger('fallen')];
    await plane.apply(
      workload('Deployment', 'fallen', 1),
      scaledObject('fallen', { ...SELDOM, fallback, triggers }),
    );
    await untilCondition(plane, 'fallen', 'Ready', 'True ScaledObjectReady');
    expect(await ask('fallen')).to.equal('5');
    queues.answer = 'error';
    await untilReplicas(plane, 'fallen', 4);
    queues.answer = 'length';
  });

  it('reads the source itself while nobody leads', async () => {
    queues.lengths.set('alone', 5);
    const triggers = [queues.trigger('alone')];
    await plane.apply(
      workload('Deployment', 'alone', 1),
      scaledObject('alone', { ...SELDOM, triggers }),
    );
    await untilCondition(plane, 'alone', 'Ready', 'True ScaledObjectReady');
    await leader.process.stop('SIGKILL');
    queues.lengths.set('alone', 35);
    expect(await ask('alone')).to.equal('35');
  });
});
