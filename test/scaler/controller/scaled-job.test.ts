import { expect } from 'chai';
import type { Job, ScalerCluster } from '../../../src/scaler/controller/ports.ts';
import { ScaledJobController } from '../../../src/scaler/controller/scaled-job.ts';
import type { ScaledJob } from '../../../src/scaler/resources/scaled-job.ts';
import { type Fixture, fixture } from './fixture.ts';

const KEY = 'shop/worker';
const POLL_MS = 10_000;

function scaledJobOf(spec: Partial<ScaledJob['spec']> = {}, generation = 1): ScaledJob {
  return {
    apiVersion: 'scaler.tsprov.dev/v1alpha1',
    kind: 'ScaledJob',
    metadata: {
      name: 'worker',
      namespace: 'shop',
      uid: 'u-1',
      generation,
      finalizers: ['finalizer.scaler.tsprov.dev'],
    },
    spec: {
      jobTargetRef: { template: {} },
      pollingInterval: POLL_MS / 1000,
      triggers: [{ type: 'source', metadata: { source: 'queue', target: '1' } }],
      ...spec,
    },
  };
}

describe('ScaledJobController', () => {
  let fake: Fixture;
  /** What the cache shows; the Jobs themselves are in `fake.state.made`. */
  let cached: readonly Job[];
  let controller: ScaledJobController;

  /** A process that begins, on a cluster that differs in something. */
  const use = (changes: Partial<ScalerCluster>) => {
    const cluster = { ...fake.dependencies.cluster, jobsOf: () => cached, ...changes };
    controller = new ScaledJobController({ ...fake.dependencies, cluster });
  };

  beforeEach(() => {
    fake = fixture();
    cached = [];
    use({});
    fake.state.jobs.set(KEY, scaledJobOf());
  });

  const poll = async () => {
    await controller.reconcile(KEY, new AbortController().signal);
    fake.state.nowMs += POLL_MS;
  };
  const made = () => fake.state.made.length;

  it('makes no Job again that the cache does not show yet', async () => {
    fake.answers.set('queue', 3);
    await poll();
    await poll();
    expect(made()).to.equal(3);
    cached = fake.state.made.slice(0, 2);
    await poll();
    expect(made()).to.equal(3);
    cached = [...fake.state.made];
    await poll();
    expect(made()).to.equal(3);
  });

  it('keeps no more Jobs than the most, even where the least is above that', async () => {
    fake.state.jobs.set(KEY, scaledJobOf({ minReplicaCount: 5, maxReplicaCount: 2 }));
    fake.answers.set('queue', 9);
    await poll();
    expect(made()).to.equal(2);
  });

  it('replaces a Job that came and went between two polls', async () => {
    fake.answers.set('queue', 1);
    await poll();
    for (const job of fake.state.made) controller.noticeJob(job);
    await poll();
    expect(made()).to.equal(2);
  });

  it('counts a Job no longer that never shows', async () => {
    fake.answers.set('queue', 1);
    await poll();
    fake.state.nowMs += 60_000;
    await poll();
    expect(made()).to.equal(2);
  });

  it('makes no Job again whose answer was lost', async () => {
    const { createJob } = fake.dependencies.cluster;
    let isCut = true;
    const cut: ScalerCluster['createJob'] = async (...given) => {
      const isMade = await createJob(...given);
      if (isCut) throw new Error('had no answer');
      return isMade;
    };
    use({ createJob: cut });
    fake.answers.set('queue', 3);
    await poll();
    await poll();
    expect(made()).to.equal(3);
    isCut = false;
    fake.answers.set('queue', 4);
    await poll();
    await poll();
    expect(made()).to.equal(4);
  });

  it('makes no Job again that another process has made just before', async () => {
    fake.answers.set('queue', 3);
    await poll();
    use({});
    await poll();
    expect(made()).to.equal(3);
  });

  it('makes no Job twice when the clock is set', async () => {
    fake.answers.set('queue', 1);
    await poll();
    for (const jumpMs of [3_600_000, -7_200_000]) {
      fake.state.nowMs += jumpMs;
      fake.state.jumpedMs += jumpMs;
      await poll();
    }
    expect(made()).to.equal(1);
  });

  it('takes another name where one belongs to somebody else', async () => {
    const { createJob } = fake.dependencies.cluster;
    let isTaken = true;
    use({ createJob: async (...given) => !isTaken && createJob(...given) });
    fake.answers.set('queue', 1);
    await poll();
    const messages = fake.state.events.map(({ message }) => message);
    expect(messages.join('\n')).to.match(/^the name worker-\w{5} is taken by another Job$/m);
    isTaken = false;
    await poll();
    expect(made()).to.equal(1);
  });

  it('clears away Jobs of an older generation that show only after the change', async () => {
    fake.answers.set('queue', 1);
    await poll();
    const [old] = fake.state.made;
    fake.answers.set('queue', 0);
    fake.state.jobs.set(KEY, scaledJobOf({}, 2));
    await poll();
    expect(fake.state.made).to.deep.equal([old]);
    cached = [...fake.state.made];
    await poll();
    expect(fake.state.made).to.deep.equal([]);
  });

  it('asks once for the end of an old Job that takes its time', async () => {
    const old = (times: object): Job => ({
      metadata: { name: 'old', namespace: 'shop', annotations: {}, ...times },
    });
    fake.answers.set('queue', 0);
    cached = [old({ deletionTimestamp: '2026-01-01T00:00:00Z' })];
    await poll();
    expect(fake.state.events.map(({ reason }) => reason)).not.to.include(
      'ScaledJobRolloutCleanupStarted',
    );
    cached = [old({})];
    await poll();
    expect(fake.state.events.map(({ reason }) => reason)).to.include(
      'ScaledJobRolloutCleanupStarted',
    );
  });
});
