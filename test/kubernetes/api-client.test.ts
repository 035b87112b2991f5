import { expect } from 'chai';
import type { ApiClient } from '../../src/kubernetes/api-client.ts';
import { ApiError, ApiUnreachable } from '../../src/kubernetes/api-error.ts';
import {
  type Answer,
  FakeApiServer,
  json,
  reset,
  status,
} from '../support/scaler/fake-api-server.ts';
import { FakeClock } from '../support/scaler/fake-clock.ts';

const PODS = { group: '', version: 'v1', resource: 'pods', namespace: 'shop' };
const POD = { ...PODS, name: 'web-1' };
const tooMany = (seconds?: number) =>
  status(429, 'TooManyRequests', 'later', seconds ? { 'retry-after': String(seconds) } : {});

describe('API client', () => {
  let clock: FakeClock;
  let api: FakeApiServer;
  let client: ApiClient;

  const errorOf = (request: Promise<unknown>) =>
    request.then(
      () => expect.fail('the request went well'),
      (error: unknown) => error as Error,
    );

  beforeEach(async () => {
    clock = new FakeClock();
    api = await FakeApiServer.start();
    client = api.client(clock);
  });
  afterEach(async () => {
    await client.close();
    await api.close();
  });

  it('asks at the path of an object, saying who asks', async () => {
    api.answer(json({ metadata: { name: 'x' } }));
    const path = {
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      namespace: 'a',
      name: 'x',
    };
    await client.get({ ...path, subresource: 'scale' }, { query: { limit: 1, absent: undefined } });
    const [{ method, path: asked, query, headers } = await api.request(1)] = api.requests;
    expect([method, asked, query]).to.deep.equal([
      'GET',
      '/apis/apps/v1/namespaces/a/deployments/x/scale',
      { limit: '1' },
    ]);
    expect(headers['user-agent']).to.equal('test');
  });

  it('tells the code, the reason and the message of an error', async () => {
    api.answer(status(409, 'Conflict', 'somebody wrote'));
    const error = await errorOf(client.replace(POD, {}));
    expect(error).to.be.instanceOf(ApiError);
    expect(error).to.include({ code: 409, reason: 'Conflict', message: 'somebody wrote' });
  });

  it('writes only while its guard lets it, however often it has to send', async () => {
    let isAllowed = true;
    const guarded = client.guarded(() => {
      if (!isAllowed) throw new Error('not any more');
    });
    api.answer(tooMany(1), json({ metadata: { name: 'x' } }));
    const writing = errorOf(guarded.replace(POD, {}));
    await api.request(1);
    isAllowed = false;
    await clock.pass(1000);
    expect((await writing).message).to.equal('not any more');
    expect(api.requests).to.have.length(1);
    await guarded.get(POD);
    expect(api.requests.map(({ method }) => method)).to.deep.equal(['PUT', 'GET']);
  });

  it('names the request where the answer says nothing', async () => {
    api.answer((response) => void response.writeHead(502).end('<html>bad gateway'));
    const { message } = await errorOf(client.get(POD));
    expect(message).to.equal(
      'GET /api/v1/namespaces/shop/pods/web-1 was answered with 502: <html>bad gateway',
    );
  });

  it('gives undefined for an object that is not there, and deletes it without complaint', async () => {
    api.answer(status(404, 'NotFound', 'no'), status(404, 'NotFound', 'no'));
    expect(await client.find(POD)).to.equal(undefined);
    await client.delete(POD, { preconditions: { uid: 'u' }, propagationPolicy: 'Background' });
    expect((await api.request(2)).body).to.deep.include({
      propagationPolicy: 'Background',
      preconditions: { uid: 'u' },
    });
  });

  it('says in the body that a deletion is not meant: the query does not count beside one', async () => {
    api.answer(json({}));
    await client.delete(POD, { isDryRun: true });
    expect((await api.request(1)).body).to.deep.include({ dryRun: ['All'] });
  });

  it('waits as long as it is told when there are too many requests, writes included', async () => {
    api.answer(
      tooMany(7),
      tooMany(),
      status(503, 'x', 'starting', { 'retry-after': '3' }),
      json({}),
    );
    const writing = client.create(PODS, {});
    for (const ms of [7000, 1000, 3000]) await clock.pass(ms);
    await writing;
    expect(api.requests).to.have.length(4);
  });

  it('gives up on a server that never has time', async () => {
    api.answer(...Array.from({ length: 11 }, () => tooMany(1)));
    const failed = errorOf(client.get(POD));
    for (let waits = 0; waits < 10; waits += 1) await clock.pass(1000);
    expect(await failed).to.include({ code: 429 });
    expect(api.requests).to.have.length(11);
  });

  it('does not wait on a server that is unavailable and does not say for how long', async () => {
    api.answer(status(503, 'ServiceUnavailable', 'down'));
    expect(await errorOf(client.get(POD))).to.include({ code: 503 });
  });

  it('reads again when the connection breaks', async () => {
    api.answer(reset, reset, json({ metadata: { name: 'web-1' } }));
    const reading = client.get(POD);
    for (const ms of [50, 100]) await clock.pass(ms);
    expect(await reading).to.deep.equal({ metadata: { name: 'web-1' } });
  });

  it('does not write again when the connection breaks: it may have been done', async () => {
    api.answer(reset);
    const error = await errorOf(client.create(PODS, {}));
    expect(error).to.be.instanceOf(ApiUnreachable);
    expect(error.message).to.match(
      /^POST \/api\/v1\/namespaces\/shop\/pods on http:\S+ had no answer: /,
    );
    expect(api.requests).to.have.length(1);
  });

  const silent: Answer = () => undefined;
  const halting: Answer = (response) => void response.writeHead(200).write('{"a":');
  for (const [title, answer] of Object.entries({ 'never comes': silent, 'never ends': halting })) {
    it(`gives up on an answer that ${title}`, async () => {
      api.answer(answer);
      const failed = errorOf(client.get(POD, { timeoutMs: 4000 }));
      await api.request(1);
      await clock.pass(4000);
      const { message } = await failed;
      expect(message).to.match(/^GET \S+ on http:\S+ had no answer after 4 s$/);
    });
  }

  it('says so when an answer is no JSON', async () => {
    api.answer((response) => void response.end('{"a":'));
    const { message } = await errorOf(client.get(POD));
    expect(message).to.equal(
      'GET /api/v1/namespaces/shop/pods/web-1 was answered with something that is no JSON',
    );
  });

  it('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    api.answer(silent);
    const failed = errorOf(client.get(POD, { signal: stop.signal }));
    await api.request(1);
    stop.abort(new Error('enough'));
    expect((await failed).message).to.equal('enough');
  });

  it('keeps to its own limit, except for what is urgent', async () => {
    const limited = api.client(clock, { qps: 10, burst: 2 });
    api.answer(...Array.from({ length: 5 }, () => json({})));
    const all = Promise.all([1, 2, 3, 4].map(() => limited.get(POD)));
    await api.request(2);
    await limited.get(POD, { isUrgent: true });
    expect(api.requests).to.have.length(3);
    await clock.advance(100);
    await api.request(4);
    await clock.advance(100);
    await all;
    expect(api.requests).to.have.length(5);
    await limited.close();
  });
});
