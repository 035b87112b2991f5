import { expect } from 'chai';
import { answerMetric } from '../../../src/scaler/controller/answer.ts';
import { ScaledObjectController } from '../../../src/scaler/controller/scaled-object.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';
import { driving } from './drive.ts';
import { type Fixture, fixture, scaledObjectOf } from './fixture.ts';

const KEY = 'shop/worker';
const HPA = 'shop/scaler-hpa-worker';

describe('ScaledObjectController', () => {
  let given: Fixture;
  let controller: ScaledObjectController;
  const signal = new AbortController().signal;

  beforeEach(() => {
    given = fixture();
    controller = new ScaledObjectController(given.dependencies, () => {});
    given.state.replicas.set(KEY, 0);
    given.answers.set('queue', 0);
  });

  const { settle, pollAfter } = driving(
    KEY,
    () => ({ given, controller }),
    () => {},
  );

  function edit(change: (object: ScaledObject) => ScaledObject): void {
    const object = given.state.objects.get(KEY);
    if (object !== undefined) given.state.objects.set(KEY, change(object));
  }

  const status = () => given.state.objects.get(KEY)?.status;
  const condition = (type: string) => {
    const found = status()?.conditions?.find((each) => each.type === type);
    return found && `${found.status} ${found.reason}`;
  };
  const reasons = () => given.state.events.map(({ reason }) => reason);
  const metricNames = () =>
    given.state.hpas
      .get(HPA)
      ?.spec.metrics.map((metric) =>
        'external' in metric ? metric.external.metric.name : metric.type,
      );

  it('makes the HPA, tells that it is ready, and leaves an idle workload at zero', async () => {
    await settle(scaledObjectOf());
    expect(metricNames()).to.deep.equal(['s0-queue']);
    expect([condition('Ready'), condition('Active'), condition('Paused')]).to.deep.equal([
      'True ScaledObjectReady',
      'False ScalerNotActive',
      'False ScaledObjectUnpaused',
    ]);
    const paused = status()?.conditions?.find(({ type }) => type === 'Paused');
    expect(paused?.message).to.equal('Pause annotation is not set');
    expect(given.state.scaled).to.deep.equal([]);
    expect(reasons().slice(-1)).to.deep.equal(['ScaledObjectReady']);
  });

  it('wakes a workload, and lets it sleep after the cooldown', async () => {
    await settle(scaledObjectOf({ cooldownPeriod: 15 }));
    given.answers.set('queue', 7);
    await pollAfter(10);
    given.answers.set('queue', 0);
    await pollAfter(10);
    expect(given.state.scaled).to.deep.equal([1]);
    expect(condition('Active')).to.equal('False ScalerCooldown');
    await pollAfter(10);
    expect(given.state.scaled).to.deep.equal([1, 0]);
    expect(reasons()).to.include.members(['ScaleTargetActivated', 'ScaleTargetDeactivated']);
  });

  for (const [direction, hours] of [
    ['forward', 1],
    ['back', -1],
  ] as const) {
    it(`keeps its intervals when the clock is set ${direction}`, async () => {
      await settle(scaledObjectOf({ cooldownPeriod: 15 }));
      const setClock = () => {
        given.state.nowMs += hours * 3_600_000;
        given.state.jumpedMs += hours * 3_600_000;
      };
      setClock();
      given.answers.set('queue', 7);
      await pollAfter(10);
      expect(given.state.scaled, 'woken').to.deep.equal([1]);
      given.answers.set('queue', 0);
      setClock();
      await pollAfter(10);
      expect(given.state.scaled, 'the cooldown has not ended').to.deep.equal([1]);
      await pollAfter(10);
      expect(given.state.scaled, 'the cooldown has ended').to.deep.equal([1, 0]);
    });
  }

  it('watches a whole cooldown itself after a restart: nobody has seen what came in between', async () => {
    await settle(scaledObjectOf({ cooldownPeriod: 15 }));
    given.answers.set('queue', 7);
    await pollAfter(10);
    given.answers.set('queue', 0);
    given.state.nowMs += 3_600_000;
    controller = new ScaledObjectController(given.dependencies, () => {});
    await pollAfter(0);
    await pollAfter(10);
    expect(given.state.scaled).to.deep.equal([1]);
    await pollAfter(10);
    expect(given.state.scaled).to.deep.equal([1, 0]);
  });

  it('begins a cooldown anew where it has not polled for half of it', async () => {
    await settle(scaledObjectOf({ cooldownPeriod: 60 }));
    given.answers.set('queue', 7);
    await pollAfter(10);
    given.answers.set('queue', 0);
    await pollAfter(100);
    expect(given.state.scaled).to.deep.equal([1]);
    for (let poll = 0; poll < 6; poll += 1) await pollAfter(10);
    expect(given.state.scaled).to.deep.equal([1, 0]);
  });

  it('goes by what another process has done since it led', async () => {
    await settle(scaledObjectOf({ cooldownPeriod: 15 }));
    given.answers.set('queue', 7);
    await pollAfter(10);
    controller.forgetAll();
    const other = new ScaledObjectController(given.dependencies, () => {});
    for (let minute = 0; minute < 10; minute += 1) {
      given.state.nowMs += 60_000;
      await other.reconcile(KEY, signal);
    }
    given.answers.set('queue', 0);
    await pollAfter(10);
    expect(given.state.scaled, 'the cooldown has not ended').to.deep.equal([1]);
  });

  it('takes nothing away on a decision that was long in coming through', async () => {
    await settle(scaledObjectOf({ cooldownPeriod: 0 }));
    given.answers.set('queue', 7);
    await pollAfter(10);
    given.answers.set('queue', 0);
    given.state.delayMs = 3000;
    await pollAfter(10);
    expect(given.state.scaled).to.deep.equal([1]);
    given.state.delayMs = 0;
    await pollAfter(10);
    expect(given.state.scaled).to.deep.equal([1, 0]);
  });

  it('does not sleep because a source is away', async () => {
    given.state.replicas.set(KEY, 3);
    await settle(scaledObjectOf());
    given.answers.set('queue', 7);
    await pollAfter(10);
    given.answers.set('queue', new Error('connection refused'));
    await pollAfter(1000);
    expect(given.state.replicas.get(KEY)).to.equal(given.state.scaled.at(-1) ?? 3);
    expect(given.state.replicas.get(KEY)).to.be.greaterThan(0);
    expect(condition('Ready')).to.equal('False TriggerError');
    expect(status()?.triggers?.[0]?.error).to.equal('trigger 0 (source): connection refused');
  });

  it('runs on the rest where one trigger cannot be opened', async () => {
    await settle(
      scaledObjectOf({
        triggers: [
          { type: 'source', metadata: { source: 'queue', target: 'many' } },
          { type: 'source', metadata: { source: 'other' } },
        ],
      }),
    );
    given.answers.set('other', 7);
    await pollAfter(10);
    expect(given.state.scaled).to.deep.equal([1]);
    expect(metricNames()).to.deep.equal(['s1-other']);
    expect(condition('Ready')).to.equal('Unknown PartialTriggerError');
    expect(status()?.triggers?.[0]?.error).to.equal(
      'trigger 0 (source): target must be a number and not "many"',
    );
  });

  it('has the metric of a trigger whose source cannot be asked, and tells why', async () => {
    await settle(
      scaledObjectOf({
        triggers: [{ type: 'source', metadata: { source: 'queue', port: 'test_port' } }],
      }),
    );
    await pollAfter(10);
    expect(metricNames()).to.deep.equal(['s0-queue']);
    expect(condition('Ready')).to.equal('False TriggerError');
    expect(status()?.triggers?.[0]?.error).to.equal(
      'trigger 0 (source): port must not be test_port',
    );
  });

  it('keeps the metric of a trigger whose credentials have gone, so that the HPA does not scale in', async () => {
    const ref = { name: 'login' };
    given.state.authentications.set('TriggerAuthentication/shop/login', {
      apiVersion: 'scaler.tsprov.dev/v1alpha1',
      kind: 'TriggerAuthentication',
      metadata: { name: 'login', namespace: 'shop' },
      spec: { secretTargetRef: [{ parameter: 'password', name: 's', key: 'k' }] },
    });
    given.state.secrets.set('Secret/shop/s', { k: 'hunter2' });
    given.answers.set('other', 1);
    const triggers = [
      { type: 'source', metadata: { source: 'queue' }, authenticationRef: ref },
      { type: 'source', metadata: { source: 'other' } },
    ];
    await settle(scaledObjectOf({ triggers }));
    given.state.secrets.delete('Secret/shop/s');
    await controller.refresh(KEY);
    await pollAfter(10);
    expect(metricNames()).to.have.members(['s0-queue', 's1-other']);
    expect(status()?.triggers?.[0]?.error).to.equal(
      'trigger 0 (source): Secret shop/s does not exist',
    );
    expect(JSON.stringify([...given.state.objects.values(), given.state.events])).not.to.include(
      'hunter2',
    );
  });

  it('tells which credentials are missing, and goes on once somebody makes them', async () => {
    const authenticationRef = { name: 'login' };
    await settle(
      scaledObjectOf({
        triggers: [{ type: 'source', metadata: { source: 'queue' }, authenticationRef }],
      }),
    );
    const error = 'trigger 0 (source): TriggerAuthentication shop/login does not exist';
    expect(condition('Ready')).to.equal('False ScaledObjectCheckFailed');
    expect(status()?.triggers?.[0]).to.include({ type: 'source', error });
    given.state.authentications.set('TriggerAuthentication/shop/login', {
      apiVersion: 'scaler.tsprov.dev/v1alpha1',
      kind: 'TriggerAuthentication',
      metadata: { name: 'login', namespace: 'shop' },
      spec: {},
    });
    await controller.refresh(KEY);
    await pollAfter(0);
    expect(condition('Ready')).to.equal('True ScaledObjectReady');
    expect(status()?.triggers?.[0]).not.to.have.property('error');
  });

  it('falls back where the only credentials have gone', async () => {
    const login = {
      apiVersion: 'scaler.tsprov.dev/v1alpha1',
      kind: 'TriggerAuthentication',
      metadata: { name: 'login', namespace: 'shop' },
      spec: {},
    };
    given.state.authentications.set('TriggerAuthentication/shop/login', login);
    const authenticationRef = { name: 'login' };
    await settle(
      scaledObjectOf({
        fallback: { failureThreshold: 0, replicas: 4 },
        triggers: [{ type: 'source', metadata: { source: 'queue' }, authenticationRef }],
      }),
    );
    expect(condition('Fallback')).to.equal('False NoFallbackFound');
    given.state.authentications.clear();
    await controller.refresh(KEY);
    await pollAfter(0);
    expect(condition('Fallback')).to.equal('True FallbackExists');
    expect(metricNames()).to.deep.equal(['s0-queue']);
  });

  it('has its HPA, and falls back, though its source was never there', async () => {
    given.unopenable.add('queue');
    await settle(scaledObjectOf({ fallback: { failureThreshold: 0, replicas: 4 } }));
    expect(metricNames()).to.deep.equal(['s0-queue']);
    expect(condition('Fallback')).to.equal('True FallbackExists');
    expect(given.state.scaled).to.deep.equal([1]);
  });

  it('uses a rotated secret at the next poll', async () => {
    await settle(scaledObjectOf());
    await controller.refresh(KEY);
    await pollAfter(0);
    expect(given.open()).to.equal(1);
  });

  it('answers with the fallback after more failures than it puts up with', async () => {
    await settle(scaledObjectOf({ fallback: { failureThreshold: 1, replicas: 4 } }));
    given.answers.set('queue', new Error('away'));
    await pollAfter(10);
    expect([condition('Fallback'), given.state.scaled.length]).to.deep.equal([
      'False NoFallbackFound',
      0,
    ]);
    await pollAfter(10);
    expect(condition('Fallback')).to.equal('True FallbackExists');
    expect(given.state.scaled).to.deep.equal([1]);
    given.answers.set('queue', 7);
    await pollAfter(10);
    expect(condition('Fallback')).to.equal('False NoFallbackFound');
    expect(reasons()).to.include.members([
      'ScaledObjectFallbackActivated',
      'ScaledObjectFallbackDeactivated',
    ]);
  });

  it('answers with the fallback of the leader where it does not lead', async () => {
    await settle(scaledObjectOf({ fallback: { failureThreshold: 1, replicas: 4 } }));
    given.answers.set('queue', new Error('away'));
    for (let poll = 0; poll < 2; poll += 1) await pollAfter(10);
    const standby = new ScaledObjectController(given.dependencies, () => {});
    const answer = await answerMetric(KEY, 's0-queue', given.dependencies, standby, signal);
    expect(answer).to.deep.equal({ name: 's0-queue', value: 20 });
  });

  it('holds the replicas that a pause names, without an HPA, and goes on after it', async () => {
    await settle(scaledObjectOf());
    edit((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { 'autoscaling.scaler.tsprov.dev/paused-replicas': '5' },
      },
    }));
    await pollAfter(1);
    expect(given.state.replicas.get(KEY)).to.equal(5);
    expect(given.state.hpas.has(HPA)).to.equal(false);
    expect([condition('Paused'), status()?.pausedReplicaCount]).to.deep.equal([
      'True ScaledObjectPaused',
      5,
    ]);
    edit((object) => ({ ...object, metadata: { ...object.metadata, annotations: {} } }));
    await pollAfter(1);
    expect(given.state.hpas.has(HPA)).to.equal(true);
    expect([condition('Paused'), status()?.pausedReplicaCount]).to.deep.equal([
      'False ScaledObjectUnpaused',
      undefined,
    ]);
  });

  it('tells every mistake of a spec, and scales nothing', async () => {
    await settle(
      scaledObjectOf({
        minReplicaCount: 5,
        maxReplicaCount: 2,
        triggers: [{ type: 'sorce', metadata: {} }],
      }),
    );
    expect(condition('Ready')).to.equal('False ScaledObjectCheckFailed');
    const message = status()?.conditions?.find(({ type }) => type === 'Ready')?.message;
    expect(message).to.include('spec.minReplicaCount is 5');
    expect(message).to.include('did you mean "source"?');
    expect(given.state.hpas.size).to.equal(0);
  });

  it('refuses an HPA that somebody else owns, unless it is told to take it over', async () => {
    const foreign = { name: 'mine', namespace: 'shop', uid: 'h', ownerReferences: [] };
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'worker', apiVersion: 'apps/v1' } };
    given.state.hpas.set('shop/mine', {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: foreign,
      spec: { ...spec, minReplicas: 1, maxReplicas: 3, metrics: [] },
    });
    const advanced = { horizontalPodAutoscalerConfig: { name: 'mine' } };
    await settle(scaledObjectOf({ advanced }));
    expect(condition('Ready')).to.equal('False ScaledObjectCheckFailed');
    edit((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { 'scaledobject.scaler.tsprov.dev/transfer-hpa-ownership': 'true' },
      },
    }));
    await pollAfter(1);
    expect(given.state.hpas.get('shop/mine')?.metadata.ownerReferences?.[0]?.uid).to.equal('u-1');
    expect(condition('Ready')).to.equal('True ScaledObjectReady');
  });

  it('puts the replicas back and closes its sources when it is deleted', async () => {
    given.state.replicas.set(KEY, 3);
    await settle(scaledObjectOf({ advanced: { restoreToOriginalReplicaCount: true } }));
    expect(given.state.replicas.get(KEY)).to.equal(0);
    edit((object) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T01:00:00Z' },
    }));
    await pollAfter(1);
    expect(given.state.replicas.get(KEY)).to.equal(3);
    expect([given.open(), given.state.objects.size]).to.deep.equal([0, 0]);
    expect(reasons()).to.include('ScaledObjectDeleted');
  });
});
