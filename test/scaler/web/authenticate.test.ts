import { expect } from 'chai';
import type { Identity } from '../../../src/scaler/web/requestheader.ts';
import {
  type ApiBench,
  type Asking,
  asUser,
  type Clients,
  METRIC_PATH,
  makeClients,
  makeSettings,
  startBench,
} from './metrics-api-bench.ts';

const HPA = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';
const AUTHENTICATED = 'system:authenticated';

describe('access to the metrics API', () => {
  let clients: Clients;
  let bench: ApiBench;
  before(async () => {
    clients = await makeClients();
  });
  beforeEach(async () => {
    bench = await startBench(clients);
  });
  afterEach(() => bench.close());

  const identityOf = (index: number): Identity | undefined => bench.reviews[index]?.identity;

  it('is given to the user whom the front proxy names', async () => {
    const headers = {
      ...asUser(HPA, 'one', 'two'),
      'X-Remote-Uid': 'u-1',
      'X-Remote-Extra-Example.com%2FScope': ['read', 'write'],
    };
    const answer = await bench.ask(METRIC_PATH, { client: clients.proxy, headers });
    expect(answer.status).to.equal(200);
    expect(identityOf(0)).to.deep.equal({
      username: HPA,
      uid: 'u-1',
      groups: ['one', 'two', AUTHENTICATED],
      extra: { 'example.com/scope': ['read', 'write'] },
      isFromFrontProxy: true,
    });
  });

  it('is given to the holder of a client certificate', async () => {
    const answer = await bench.ask(METRIC_PATH, { client: clients.admin });
    expect(answer.status).to.equal(200);
    expect(identityOf(0)).to.deep.include({ username: 'ann', groups: ['ops', AUTHENTICATED] });
  });

  it('is given to the owner of a token, whom the API server is asked for once', async () => {
    const headers = { authorization: 'Bearer good' };
    const answers = [
      await bench.ask(METRIC_PATH, { headers }),
      await bench.ask('/apis', { headers }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(bench.tokens).to.deep.equal(['good']);
    expect(identityOf(0)).to.deep.include({ username: 'bob', groups: ['people', AUTHENTICATED] });
  });

  const refused: readonly [string, (from: Clients) => Asking][] = [
    ['nobody', () => ({})],
    ['headers without a certificate', () => ({ headers: asUser('root', 'system:masters') })],
    [
      'a proxy of another authority',
      ({ wrongAuthority }) => ({ client: wrongAuthority, headers: asUser('root') }),
    ],
    [
      'a proxy whose name is not allowed',
      ({ wrongName }) => ({ client: wrongName, headers: asUser('root') }),
    ],
    [
      'a proxy whose certificate has ended',
      ({ expired }) => ({ client: expired, headers: asUser('root') }),
    ],
    [
      'a proxy whose certificate is for servers alone',
      ({ forServers }) => ({ client: forServers, headers: asUser('root') }),
    ],
    ['a proxy that names no user', ({ proxy }) => ({ client: proxy })],
    ['a token of nobody', () => ({ headers: { authorization: 'Bearer bad' } })],
    ['a password', () => ({ headers: { authorization: 'Basic YTpi' } })],
  ];
  for (const [title, asking] of refused) {
    it(`is refused to ${title}`, async () => {
      const answer = await bench.ask(METRIC_PATH, asking(clients));
      expect(answer.status).to.equal(401);
      expect(answer.json).to.include({ kind: 'Status', reason: 'Unauthorized', code: 401 });
      expect(answer.headers['www-authenticate']).to.equal('Bearer');
      expect(bench.reviews).to.deep.equal([]);
    });
  }

  it('by a certificate of the clients’ authority never speaks for others', async () => {
    const headers = asUser('root', 'system:masters');
    await bench.ask(METRIC_PATH, { client: clients.proxyOfClientAuthority, headers });
    expect(identityOf(0)).to.deep.include({
      username: 'front-proxy-client',
      groups: [AUTHENTICATED],
    });
  });

  it('leaves anonymous users of the front proxy anonymous', async () => {
    const headers = asUser('system:anonymous', 'system:unauthenticated');
    await bench.ask(METRIC_PATH, { client: clients.proxy, headers });
    expect(identityOf(0)?.groups).to.deep.equal(['system:unauthenticated']);
  });

  it('follows the settings of the cluster without a restart', async () => {
    const asking = { client: clients.wrongName, headers: asUser(HPA) };
    expect((await bench.ask(METRIC_PATH, asking)).status).to.equal(401);
    const { frontProxy, clientCa } = makeSettings(clients);
    if (frontProxy === undefined) throw new Error('no front proxy');
    bench.settings.set({ clientCa, frontProxy: { ...frontProxy, allowedNames: ['somebody'] } });
    expect((await bench.ask(METRIC_PATH, asking)).status).to.equal(200);
  });

  it('is refused by every authority that the cluster no longer names', async () => {
    bench.settings.set({ clientCa: clients.client.cert, frontProxy: undefined });
    const answer = await bench.ask(METRIC_PATH, { client: clients.proxy, headers: asUser(HPA) });
    expect(answer.status).to.equal(401);
  });

  it('waits for the API server where that does not answer', async () => {
    const answer = await bench.ask(METRIC_PATH, { headers: { authorization: 'Bearer broken' } });
    expect(answer.status).to.equal(503);
    expect(answer.text).not.to.include('broken');
    await bench.ask(METRIC_PATH, { headers: { authorization: 'Bearer broken' } });
    expect(bench.tokens, 'a failure is not remembered').to.have.length(2);
  });
});

describe('rights to the metrics API', () => {
  let clients: Clients;
  let bench: ApiBench;
  before(async () => {
    clients = await makeClients();
  });
  afterEach(() => bench.close());

  it('are those that the API server says', async () => {
    bench = await startBench(clients, { allows: ({ username }) => username === HPA });
    const ask = (user: string) =>
      bench.ask(METRIC_PATH, { client: clients.proxy, headers: asUser(user) });
    expect((await ask(HPA)).status).to.equal(200);
    const answer = await ask('eve');
    expect(answer.status).to.equal(403);
    expect(answer.json).to.include({ kind: 'Status', reason: 'Forbidden', code: 403 });
    expect(answer.json['message']).to.equal(
      'user "eve" cannot list resource "s0-cron" in API group "external.metrics.k8s.io" in the namespace "shop": no rule matches',
    );
  });

  it('are asked for once where they hold for every metric', async () => {
    bench = await startBench(clients);
    const asking = { client: clients.proxy, headers: asUser(HPA) };
    await bench.ask(METRIC_PATH, asking);
    await bench.ask(METRIC_PATH.replace('shop', 'store').replace('s0-cron', 's1-cron'), asking);
    expect(bench.reviews.map(({ attributes }) => attributes)).to.deep.equal([
      {
        kind: 'resource',
        namespace: '',
        verb: 'list',
        group: 'external.metrics.k8s.io',
        version: 'v1beta1',
        resource: '*',
      },
    ]);
  });

  it('are asked for exactly where somebody comes past the API server', async () => {
    bench = await startBench(clients);
    await bench.ask(METRIC_PATH, { headers: { authorization: 'Bearer good' } });
    const [review] = bench.reviews;
    expect(review?.attributes).to.include({ namespace: 'shop', resource: 's0-cron' });
    expect(bench.reviews).to.have.length(1);
  });

  it('are those of a namespace where the wide answer is no', async () => {
    bench = await startBench(clients, {
      allows: (_who, what) => what.kind === 'resource' && what.namespace === 'shop',
    });
    const asking = { client: clients.proxy, headers: asUser('ann') };
    expect((await bench.ask(METRIC_PATH, asking)).status).to.equal(200);
    expect((await bench.ask(METRIC_PATH.replace('shop', 'store'), asking)).status).to.equal(403);
  });

  it('that are taken away are gone after ten seconds', async () => {
    let isAllowed = true;
    bench = await startBench(clients, { allows: () => isAllowed });
    const ask = async () => (await bench.ask(METRIC_PATH, { client: clients.admin })).status;
    expect(await ask()).to.equal(200);
    isAllowed = false;
    bench.elapse(9999);
    expect(await ask()).to.equal(200);
    bench.elapse(1);
    expect(await ask()).to.equal(403);
  });

  it('are not asked for where somebody is of system:masters', async () => {
    bench = await startBench(clients, { allows: () => false });
    const headers = asUser('system:kube-aggregator', 'system:masters');
    const answer = await bench.ask('/apis/external.metrics.k8s.io/v1beta1', {
      client: clients.proxy,
      headers,
    });
    expect(answer.status).to.equal(200);
  });

  it('guard the other paths too, but not those of health', async () => {
    bench = await startBench(clients, { allows: () => false });
    const asking = { client: clients.proxy, headers: asUser('eve') };
    for (const path of ['/apis', '/version', '/openapi/v2', '/nowhere']) {
      const answer = await bench.ask(path, asking);
      expect(answer.json['message']).to.equal(
        `user "eve" cannot get path "${path}": no rule matches`,
      );
    }
    for (const path of ['/healthz', '/readyz', '/livez']) {
      expect((await bench.ask(path)).status).to.equal(200);
    }
  });
});
