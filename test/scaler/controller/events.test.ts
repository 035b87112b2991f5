import { expect } from 'chai';
import { reportAuthentication } from '../../../src/scaler/controller/authentication-events.ts';
import { ScaledJobController } from '../../../src/scaler/controller/scaled-job.ts';
import { ScaledObjectController } from '../../../src/scaler/controller/scaled-object.ts';
import { KEDA_NAMES, type Names, TSPROV_NAMES } from '../../../src/scaler/names.ts';
import type { TriggerAuthentication } from '../../../src/scaler/resources/trigger-authentication.ts';
import { type Fixture, fixture, scaledObjectOf } from './fixture.ts';

const KEY = 'shop/worker';
const signal = new AbortController().signal;
const source = (name: string) => ({ type: 'source', metadata: { source: name } });

describe('Events about what begins', () => {
  let given: Fixture;

  beforeEach(() => {
    given = fixture();
    given.state.replicas.set(KEY, 1);
    given.answers.set('queue', 0);
  });

  const starts = () =>
    given.state.events
      .filter(({ reason }) => reason === 'KEDAScalersStarted')
      .map(({ message }) => message);
  const dependencies = () => ({ ...given.dependencies, names: KEDA_NAMES });

  it('tell of every type of trigger that was opened, and of polls, once for a spec', async () => {
    const controller = new ScaledObjectController(dependencies(), () => {});
    given.unopenable.add('other');
    const triggers = [
      source('queue'),
      source('queue2'),
      { type: 'cpu', metricType: 'Utilization', metadata: { value: '5' } },
    ];
    given.state.objects.set(KEY, {
      ...scaledObjectOf({ triggers }, { labels: { 'scaledobject.keda.sh/name': 'worker' } }),
    });
    const object = given.state.objects.get(KEY);
    if (object === undefined) throw new Error('there is no object');
    const metadata = { ...object.metadata, finalizers: ['finalizer.keda.sh'] };
    given.state.objects.set(KEY, { ...object, metadata });
    for (let poll = 0; poll < 3; poll++) {
      await controller.reconcile(KEY, signal);
      given.state.nowMs += 10_000;
    }
    const all = ['Scaler source is built', 'Scaler cpu is built', 'Started scalers watch'];
    expect(starts()).to.deep.equal(all);
    controller.forgetAll();
    await controller.reconcile(KEY, signal);
    expect(starts()).to.deep.equal(all);
  });

  it('tell the same of a ScaledJob, and why it failed in words that begin as with KEDA', async () => {
    const job = {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledJob',
      metadata: { name: 'worker', namespace: 'shop', uid: 'u', generation: 1 },
      spec: { jobTargetRef: { template: {} }, triggers: [source('queue')] },
    } as const;
    const finalizers = ['finalizer.keda.sh'];
    given.state.jobs.set(KEY, { ...job, metadata: { ...job.metadata, finalizers } });
    const controller = new ScaledJobController(dependencies());
    await controller.reconcile(KEY, signal);
    expect(starts()).to.deep.equal(['Scaler source is built', 'Started scalers watch']);
    const triggers = [{ type: 'sorce', metadata: {} }];
    given.state.jobs.set(KEY, {
      ...job,
      metadata: { ...job.metadata, finalizers, generation: 2 },
      spec: { ...job.spec, triggers },
    });
    await controller.reconcile(KEY, signal).catch(() => {});
    const failure = given.state.events.find(({ reason }) => reason === 'ScaledJobCheckFailed');
    expect(failure?.message).to.match(/^Failed to ensure ScaledJob is correctly created: /);
  });

  const authentication = (
    kind: TriggerAuthentication['kind'],
    generation: number,
    creationTimestamp: string,
  ): TriggerAuthentication => ({
    apiVersion: 'scaler.tsprov.dev/v1alpha1',
    kind,
    metadata: { name: 'login', namespace: 'shop', generation, creationTimestamp },
    spec: {},
  });
  const EARLY = '2026-01-01T00:00:00Z';
  const LATE = '2026-01-01T01:00:00Z';
  const single = 'TriggerAuthentication';
  const whole = 'ClusterTriggerAuthentication';
  const made = (kind: typeof single | typeof whole, at: string) => ({
    old: undefined,
    new: authentication(kind, 1, at),
  });
  const changed = (kind: typeof single | typeof whole, generation: number) => ({
    old: authentication(kind, 1, EARLY),
    new: authentication(kind, generation, EARLY),
  });
  const CASES: readonly [string, Names, Parameters<typeof reportAuthentication>[0], string[]][] = [
    ['a new one', KEDA_NAMES, made(single, LATE), [`${single}Added: New ${single} configured`]],
    [
      'a new one of the cluster',
      KEDA_NAMES,
      made(whole, LATE),
      [`${whole}Added: New ${whole} configured`],
    ],
    ['one that was there before', KEDA_NAMES, made(single, EARLY), []],
    [
      'a changed one',
      TSPROV_NAMES,
      changed(single, 2),
      [`${single}Updated: ${single} login is updated`],
    ],
    [
      'a changed one, as KEDA',
      KEDA_NAMES,
      changed(single, 2),
      [`${whole}Updated: ${whole} login is updated`],
    ],
    ['a changed status', KEDA_NAMES, changed(single, 1), []],
    ['one that is gone', KEDA_NAMES, { old: authentication(single, 1, EARLY), new: undefined }, []],
  ];
  for (const [what, names, change, wanted] of CASES) {
    it(`tell of authentications: ${what}`, () => {
      const told: string[] = [];
      const cluster = {
        report: (_owner: unknown, event: { readonly reason: string; readonly message: string }) =>
          void told.push(`${event.reason}: ${event.message}`),
      };
      reportAuthentication(change, { cluster, names, sinceMs: Date.parse(LATE) });
      expect(told).to.deep.equal(wanted);
    });
  }
});
