import { expect } from 'chai';
import { ScaledObjectController } from '../../../src/scaler/controller/scaled-object.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';
import { type Fixture, fixture, scaledObjectOf } from './fixture.ts';

const KEY = 'shop/worker';

describe('an HPA that the cache does not show yet', () => {
  let given: Fixture;
  let controller: ScaledObjectController;
  const { signal } = new AbortController();

  beforeEach(async () => {
    given = fixture();
    controller = new ScaledObjectController(given.dependencies, () => {});
    given.state.replicas.set(KEY, 0);
    given.answers.set('queue', 0);
    await become(scaledObjectOf());
    given.state.showsHpas = false;
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
    const { metadata, ...object } = scaledObjectOf();
    const annotations = { 'autoscaling.scaler.tsprov.dev/paused': 'true' };
    expect(names()).to.deep.equal(['shop/scaler-hpa-worker']);
    await become({ ...object, metadata: { ...metadata, annotations } });
    expect(names()).to.deep.equal([]);
  });

  it('goes when its ScaledObject names another', async () => {
    const advanced = { horizontalPodAutoscalerConfig: { name: 'other' } };
    await become(scaledObjectOf({ advanced }), 2);
    expect(names()).to.deep.equal(['shop/other']);
  });
});
