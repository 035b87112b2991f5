import { expect } from 'chai';
import { EventRecorder } from '../../../src/scaler/cluster/event-recorder.ts';
import { FakeApiServer, json, reset, status } from '../../support/scaler/fake-api-server.ts';
import { FakeClock } from '../../support/scaler/fake-clock.ts';

const regarding = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const happening = { regarding, type: 'Normal', reason: 'Scaled', note: 'to 3' } as const;
const created = json({}, 201);
const patched = json({});

describe('event recorder', () => {
  let clock: FakeClock;
  let api: FakeApiServer;
  let recorder: EventRecorder;
  let problems: string[];

  const start = (capacity?: number) => {
    recorder = new EventRecorder({
      client: api.client(clock),
      reportingController: 'scaler.tsprov.dev/operator',
      reportingInstance: 'operator-1',
      onProblem: (problem) => problems.push((problem as Error).message),
      clock,
      random: () => 0,
      ...(capacity !== undefined && { capacity }),
    });
  };
  const requests = () => api.requests.map(({ method, path }) => `${method} ${path}`);
  const EVENTS = '/apis/events.k8s.io/v1/namespaces/shop/events';

  beforeEach(async () => {
    clock = new FakeClock();
    api = await FakeApiServer.start();
    problems = [];
    start();
  });
  afterEach(async () => {
    const closed = recorder.close(0);
    await clock.advance(0);
    await closed;
    await api.close();
  });

  it('counts what repeats, and writes the count once in a while', async () => {
    api.answer(created, patched, patched);
    recorder.record(happening);
    await api.request(1);
    await api.delivered();
    for (let count = 0; count < 50; count += 1) recorder.record(happening);
    await clock.pass(30_000);
    const { path, body } = await api.request(2);
    expect(path).to.equal(`${EVENTS}/web.${clock.wallMsAtStart.toString(16)}0000`);
    expect(body).to.deep.equal({
      series: { count: 51, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    });
    await api.delivered();
    recorder.record(happening);
    await clock.pass(30_000);
    expect((await api.request(3)).body).to.deep.include({
      series: { count: 52, lastObservedTime: '2026-01-01T00:00:30.000000Z' },
    });
  });

  it('begins a new event when the old one is long ago, or says something else', async () => {
    api.answer(created, created, created);
    recorder.record(happening);
    recorder.record({ ...happening, note: 'to 4' });
    await api.request(2);
    await api.delivered();
    await clock.advance(360_000);
    recorder.record(happening);
    await api.request(3);
    expect(requests()).to.deep.equal(Array.from({ length: 3 }, () => `POST ${EVENTS}`));
  });

  it('makes an event again that the cluster has forgotten', async () => {
    api.answer(created, status(404, 'NotFound', 'expired'), created);
    recorder.record(happening);
    await api.request(1);
    await api.delivered();
    recorder.record(happening);
    await clock.pass(30_000);
    expect((await api.request(3)).body).to.deep.nested.include({ 'series.count': 2 });
    expect(recorder.dropped).to.equal(0);
  });

  it('keeps an event while the server is away, and makes no second one of a write that arrived', async () => {
    api.answer(
      reset,
      status(500, 'InternalError', 'etcd'),
      status(409, 'AlreadyExists', 'is there'),
    );
    recorder.record(happening);
    await clock.pass(250);
    await clock.pass(500);
    await api.request(3);
    await api.delivered();
    expect(recorder.dropped).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it('drops an event that the server refuses, says so, and goes on with the next', async () => {
    api.answer(status(403, 'Forbidden', 'you may not'), created);
    recorder.record(happening);
    recorder.record({ ...happening, reason: 'Paused' });
    await api.request(2);
    expect(recorder.dropped).to.equal(1);
    expect(problems).to.deep.equal(['you may not']);
  });

  it('drops and counts what comes when too many wait', () => {
    start(10);
    for (let count = 0; count < 25; count += 1) {
      recorder.record({ ...happening, note: `to ${count}` });
    }
    expect(recorder.dropped).to.equal(15);
  });

  it('puts events about objects of the whole cluster into the namespace default', async () => {
    api.answer(created);
    const node = { apiVersion: 'v1', kind: 'Node', name: 'n'.repeat(253) };
    recorder.record({ ...happening, regarding: node });
    const { path, body } = await api.request(1);
    expect(path).to.equal('/apis/events.k8s.io/v1/namespaces/default/events');
    const { metadata } = body as { metadata: { name: string; namespace: string } };
    expect(metadata.namespace).to.equal('default');
    expect(metadata.name).to.have.length(253);
  });

  it('writes what waits before it closes, and gives up after a time', async () => {
    api.answer(created, () => undefined);
    recorder.record(happening);
    recorder.record({ ...happening, note: 'to 4' });
    const closed = recorder.close(2000);
    await api.request(2);
    await clock.pass(2000);
    await closed;
    expect(recorder.dropped).to.equal(1);
  });
});
