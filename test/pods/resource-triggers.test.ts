/** The triggers `cpu` and `memory`, by what pods really use. */
import { expect } from 'chai';
import type { StoredHpa } from '../../src/scaler/controller/ports.ts';
import { Operator } from '../support/cluster/operator.ts';
import {
  allReady,
  container,
  FILES,
  runningWorkload,
  untilPodCounts,
} from '../support/cluster/pod-manifests.ts';
import { PodCluster } from '../support/cluster/pods.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needPods } from '../support/cluster/requirements.ts';
import { read, replicasOf, scaledObject } from '../support/cluster/scaler-objects.ts';
import { until } from '../support/until.ts';

/** Usage is measured every ten seconds, and known from the second look on. */
const MEASURED_MS = 180_000;

const ADVANCED = {
  horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
};
const REQUESTS = { resources: { requests: { cpu: '20m', memory: '32Mi' } } };
/** Three times of what is requested. */
const LOAD = { cpu: '60', memory: '96' };

interface Usage {
  readonly items: readonly {
    readonly containers: readonly {
      readonly name: string;
      readonly usage: { readonly cpu: string };
    }[];
  }[];
}

const CASES = [
  { name: 'cpu-percent', type: 'cpu', metricType: 'Utilization', value: '100' },
  { name: 'cpu-amount', type: 'cpu', metricType: 'AverageValue', value: '20m' },
  { name: 'memory-percent', type: 'memory', metricType: 'Utilization', value: '100' },
  { name: 'memory-amount', type: 'memory', metricType: 'AverageValue', value: '32Mi' },
  { name: 'cpu-percent-beside', type: 'cpu', metricType: 'Utilization', value: '100' },
  { name: 'memory-amount-beside', type: 'memory', metricType: 'AverageValue', value: '32Mi' },
] as const;

describe('Triggers on what pods use', () => {
  let cluster: PodCluster;
  let operator: Operator;
  const queues = new QueueServer();

  before(async function () {
    await needPods(this);
    cluster = await PodCluster.start({
      // Pods that have just started count at once.
      controllerManagerArgs: [
        '--horizontal-pod-autoscaler-cpu-initialization-period=1s',
        '--horizontal-pod-autoscaler-initial-readiness-delay=1s',
      ],
    });
    await queues.start();
    operator = await Operator.start(cluster.plane);
  });

  after(async () => {
    await operator?.stop();
    await queues.stop();
    await cluster?.stop();
  });

  const pods = (name: string, count: number) =>
    untilPodCounts(cluster.plane, `app=${name}`, allReady(count), MEASURED_MS);
  const setLoad = async (name: string, { cpu, memory }: typeof LOAD) => {
    await cluster.write(name, 'cpu', cpu);
    await cluster.write(name, 'memory', memory);
  };
  const idle = container('main', [], REQUESTS);
  const loaded = (name: string) => container(name, ['load', FILES], REQUESTS);
  const deploy = (name: string, containers: readonly object[], spec: object) =>
    cluster.plane.apply(
      runningWorkload(cluster, 'Deployment', name, 0, containers),
      scaledObject(name, { advanced: ADVANCED, ...spec }),
    );
  const usageOf = async (name: string): Promise<Usage> => {
    const path = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods';
    return JSON.parse(
      await cluster.plane.kubectl('get', '--raw', `${path}?labelSelector=app%3D${name}`),
    );
  };

  describe('alone', () => {
    before(async () => {
      for (const { name, type, metricType, value } of CASES) {
        const isBeside = name.endsWith('beside');
        const metadata = { value, ...(isBeside && { containerName: 'beside' }) };
        const trigger = { type, metricType, metadata };
        await setLoad(name, { ...{ cpu: '0', memory: '0' }, [type]: LOAD[type] });
        await deploy(name, isBeside ? [idle, loaded('beside')] : [loaded('main')], {
          minReplicaCount: 1,
          maxReplicaCount: 2,
          triggers: [trigger],
        });
      }
    });

    for (const { name } of CASES) {
      it(`scale out on real usage: ${name}`, () => pods(name, 2));
    }

    describe('when that is over', () => {
      before(async () => {
        for (const { name } of CASES) await setLoad(name, { cpu: '0', memory: '0' });
      });

      for (const { name } of CASES) {
        it(`scale in: ${name}`, () => pods(name, 1));
      }
    });
  });

  it('look at the named container alone', async () => {
    const name = 'other-container';
    await setLoad(name, LOAD);
    await deploy(name, [idle, loaded('beside')], {
      minReplicaCount: 1,
      maxReplicaCount: 2,
      triggers: [
        {
          type: 'cpu',
          metricType: 'Utilization',
          metadata: { value: '100', containerName: 'main' },
        },
      ],
    });
    let usage: Usage | undefined;
    await until(
      async () => {
        usage = await usageOf(name);
        const beside = usage.items[0]?.containers.find((each) => each.name === 'beside');
        return Number.parseInt(beside?.usage.cpu ?? '0', 10) > 40_000_000;
      },
      () => usage,
      MEASURED_MS,
    );
    let hpa: (StoredHpa & { status?: { currentMetrics?: readonly object[] } }) | undefined;
    await until(
      async () => {
        hpa = await read(cluster.plane, 'hpa', `scaler-hpa-${name}`);
        return JSON.stringify(hpa?.status?.currentMetrics ?? []).includes('averageUtilization');
      },
      () => hpa?.status,
      MEASURED_MS,
    );
    expect(hpa?.status).to.have.nested.property(
      'currentMetrics[0].containerResource.container',
      'main',
    );
    expect(await replicasOf(cluster.plane, 'deployment', name)).to.equal(1);
    await cluster.plane.kubectl('delete', 'scaledobject', name);
  });

  it('share a workload with a queue, which alone wakes it and lets it sleep', async () => {
    const name = 'mixed';
    await setLoad(name, { cpu: LOAD.cpu, memory: '0' });
    await deploy(name, [loaded('main')], {
      maxReplicaCount: 3,
      triggers: [
        queues.trigger(name),
        { type: 'cpu', metricType: 'Utilization', metadata: { value: '100' } },
      ],
    });
    queues.lengths.set(name, 1);
    await pods(name, 3);
    await setLoad(name, { cpu: '0', memory: '0' });
    await pods(name, 1);
    queues.lengths.set(name, 10);
    await pods(name, 2);
    await setLoad(name, { cpu: LOAD.cpu, memory: '0' });
    await pods(name, 3);
    queues.lengths.set(name, 0);
    await pods(name, 0);
  });
});
