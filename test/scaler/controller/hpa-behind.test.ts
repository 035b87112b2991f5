import { expect } from 'chai';
import { ScaledObjectController } from '../../../src/scaler/controller/scaled-object.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';
import { type Fixture, fixture, scaledObjectOf } from './fixture.ts';

const KEY = 'shop/worker';

describe('an HPA that the cache shows late', () => {
  let given: Fixture;
  let controller: ScaledObjectController;
  const { signal } = new AbortController();

  beforeEach(async () => {
    given = fixture();
    controller = new ScaledObjectController(given.dependencies, () => {});
    given.state.replicas.set(KEY, 0);
    given.answers.set('queue', 0);
    await become(scaledObjectOf());
  });

  async function become(object: ScaledObject, generation = 1): Promise<void> {
    const { status = {} } = given.state.objects.get(KEY) ?? {};
    given.state.objects.set(KEY, {
      ...object,
      metadata: { ...object.metadata, generation },
      status,
    });
    for (let turn = 0; turn < 2; turn += 1) await controller.reconcile(KEY, signal);
  }
  const names = () => [...given.state.hpas.keys()];

  it('goes when its ScaledObject is paused', async () => {
    given.state.shownHpas = new Map();
    const { metadata, ...object } = scaledObjectOf();
    const annotations = { 'autoscaling.scaler.tsprov.dev/paused': 'true' };
    expect(names()).to.deep.equal(['shop/scaler-hpa-worker']);
    await become({ ...object, metadata: { ...metadata, annotations } });
    expect(names()).to.deep.equal([]);
  });

  it('goes when its ScaledObject names another', async () => {
    given.state.shownHpas = new Map();
    const advanced = { horizontalPodAutoscalerConfig: { name: 'other' } };
    await become(scaledObjectOf({ advanced }), 2);
    expect(names()).to.deep.equal(['shop/other']);
  });

  it('is changed though its controller has written it meanwhile', async () => {
    const hpa = given.state.hpas.get('shop/scaler-hpa-worker');
    given.state.shownHpas = new Map(given.state.hpas);
    if (hpa !== undefined) given.state.hpas.set('shop/scaler-hpa-worker', { ...hpa });
    await become(scaledObjectOf({ maxReplicaCount: 7 }), 2);
    expect(given.state.hpas.get('shop/scaler-hpa-worker')?.spec.maxReplicas).to.equal(7);
    const reasons = given.state.events.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason !== 'ScalersStarted')).to.deep.equal([
      'ScaledObjectReady',
    ]);
  });
});
