import { expect } from 'chai';
import { Discovery } from '../../src/kubernetes/discovery.ts';
import { FakeApiServer, json, status } from '../support/scaler/fake-api-server.ts';
import { FakeClock } from '../support/scaler/fake-clock.ts';

const queue = { name: 'queues', kind: 'Queue', namespaced: true };
const scale = { name: 'queues/scale', kind: 'Scale', namespaced: true };
const missing = status(404, 'NotFound', 'no such group');

describe('discovery', () => {
  let clock: FakeClock;
  let api: FakeApiServer;
  let discovery: Discovery;

  beforeEach(async () => {
    clock = new FakeClock();
    api = await FakeApiServer.start();
    discovery = new Discovery(api.client(clock), clock);
  });
  afterEach(() => api.close());

  const resolve = () => discovery.resolve('example.com/v1', 'Queue');

  it('asks once for all kinds of a version, and again when they may be out of date', async () => {
    const answer = json({ resources: [queue, scale] });
    api.answer(answer, answer);
    const [found] = await Promise.all([resolve(), resolve()]);
    expect(found).to.deep.equal({
      group: 'example.com',
      version: 'v1',
      resource: 'queues',
      kind: 'Queue',
      isNamespaced: true,
      isScalable: true,
      aliases: ['queues'],
    });
    await resolve();
    expect(api.requests.map(({ path }) => path)).to.deep.equal(['/apis/example.com/v1']);
    await clock.advance(600_000);
    await resolve();
    expect(api.requests).to.have.length(2);
  });

  it('asks again for what it does not know, but not again and again', async () => {
    api.answer(missing, json({ groups: [] }), json({ resources: [] }), json({ groups: [] }));
    for (let count = 0; count < 2; count += 1) {
      const { message } = (await resolve().catch(
        (error: Error) => error as Error & object,
      )) as Error;
      expect(message).to.equal('the cluster does not serve apiVersion "example.com/v1"');
    }
    await clock.advance(5000);
    api.answer(json({ resources: [queue] }));
    expect((await resolve()).resource).to.equal('queues');
    const asked = api.requests.filter(({ path }) => path === '/apis/example.com/v1');
    expect(asked).to.have.length(2);
  });

  const words: Readonly<
    Record<string, readonly [apiVersion: string, word: string, found: string]>
  > = {
    'by its kind': ['v1', 'Pod', 'v1/pods'],
    'by its plural': ['v1', 'pods', 'v1/pods'],
    'by its singular': ['v1', 'pod', 'v1/pods'],
    'by a short name': ['v1', 'po', 'v1/pods'],
    'by a version without its group': ['v1', 'Queue', 'example.com/v1/queues'],
  };
  for (const [how, [apiVersion, word, found]] of Object.entries(words)) {
    it(`finds a kind ${how}`, async () => {
      const pod = { name: 'pods', kind: 'Pod', namespaced: true, singularName: 'pod' };
      const version = { groupVersion: 'example.com/v1' };
      api.answer(json({ resources: [{ ...pod, shortNames: ['po'] }] }));
      if (word === 'Queue') {
        api.answer(json({ groups: [{ versions: [version], preferredVersion: version }] }));
        api.answer(json({ resources: [queue] }));
      }
      const { group, version: at, resource } = await discovery.lookUp(apiVersion, word);
      expect([group, at, resource].filter(Boolean).join('/')).to.equal(found);
    });
  }

  it('looks again when a kind that could not be scaled may have learnt it', async () => {
    api.answer(json({ resources: [queue] }), json({ resources: [queue, scale] }));
    expect((await resolve()).isScalable).to.equal(false);
    await clock.advance(5000);
    const found = await discovery.resolveScalable('example.com/v1', 'Queue');
    expect(found.isScalable).to.equal(true);
  });

  it('remembers no failure of the server', async () => {
    api.answer(status(500, 'InternalError', 'etcd'), json({ resources: [queue] }));
    expect(await resolve().catch(({ message }) => message)).to.equal('etcd');
    expect((await resolve()).resource).to.equal('queues');
  });
});
