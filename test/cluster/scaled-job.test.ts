import { expect } from 'chai';
import { isFinished, isSuccessful } from '../../src/scaler/controller/jobs.ts';
import type { ScaledJob } from '../../src/scaler/resources/scaled-job.ts';
import type { AuditEvent } from '../support/cluster/audit.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { Operator } from '../support/cluster/operator.ts';
import { QueueServer } from '../support/cluster/queue-server.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import {
  jobsOf,
  type MadeJob,
  movePods,
  scaledJob,
  untilJobs,
  untilPods,
} from '../support/cluster/scaled-jobs.ts';
import {
  read,
  untilCondition,
  untilObserved,
  untilTold,
} from '../support/cluster/scaler-objects.ts';
import { until } from '../support/until.ts';

const PAUSE = 'autoscaling.scaler.tsprov.dev/paused';
const GENERATION = 'scaledjob.scaler.tsprov.dev/generation';

describe('A ScaledJob on a real control plane', () => {
  let plane: ControlPlane;
  let operator: Operator;
  const queues = new QueueServer();
  const away = new QueueServer();

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    await queues.start();
    await away.start();
    operator = await Operator.start(plane);
  });

  after(async () => {
    await operator?.stop();
    await queues.stop();
    await away.stop();
    await plane?.stop();
  });

  const trigger = (name: string) => queues.trigger(name, { targetValue: '1' });
  const make = (name: string, spec: object = {}, metadata: object = {}) =>
    plane.apply(scaledJob(name, { triggers: [trigger(name)], ...spec }, metadata));
  const change = (name: string, spec: object) =>
    plane.kubectl('patch', 'scaledjob', name, '--type=merge', '-p', JSON.stringify({ spec }));
  const remove = (name: string) => plane.kubectl('delete', 'scaledjob', name);
  const unfinished = async (name: string) =>
    (await jobsOf(plane, name)).filter((job) => !isFinished(job)).length;
  const condition = (name: string, type: string, wanted: string) =>
    untilCondition(plane, name, type, wanted, 'scaledjob');

  /** Waits until the queue was asked so often again: what the polls before have made is done. */
  const polls = (name: string, count = 3) => queues.untilAsked(name, count);

  const untilUnfinished = async (name: string, count: number) => {
    let seen = 0;
    await until(
      async () => {
        seen = await unfinished(name);
        return seen === count;
      },
      () => `${name} has ${seen} unfinished Jobs and not ${count}`,
    );
  };

  const told = (name: string, ...reasons: readonly string[]) =>
    untilTold(plane, 'ScaledJob', name, ...reasons);

  /** Waits until the audit log tells of the deletion of each of these. */
  const untilDeleted = async (jobs: readonly MadeJob[]) => {
    const names = jobs.map(({ metadata }) => metadata.name);
    let deletions: readonly AuditEvent[] = [];
    await until(
      async () => {
        deletions = (await plane.auditLog()).filter(
          ({ verb, objectRef, responseStatus }) =>
            verb === 'delete' &&
            objectRef?.resource === 'jobs' &&
            responseStatus.code === 200 &&
            names.includes(objectRef.name ?? ''),
        );
        return names.every((name) => deletions.some(({ objectRef }) => objectRef?.name === name));
      },
      () => ({ names, deletions }),
    );
    return deletions;
  };

  it('makes Jobs that carry whose they are', async () => {
    queues.lengths.set('first', 2);
    await make(
      'first',
      {},
      {
        labels: { team: 'blue', secret: 'no' },
        annotations: { 'scaledjob.scaler.tsprov.dev/job-excluded-labels': 'secret', note: 'kept' },
      },
    );
    const [job] = await untilJobs(plane, 'first', 2);
    const owner = await read<ScaledJob>(plane, 'scaledjob', 'first');
    expect(job?.metadata.name).to.match(/^first-[a-z0-9]{5}$/);
    expect(job?.metadata.ownerReferences).to.deep.equal([
      {
        apiVersion: 'scaler.tsprov.dev/v1alpha1',
        kind: 'ScaledJob',
        name: 'first',
        uid: owner?.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(job?.metadata.labels).to.include({
      'app.kubernetes.io/name': 'first',
      'app.kubernetes.io/part-of': 'first',
      'app.kubernetes.io/managed-by': 'scaler-operator',
      'scaledjob.scaler.tsprov.dev/name': 'first',
      team: 'blue',
    });
    expect(job?.metadata.labels).to.have.property('app.kubernetes.io/version');
    expect(job?.metadata.labels).not.to.have.property('secret');
    expect(job?.metadata.annotations).to.include({ [GENERATION]: '1', note: 'kept' });
    expect(job?.spec.template.metadata?.labels).to.include({
      'scaledjob.scaler.tsprov.dev/name': 'first',
    });
    expect(job?.spec.template.spec).to.include({ restartPolicy: 'OnFailure' });
  });

  it('tells in conditions, status and events what it does', async () => {
    await condition('first', 'Ready', 'True ScaledJobReady');
    await condition('first', 'Active', 'True ScalerActive');
    await condition('first', 'Paused', 'False ScaledJobUnpaused');
    const found = await read<ScaledJob>(plane, 'scaledjob', 'first');
    expect(found?.status).to.include({ triggersTypes: 'metrics-api' });
    expect(found?.status?.lastActiveTime).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(found?.status?.triggers?.[0]).to.include({ isActive: true, value: 2, failures: 0 });
    queues.lengths.set('first', 0);
    await condition('first', 'Active', 'False ScalerNotActive');
    const turns = ['ScaledJobReady', 'ScaledJobActive', 'ScaledJobInactive'];
    const events = await told('first', ...turns, 'JobsCreated');
    expect(events.find(({ reason }) => reason === 'JobsCreated')?.note).to.equal('Created 2 jobs');
  });

  it('leaves its Jobs to the garbage collector', async () => {
    const jobs = await jobsOf(plane, 'first');
    await remove('first');
    await untilJobs(plane, 'first', 0);
    const users = (await untilDeleted(jobs)).map(({ user }) => user.username);
    expect([...new Set(users)]).to.deep.equal([
      'system:serviceaccount:kube-system:generic-garbage-collector',
    ]);
    await told('first', 'ScaledJobDeleted');
  });

  it('makes no Job twice, whatever the cache shows', async () => {
    queues.lengths.set('many', 40);
    await make('many');
    await untilJobs(plane, 'many', 40);
    await polls('many', 4);
    const created = (await plane.auditLog()).filter(
      ({ verb, objectRef, requestURI, requestObject, responseStatus }) =>
        verb === 'create' &&
        objectRef?.resource === 'jobs' &&
        responseStatus.code === 201 &&
        !requestURI.includes('dryRun') &&
        (requestObject as MadeJob).metadata.ownerReferences?.[0]?.name === 'many',
    );
    expect(created).to.have.lengthOf(40);
    await remove('many');
  });

  describe('with a strategy', () => {
    it('default: a message stays in the queue until its Job has ended', async () => {
      queues.lengths.set('default', 3);
      await make('default', { maxReplicaCount: 4 });
      await untilJobs(plane, 'default', 3);
      await polls('default');
      expect(await unfinished('default')).to.equal(3);
      queues.lengths.set('default', 9);
      await untilJobs(plane, 'default', 4);
      await polls('default');
      expect(await unfinished('default'), 'never more than the most').to.equal(4);
      await remove('default');
    });

    it('custom: takes a fixed number and a share of the running ones off', async () => {
      const scalingStrategy = {
        strategy: 'custom',
        customScalingQueueLengthDeduction: 1,
        customScalingRunningJobPercentage: '0.5',
      };
      queues.lengths.set('custom', 5);
      await make('custom', { scalingStrategy });
      // 5 − 1 − 0, then 5 − 1 − 2, 5 − 1 − 3 and 5 − 1 − 3: from 8 on none.
      await untilJobs(plane, 'custom', 8);
      await polls('custom');
      expect(await unfinished('custom')).to.equal(8);
      await remove('custom');
    });

    it('accurate: a message leaves the queue when its Job begins', async () => {
      queues.lengths.set('accurate', 3);
      await make('accurate', { scalingStrategy: { strategy: 'accurate' }, maxReplicaCount: 6 });
      await untilJobs(plane, 'accurate', 3);
      await polls('accurate');
      expect(await unfinished('accurate'), 'those that wait will take them').to.equal(3);
      queues.lengths.set('accurate', 0);
      await polls('accurate');
      await untilPods(plane, 'accurate', 3);
      await movePods(plane, 'accurate', 'Running');
      queues.lengths.set('accurate', 2);
      await untilJobs(plane, 'accurate', 5);
      await polls('accurate');
      expect(await unfinished('accurate')).to.equal(5);
      await remove('accurate');
    });

    it('eager: fills every slot', async () => {
      queues.lengths.set('eager', 2);
      await make('eager', { scalingStrategy: { strategy: 'eager' }, maxReplicaCount: 6 });
      await until(
        async () => {
          await movePods(plane, 'eager', 'Running');
          return (await unfinished('eager')) === 6;
        },
        () => 'the slots are not filled',
      );
      await polls('eager');
      expect(await unfinished('eager')).to.equal(6);
      await remove('eager');
    });
  });

  it('keeps the least running, and replaces what has ended', async () => {
    queues.lengths.set('least', 0);
    await make('least', { minReplicaCount: 2, maxReplicaCount: 3 });
    await untilPods(plane, 'least', 2);
    await condition('least', 'Active', 'True ScalerActive');
    const ended = await movePods(plane, 'least', 'Succeeded', 1);
    await untilJobs(plane, 'least', 3);
    await untilUnfinished('least', 2);
    const jobs = await jobsOf(plane, 'least');
    const done = jobs.filter(isSuccessful).map(({ metadata }) => metadata.name);
    expect(done).to.deep.equal(ended);
    queues.lengths.set('least', 10);
    await untilUnfinished('least', 3);
    await polls('least');
    expect(await unfinished('least')).to.equal(3);
    await remove('least');
  });

  it('keeps as many ended Jobs as it is told to', async () => {
    queues.lengths.set('history', 5);
    await make('history', { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 0 });
    await untilPods(plane, 'history', 5);
    queues.lengths.set('history', 0);
    await polls('history', 2);
    await movePods(plane, 'history', 'Failed', 2);
    await untilJobs(plane, 'history', 3);
    await movePods(plane, 'history', 'Succeeded');
    const kept = await untilJobs(plane, 'history', 2);
    expect(kept.every(isSuccessful)).to.equal(true);
    await remove('history');
  });

  describe('that is changed', () => {
    const image = (tag: string, rest: object = {}) => ({
      jobTargetRef: {
        template: { spec: { containers: [{ name: 'main', image: `example.invalid/x:${tag}` }] } },
      },
      ...rest,
    });

    it('replaces its Jobs at once', async () => {
      queues.lengths.set('changed', 2);
      await make('changed');
      const old = await untilJobs(plane, 'changed', 2);
      await change('changed', image('2'));
      await until(
        async () => {
          const jobs = await jobsOf(plane, 'changed');
          return (
            jobs.length === 2 &&
            jobs.every(({ metadata }) => metadata.annotations?.[GENERATION] === '2')
          );
        },
        () => 'Jobs of the first generation are there',
      );
      const seen = await untilDeleted(old);
      expect(seen).to.have.lengthOf(2);
      expect(seen[0]?.requestObject).to.include({ propagationPolicy: 'Background' });
      const steps = ['Started', 'Completed'].map((each) => `ScaledJobRolloutCleanup${each}`);
      await told('changed', ...steps);
    });

    it('waits for the pods of old Jobs where it is told to', async () => {
      const old = await jobsOf(plane, 'changed');
      await change('changed', image('3', { rollout: { propagationPolicy: 'foreground' } }));
      for (const { requestObject } of await untilDeleted(old)) {
        expect(requestObject).to.include({ propagationPolicy: 'Foreground' });
      }
    });

    it('lets old Jobs run on where it is told to', async () => {
      queues.lengths.set('gradual', 1);
      await make('gradual', { rollout: { strategy: 'gradual' } });
      const [old] = await untilJobs(plane, 'gradual', 1);
      queues.lengths.set('gradual', 2);
      await untilJobs(plane, 'gradual', 2);
      await change('gradual', image('2', { rollout: { strategy: 'gradual' } }));
      await untilObserved(plane, 'gradual', 'scaledjob');
      queues.lengths.set('gradual', 3);
      const jobs = await untilJobs(plane, 'gradual', 3);
      const generations = jobs.map(({ metadata }) => metadata.annotations?.[GENERATION]);
      expect(generations.toSorted()).to.deep.equal(['1', '1', '2']);
      expect(jobs.map(({ metadata }) => metadata.uid)).to.include(old?.metadata.uid);
      await plane.kubectl('delete', 'scaledjob', 'changed', 'gradual');
    });
  });

  it('makes no Jobs while it is paused, and leaves those alone that run', async () => {
    queues.lengths.set('pausing', 1);
    await make('pausing');
    await untilJobs(plane, 'pausing', 1);
    await plane.kubectl('annotate', 'scaledjob', 'pausing', `${PAUSE}=true`);
    await condition('pausing', 'Paused', 'True ScaledJobPaused');
    queues.lengths.set('pausing', 3);
    const asked = queues.asked.get('pausing');
    await plane.kubectl('annotate', 'scaledjob', 'pausing', 'touched=yes');
    await make('other');
    await polls('other');
    expect([await unfinished('pausing'), queues.asked.get('pausing')]).to.deep.equal([1, asked]);
    await plane.kubectl('annotate', 'scaledjob', 'pausing', `${PAUSE}-`);
    await untilJobs(plane, 'pausing', 3);
    await condition('pausing', 'Paused', 'False ScaledJobUnpaused');
    await told('pausing', 'ScaledJobPaused', 'ScaledJobUnpaused');
    await plane.kubectl('delete', 'scaledjob', 'pausing', 'other');
  });

  it('goes on with the sources that answer, and tells of the others', async () => {
    queues.lengths.set('half', 2);
    const second = away.trigger('other', { targetValue: '1' });
    await away.stop();
    await make('half', { triggers: [trigger('half'), second] });
    const message = await condition('half', 'Ready', 'Unknown PartialTriggerError');
    expect(message).to.include('trigger 1 (metrics-api)');
    await untilJobs(plane, 'half', 2);
    queues.lengths.set('half', 0);
    await condition('half', 'Ready', 'False TriggerError');
    await told('half', 'ScalerFailed');
    await away.start();
    await condition('half', 'Ready', 'True ScaledJobReady');
    await remove('half');
  });

  it('tells in the words of the API server what is wrong with its template', async () => {
    const jobTargetRef = { template: { spec: { containers: [{ name: 'main' }] } } };
    queues.lengths.set('broken', 1);
    await make('broken', { jobTargetRef });
    const message = await condition('broken', 'Ready', 'False ScaledJobCheckFailed');
    expect(message).to.include('spec.template.spec.containers[0].image: Required value');
    await told('broken', 'ScaledJobCheckFailed');
    expect(await jobsOf(plane, 'broken')).to.deep.equal([]);
    const containers = [{ name: 'main', image: 'example.invalid/none' }];
    await change('broken', { jobTargetRef: { template: { spec: { containers } } } });
    await condition('broken', 'Ready', 'True ScaledJobReady');
    await untilJobs(plane, 'broken', 1);
    await remove('broken');
  });

  it('is refused where its spec contradicts itself', async () => {
    await make('wrong', {
      triggers: [
        { type: 'metrcs-api', metadata: {}, name: 'same' },
        { ...queues.trigger('wrong'), name: 'same' },
      ],
    });
    const message = await condition('wrong', 'Ready', 'False ScaledJobCheckFailed');
    expect(message).to.include('spec.triggers[1].name is "same"');
    expect(message).to.include('did you mean "metrics-api"?');
    await remove('wrong');
  });
});
