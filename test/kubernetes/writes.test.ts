/** What happens when somebody else writes between our reading and our writing. */
import { expect } from 'chai';
import { Writer } from '../../src/kubernetes/apply.ts';
import { ScaleClient } from '../../src/kubernetes/scale-client.ts';
import { FakeApiServer, json, status } from '../support/scaler/fake-api-server.ts';
import { FakeClock } from '../support/scaler/fake-clock.ts';

const WEB = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
};
const conflict = status(409, 'Conflict', 'somebody wrote');
const scaleOf = (replicas: number, resourceVersion: string) =>
  json({ metadata: { resourceVersion }, spec: { replicas }, status: { replicas: 1 } });
const objectOf = (resourceVersion: string, finalizers?: readonly string[]) =>
  json({ metadata: { name: 'web', resourceVersion, finalizers } });

describe('writes', () => {
  let api: FakeApiServer;
  let scale: ScaleClient;
  let writer: Writer;

  beforeEach(async () => {
    api = await FakeApiServer.start();
    const client = api.client(new FakeClock());
    scale = new ScaleClient(client);
    writer = new Writer(client, 'ours');
  });
  afterEach(() => api.close());

  it('of a scale are decided again with what somebody else wrote, and left out where that is enough', async () => {
    api.answer(scaleOf(0, '1'), conflict, scaleOf(5, '2'));
    const asked: number[] = [];
    const result = await scale.update(WEB, ({ replicas }) => {
      asked.push(replicas);
      return replicas === 0 ? 1 : undefined;
    });
    expect(asked).to.deep.equal([0, 5]);
    expect(result).to.deep.equal({
      replicas: 5,
      statusReplicas: 1,
      selector: '',
      isWritten: false,
    });
    expect(api.requests.map(({ method }) => method)).to.deep.equal(['GET', 'PUT', 'GET']);
    expect(api.requests[1]?.body).to.deep.nested.include({ 'metadata.resourceVersion': '1' });
  });

  it('are given up when every attempt meets another writer', async () => {
    for (let count = 0; count < 5; count += 1) api.answer(scaleOf(0, String(count)), conflict);
    const error = await scale.update(WEB, () => 1).catch((each: Error) => each);
    expect((error as Error).message).to.equal('somebody wrote');
    expect(api.requests).to.have.length(10);
  });

  it('of a finalizer keep those that others added meanwhile', async () => {
    api.answer(objectOf('1'), conflict, objectOf('2', ['theirs/x']), objectOf('3'));
    await writer.addFinalizer(WEB, 'ours/y');
    expect((await api.request(4)).body).to.deep.equal({
      metadata: { resourceVersion: '2', finalizers: ['theirs/x', 'ours/y'] },
    });
  });

  it('of a finalizer that is there already, or on an object that ends, are none', async () => {
    api.answer(
      objectOf('1', ['ours/y']),
      json({ metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    );
    await writer.addFinalizer(WEB, 'ours/y');
    await writer.addFinalizer(WEB, 'ours/y');
    expect(api.requests.map(({ method }) => method)).to.deep.equal(['GET', 'GET']);
  });
});
