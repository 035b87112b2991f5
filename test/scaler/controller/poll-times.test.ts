import { expect } from 'chai';
import { ScaledObjectController } from '../../../src/scaler/controller/scaled-object.ts';
import { driving } from './drive.ts';
import { type Fixture, fixture, scaledObjectOf } from './fixture.ts';

const KEY = 'shop/worker';

describe('The polls of a ScaledObject', () => {
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
    (error) => {
      throw error;
    },
  );

  it('come when it is time, and not before', async () => {
    await settle(scaledObjectOf());
    given.answers.set('queue', 7);
    await pollAfter(9);
    expect(given.state.scaled).to.deep.equal([]);
    await pollAfter(1);
    expect(given.state.scaled).to.deep.equal([1]);
  });

  it('come an interval after the last, however late that was', async () => {
    await settle(scaledObjectOf());
    await pollAfter(17);
    expect(await controller.reconcile(KEY, signal)).to.deep.equal({ requeueAfterMs: 10_000 });
  });

  it('begin at moments of their own where another process had the objects before', async () => {
    const moments = new Set<number | undefined>();
    for (let index = 0; index < 20; index++) {
      given.state.hpas.clear();
      await settle(scaledObjectOf({}, { uid: `u-${index}` }));
      controller.forgetAll();
      moments.add((await controller.reconcile(KEY, signal)).requeueAfterMs);
    }
    expect(moments.size).to.be.greaterThan(15);
    expect([...moments].every((ms = 0) => ms <= 10_000)).to.equal(true);
  });

  it('write no status that says nothing new', async () => {
    await settle(scaledObjectOf());
    const written = given.state.objects.get(KEY);
    await pollAfter(10);
    expect(given.state.objects.get(KEY)).to.equal(written);
    given.answers.set('queue', new Error('gone'));
    await pollAfter(10);
    expect(given.state.objects.get(KEY)).not.to.equal(written);
  });
});
