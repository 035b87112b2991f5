import { expect } from 'chai';
import type { StoredHpa } from '../../src/scaler/controller/ports.ts';
import type { ScaledObject } from '../../src/scaler/resources/scaled-object.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { workload } from '../support/cluster/manifests.ts';
import { Operator } from '../support/cluster/operator.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { read, untilReplicas, untilTold } from '../support/cluster/scaler-objects.ts';

describe('The operator with the names of KEDA', () => {
  let plane: ControlPlane;
  let operator: Operator;
  const queues = new QueueServer();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await queues.start();
    operator = await Operator.start(plane, { compatibility: 'keda' });
  });

  after(async () => {
    await operator?.stop();
    await queues.stop();
    await plane?.stop();
  });

  it('scales what a manifest of KEDA names', async () => {
    await plane.apply(workload('Deployment', 'worker', 0), {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: { name: 'worker', namespace: 'default' },
      spec: {
        scaleTargetRef: { name: 'worker' },
        pollingInterval: 1,
        triggers: [queues.trigger('worker')],
      },
    });
    queues.lengths.set('worker', 15);
    await untilReplicas(plane, 'worker', 3);
  });

  it('writes every name as KEDA does', async () => {
    const object = await read<ScaledObject>(plane, 'scaledobject.keda.sh', 'worker');
    expect(object?.metadata.finalizers).to.deep.equal(['finalizer.keda.sh']);
    expect(object?.metadata.labels).to.deep.equal({ 'scaledobject.keda.sh/name': 'worker' });
    const hpa = await read<StoredHpa>(plane, 'hpa', 'keda-hpa-worker');
    expect(hpa?.metadata.labels).to.include({
      'app.kubernetes.io/managed-by': 'keda-operator',
      'scaledobject.keda.sh/name': 'worker',
    });
    expect(hpa?.metadata.ownerReferences?.[0]?.apiVersion).to.equal('keda.sh/v1alpha1');
    const reasons = ['ScaledObjectReady', 'KEDAScaleTargetActivated'];
    await untilTold(plane, 'ScaledObject', 'worker', ...reasons);
    expect(await operator.metrics()).to.match(
      /^keda_scaler_metrics_value\{.*scaledObject="worker".*\} 15$/m,
    );
  });

  it('obeys the annotations of KEDA', async () => {
    await plane.kubectl(
      'annotate',
      'scaledobject',
      'worker',
      'autoscaling.keda.sh/paused-replicas=1',
    );
    await untilReplicas(plane, 'worker', 1);
  });
});
