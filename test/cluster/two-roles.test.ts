import { expect } from 'chai';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { SCALER_NAMESPACE, workload } from '../support/cluster/manifests.ts';
import { installScaler, Operator } from '../support/cluster/operator.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { replicasOf, scaledObject, untilReplicas } from '../support/cluster/scaler-objects.ts';
import { freePort } from '../support/free-port.ts';

describe('The older layout of two processes', () => {
  let plane: ControlPlane;
  let operator: Operator;
  let metrics: Operator;
  const queues = new QueueServer();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await queues.start();
    const [port, linkPort, unused] = [await freePort(), await freePort(), await freePort()];
    await installScaler(plane, port, { rights: { scaler_separate_metrics_apiserver: true } });
    // On this machine the Service of the operator is called localhost.
    const shared = ['--operator-service', 'localhost'];
    operator = await Operator.another(plane, unused, {
      args: [...shared, '--serve', 'operator', '--link-address', `127.0.0.1:${linkPort}`],
    });
    const account = 'scaler-operator-metrics-apiserver';
    metrics = await Operator.another(plane, port, {
      kubeconfig: await plane.kubeconfigForAccount(SCALER_NAMESPACE, account),
      args: [...shared, '--serve', 'metrics', '--operator-url', `https://localhost:${linkPort}`],
    });
    await operator.process.start();
    await metrics.process.start();
  });

  after(async () => {
    await metrics?.stop();
    await operator?.stop();
    await queues.stop();
    await plane?.stop();
  });

  it('wakes with the one and feeds the HPA with the other', async () => {
    await plane.apply(
      workload('Deployment', 'worker', 0),
      scaledObject('worker', { triggers: [queues.trigger('worker')] }),
    );
    queues.lengths.set('worker', 15);
    await untilReplicas(plane, 'worker', 3);
    expect(await metrics.metrics()).to.match(
      /^tsprov_scaler_metrics_api_requests_total\{status_code="200"\} [1-9]/m,
    );
    expect(await operator.metrics()).to.include('tsprov_scaler_scaler_metrics_value{');
  });

  it('keeps the replicas while the operator is away', async () => {
    await operator.process.stop();
    queues.lengths.set('worker', 0);
    const selector = 'labelSelector=scaledobject.scaler.tsprov.dev%2Fname%3Dworker';
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/default/s0-metric-api-length?${selector}`;
    const refusal = await plane
      .kubectl('get', '--raw', path)
      .catch((error: Error) => error.message);
    expect(refusal).to.match(/operator|Timeout|ServiceUnavailable|did not answer/);
    expect(await replicasOf(plane, 'deployment', 'worker')).to.equal(3);
    await operator.process.start();
    await untilReplicas(plane, 'worker', 0);
  });
});
