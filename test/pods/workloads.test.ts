/** Workloads whose pods run: what the scaler and the HPA make of those that are ready. */
import { expect } from 'chai';
import { Operator } from '../support/cluster/operator.ts';
import {
  allReady,
  container,
  FILES,
  podSpec,
  runningWorkload,
  untilPodCounts,
} from '../support/cluster/pod-manifests.ts';
import { PodCluster } from '../support/cluster/pods.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needPods } from '../support/cluster/requirements.ts';
import {
  replicasOf,
  scaledObject,
  untilCondition,
  untilReplicas,
} from '../support/cluster/scaler-objects.ts';
import { until } from '../support/until.ts';

/** The HPA scales in without waiting for five minutes. */
const AT_ONCE = {
  horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
};

/**
 * The HPA heeds only what it is told for a while: scaler and HPA count pods that are ready at different moments, and while
 * these become more or fewer the value of one does not fit the count of the other.
 */
const AFTER_A_WHILE = {
  horizontalPodAutoscalerConfig: {
    behavior: {
      scaleUp: { stabilizationWindowSeconds: 20 },
      scaleDown: { stabilizationWindowSeconds: 300 },
    },
  },
};

describe('Workloads whose pods run', () => {
  let cluster: PodCluster;
  let operator: Operator;
  const queues = new QueueServer();
  const away = new QueueServer();

  before(async function () {
    await needPods(this);
    cluster = await PodCluster.start();
    await queues.start();
    await away.start();
    operator = await Operator.start(cluster.plane);
  });

  after(async () => {
    await operator?.stop();
    await queues.stop();
    await away.stop();
    await cluster?.stop();
  });

  it('reach the API server at the address of its Service', async () => {
    await cluster.plane.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'asking', namespace: 'default' },
      spec: {
        template: {
          spec: {
            ...podSpec(cluster, 'asking', [
              container('main', ['get', 'https://10.96.0.1/version']),
            ]),
            restartPolicy: 'OnFailure',
          },
        },
      },
    });
    await cluster.plane.kubectl('wait', '--for=condition=Complete', 'job/asking', '--timeout=240s');
  });

  it('go from no pod to one, to many and back to none', async () => {
    const { plane } = cluster;
    await plane.apply(
      runningWorkload(cluster, 'Deployment', 'orders', 0, [container('main', [])]),
      scaledObject('orders', { advanced: AT_ONCE, triggers: [queues.trigger('orders')] }),
    );
    await untilCondition(plane, 'orders', 'Ready', 'True ScaledObjectReady');
    await untilPodCounts(plane, 'app=orders', allReady(0));
    for (const [length, pods] of [
      [1, 1],
      [20, 4],
      [8, 2],
      [0, 0],
    ] as const) {
      queues.lengths.set('orders', length);
      await untilPodCounts(plane, 'app=orders', allReady(pods));
    }
  });

  describe('of which not all are ready, when a source with a metric of type Value is away', () => {
    const label = 'scaledobject.scaler.tsprov.dev/name';
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/default/s0-metric-api-length`;
    const metric = () =>
      cluster.plane.kubectl('get', '--raw', `${path}?labelSelector=${label}%3Dshop`);
    const untilValue = async (value: string) => {
      let seen: unknown;
      await until(
        async () => {
          seen = await metric().then(
            (text) => JSON.parse(text).items[0].value,
            (error: Error) => error.message,
          );
          return seen === value;
        },
        () => seen,
      );
    };

    before(async () => {
      const readinessProbe = {
        exec: { command: ['/worker', 'ready', FILES] },
        periodSeconds: 1,
        failureThreshold: 1,
      };
      await cluster.write('shop', 'shop-0');
      await cluster.write('shop', 'shop-1');
      away.lengths.set('shop', 5);
      await cluster.plane.apply(
        runningWorkload(cluster, 'StatefulSet', 'shop', 3, [
          container('main', [], { readinessProbe }),
        ]),
        scaledObject('shop', {
          scaleTargetRef: { kind: 'StatefulSet', name: 'shop' },
          minReplicaCount: 1,
          advanced: AFTER_A_WHILE,
          fallback: { failureThreshold: 1, replicas: 5 },
          triggers: [{ ...away.trigger('shop'), metricType: 'Value' }],
        }),
      );
      await untilPodCounts(cluster.plane, 'app=shop', { all: 3, running: 3, ready: 2 });
      await untilValue('5');
    });

    it('have the replicas of the fallback, shared by those that are ready', async () => {
      await away.stop();
      await untilCondition(cluster.plane, 'shop', 'Fallback', 'True FallbackExists');
      await untilValue('12500m');
      await untilReplicas(cluster.plane, 'shop', 5, 'statefulset');
      await untilPodCounts(cluster.plane, 'app=shop', { all: 5, running: 5, ready: 2 });
    });

    it('keep these replicas when more of them become ready', async () => {
      await cluster.write('shop', 'all');
      await untilPodCounts(cluster.plane, 'app=shop', allReady(5));
      await untilValue('5');
      expect(await replicasOf(cluster.plane, 'statefulset', 'shop')).to.equal(5);
    });

    it('keep them when none is ready, and the HPA is told why', async () => {
      for (const file of ['all', 'shop-0', 'shop-1']) await cluster.remove('shop', file);
      await untilPodCounts(cluster.plane, 'app=shop', { all: 5, running: 5, ready: 0 });
      let message = '';
      await until(
        async () => {
          message = await metric().catch((error: Error) => error.message);
          return message.includes('no pod is ready');
        },
        () => message,
      );
      await untilCondition(cluster.plane, 'shop', 'HPAActive', 'False FailedGetExternalMetric');
      expect(await replicasOf(cluster.plane, 'statefulset', 'shop')).to.equal(5);
    });
  });
});
