/** Jobs of ScaledJobs that run and end, on a node with few places. */
import { expect } from 'chai';
import { isFailed, isSuccessful } from '../../src/scaler/controller/jobs.ts';
import { Operator } from '../support/cluster/operator.ts';
import {
  allReady,
  container,
  FILES,
  podSpec,
  untilPodCounts,
} from '../support/cluster/pod-manifests.ts';
import { PodCluster } from '../support/cluster/pods.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needPods } from '../support/cluster/requirements.ts';
import { jobsOf, scaledJob, untilJobs } from '../support/cluster/scaled-jobs.ts';
import { until } from '../support/until.ts';

describe('Jobs that run', () => {
  let cluster: PodCluster;
  let operator: Operator;
  const queues = new QueueServer();

  before(async function () {
    await needPods(this);
    cluster = await PodCluster.start();
    await queues.start();
    operator = await Operator.start(cluster.plane);
  });

  after(async () => {
    await operator?.stop();
    await queues.stop();
    await cluster?.stop();
  });

  const labelOf = (name: string) => `scaledjob.scaler.tsprov.dev/name=${name}`;
  const pods = (name: string, counts: { all: number; running: number; ready: number }) =>
    untilPodCounts(cluster.plane, labelOf(name), counts);

  /** A ScaledJob whose Jobs end when the file `done` says so, one for each message. */
  const make = (name: string, spec: object = {}, more: object = {}) => {
    const containers = [container('main', ['until', `${FILES}/done`], more)];
    const template = { spec: { ...podSpec(cluster, name, containers), restartPolicy: 'Never' } };
    return cluster.plane.apply(
      scaledJob(name, {
        jobTargetRef: { backoffLimit: 0, template },
        triggers: [queues.trigger(name, { targetValue: '1' })],
        ...spec,
      }),
    );
  };

  /** Gives the node room for so many Jobs of a ScaledJob, and what makes them take it. */
  const places = async (name: string, count: number) => {
    const resource = `example.com/${name}`;
    const amounts = { [resource]: String(count) };
    const patch = { status: { capacity: amounts, allocatable: amounts } };
    const words = ['--subresource=status', '--type=merge', '-p', JSON.stringify(patch)];
    await cluster.plane.kubectl('patch', 'node', 'n1', ...words);
    return { resources: { limits: { [resource]: '1' } } };
  };

  const untilEnded = async (name: string, wanted: { successful: number; failed: number }) => {
    let seen: object = {};
    await until(
      async () => {
        const jobs = await jobsOf(cluster.plane, name);
        const successful = jobs.filter(isSuccessful).length;
        seen = { successful, failed: jobs.filter(isFailed).length, all: jobs.length };
        const all = wanted.successful + wanted.failed;
        return JSON.stringify(seen) === JSON.stringify({ ...wanted, all });
      },
      () => seen,
    );
  };

  /** Waits until the queue was asked so often again: what the polls before have made is done. */
  const polls = async (name: string, count: number) => {
    const before = queues.asked.get(name) ?? 0;
    await until(
      () => (queues.asked.get(name) ?? 0) >= before + count,
      () => queues.asked.get(name),
    );
  };

  /** Takes the messages away before their Jobs end: nobody still counts them then. */
  const empty = async (name: string) => {
    queues.lengths.set(name, 0);
    await polls(name, 2);
  };

  it('do so side by side, and are done', async () => {
    queues.lengths.set('first', 3);
    await make('first');
    await pods('first', allReady(3));
    await empty('first');
    await cluster.write('first', 'done', '0');
    await untilEnded('first', { successful: 3, failed: 0 });
  });

  it('stay for a while after their end, as many as the limits of the history say', async () => {
    queues.lengths.set('kept', 4);
    await make('kept', { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
    await pods('kept', allReady(4));
    await empty('kept');
    await cluster.write('kept', 'done', '0');
    await untilEnded('kept', { successful: 2, failed: 0 });
    await cluster.remove('kept', 'done');
    queues.lengths.set('kept', 3);
    await pods('kept', { all: 5, running: 3, ready: 3 });
    await empty('kept');
    await cluster.write('kept', 'done', '3');
    await untilEnded('kept', { successful: 2, failed: 1 });
  });

  /** Jobs there are when two places are taken and nothing changes any more; see docs/scaler.md, Jobs. */
  const STRATEGIES = [
    { strategy: 'default', why: 'running ones still hold their messages', jobs: 3 },
    { strategy: 'accurate', why: 'only pending ones count', jobs: 5 },
    { strategy: 'eager', why: 'pending ones count twice against the most', jobs: 6 },
  ] as const;

  for (const { strategy, why, jobs } of STRATEGIES) {
    it(`are made by the strategy ${strategy} while two run and the others wait: ${why}`, async () => {
      queues.lengths.set(strategy, 3);
      await make(
        strategy,
        { maxReplicaCount: 10, scalingStrategy: { strategy } },
        await places(strategy, 2),
      );
      await pods(strategy, { all: jobs, running: 2, ready: 2 });
      await polls(strategy, 4);
      expect(await jobsOf(cluster.plane, strategy)).to.have.length(jobs);
    });
  }

  it('fill the places that become free, up to the most', async () => {
    await places('accurate', 20);
    await places('eager', 20);
    await pods('accurate', allReady(10));
    await pods('eager', allReady(10));
    await polls('eager', 3);
    expect(await jobsOf(cluster.plane, 'accurate')).to.have.length(10);
    expect(await jobsOf(cluster.plane, 'eager')).to.have.length(10);
  });

  it('are pending until their pods have the conditions that are named', async () => {
    queues.lengths.set('ready', 2);
    const probe = { exec: { command: ['/worker', 'ready', FILES] }, periodSeconds: 1 };
    await make(
      'ready',
      {
        maxReplicaCount: 4,
        scalingStrategy: { strategy: 'accurate', pendingPodConditions: ['Ready'] },
      },
      { readinessProbe: probe },
    );
    await pods('ready', { all: 2, running: 2, ready: 0 });
    await polls('ready', 4);
    await untilJobs(cluster.plane, 'ready', 2);
    await cluster.write('ready', 'all');
    await pods('ready', allReady(4));
  });
});
