import { expect } from 'chai';
import { answerMetric, type HealthBook } from '../../../src/scaler/controller/answer.ts';
import type { Health } from '../../../src/scaler/decide/fallback.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';
import { type Fixture, fixture, scaledObjectOf } from './fixture.ts';

const KEY = 'shop/worker';
const FAILING: Health = { numberOfFailures: 3, status: 'Failing' };

describe('answerMetric', () => {
  let given: Fixture;
  let counted: Readonly<Record<string, Health>>;
  const signal = new AbortController().signal;
  const book: HealthBook = {
    healthOf: () => counted,
    recordHealth: (_key, health) => {
      counted = { ...counted, ...health };
    },
  };

  beforeEach(() => {
    given = fixture();
    counted = {};
    given.state.replicas.set(KEY, 2);
    given.answers.set('queue', 7);
  });

  const ask = (object: ScaledObject, metric = 's0-queue') => {
    given.state.objects.set(KEY, object);
    return answerMetric(KEY, metric, given.dependencies, book, signal).then(
      ({ value }) => value,
      (error: Error) => error.message,
    );
  };

  it('reads the source at once, whatever the case of the name', async () => {
    expect(await ask(scaledObjectOf(), 'S0-Queue')).to.equal(7);
  });

  it('is an error, and no 0, where the source is away', async () => {
    given.answers.set('queue', new Error('refused'));
    expect(await ask(scaledObjectOf())).to.equal('metric s0-queue: trigger 0 (source): refused');
  });

  it('counts failures, and answers with the fallback after them', async () => {
    given.answers.set('queue', new Error('refused'));
    const object = scaledObjectOf({ fallback: { failureThreshold: 1, replicas: 3 } });
    expect(await ask(object)).to.be.a('string');
    expect(await ask(object)).to.equal(15);
  });

  it('knows of failures that another process has counted', async () => {
    given.answers.set('queue', new Error('refused'));
    const object = scaledObjectOf({ fallback: { failureThreshold: 3, replicas: 3 } });
    expect(await ask({ ...object, status: { health: { 's0-queue': FAILING } } })).to.equal(15);
  });

  it('gives what was polled last where that is asked for', async () => {
    const triggers = [{ type: 'source', metadata: { source: 'queue' }, useCachedMetrics: true }];
    const object = scaledObjectOf({ triggers });
    expect(await ask(object)).to.equal(7);
    await given.dependencies.gauges.of(object, undefined).poll();
    given.answers.set('queue', 9);
    expect(await ask(object)).to.equal(7);
  });

  it('counts no failure again that was polled before', async () => {
    given.answers.set('queue', new Error('refused'));
    const triggers = [{ type: 'source', metadata: { source: 'queue' }, useCachedMetrics: true }];
    const object = scaledObjectOf({ triggers, fallback: { failureThreshold: 3, replicas: 3 } });
    await given.dependencies.gauges.of(object, undefined).poll();
    counted = { 's0-queue': { numberOfFailures: 1, status: 'Failing' } };
    await ask(object);
    await ask(object);
    expect(counted['s0-queue']?.numberOfFailures).to.equal(1);
  });

  it('computes a formula over all its triggers', async () => {
    given.answers.set('other', 5);
    const object = scaledObjectOf({
      advanced: { scalingModifiers: { formula: 'a * 2 + b', target: '1' } },
      triggers: [
        { type: 'source', name: 'a', metadata: { source: 'queue' } },
        { type: 'source', name: 'b', metadata: { source: 'other' } },
      ],
    });
    expect(await ask(object, 'composite-metric')).to.equal(19);
    given.answers.set('other', new Error('away'));
    expect(await ask(object, 'composite-metric')).to.include('away');
  });

  it('says so where there is no such metric or object', async () => {
    expect(await ask(scaledObjectOf(), 's7-queue')).to.equal(
      'no matching metrics found for s7-queue of shop/worker',
    );
    given.state.objects.clear();
    const missing = answerMetric(KEY, 's0-queue', given.dependencies, book, signal);
    expect(await missing.catch((error: Error) => error.message)).to.equal(
      'there is no ScaledObject shop/worker',
    );
  });
});
