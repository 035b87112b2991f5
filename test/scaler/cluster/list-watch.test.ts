import { expect } from 'chai';
import { ObjectCache } from '../../../src/scaler/cluster/object-cache.ts';
import {
  type Answer,
  event,
  FakeApiServer,
  list,
  reset,
  status,
  watch,
} from '../../support/scaler/fake-api-server.ts';
import { FakeClock } from '../../support/scaler/fake-clock.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const IDLE_MS = 180_000;
const FIRST_BACKOFF_MS = 250;

/** A pod at a version, which is also its text. */
const pod = (name: string, resourceVersion: string, uid = name) => ({
  metadata: { name, namespace: 'shop', resourceVersion, uid },
});
const bookmark = (resourceVersion: string) => event('BOOKMARK', { metadata: { resourceVersion } });
const gone = status(410, 'Expired', 'too old resource version');
const goneEvent = event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'old' });

describe('list-watch', () => {
  let clock: FakeClock;
  let api: FakeApiServer;
  let stop: AbortController;
  let problems: string[];
  let told: string[];
  let cache: ObjectCache<ReturnType<typeof pod>>;
  let running: Promise<void>;

  /** Follows pods while the server answers so, until that many requests have come. */
  const follow = async (answers: readonly Answer[], namespaces?: readonly string[]) => {
    api.answer(...answers);
    cache = new ObjectCache({
      client: api.client(clock),
      resource: PODS,
      namespaces,
      labelSelector: 'app=web',
      onProblem: (problem) => problems.push((problem as Error).message),
      clock,
      random: () => 0,
      indexes: { version: ({ metadata }) => [metadata.resourceVersion] },
    });
    cache.onChange(({ kind, old, new: now }) => {
      const { name, resourceVersion } = (now ?? old ?? pod('none', '')).metadata;
      told.push(`${kind} ${name}@${resourceVersion}`);
    });
    running = cache.start(stop.signal);
    await cache.whenSynced();
  };
  const queries = () => api.requests.map(({ query: { labelSelector: _, ...query } }) => query);
  const seen = () =>
    cache.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);

  beforeEach(async () => {
    clock = new FakeClock();
    api = await FakeApiServer.start();
    stop = new AbortController();
    problems = [];
    told = [];
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await api.close();
  });

  it('lists in pages, then watches from the version of the list', async () => {
    await follow([list('7', [pod('a', '1')], 'more'), list('7', [pod('b', '2')]), watch([])]);
    await api.request(3);
    expect(seen()).to.deep.equal(['a@1', 'b@2']);
    expect(queries()).to.deep.equal([
      { limit: '500' },
      { limit: '500', continue: 'more' },
      { watch: 'true', resourceVersion: '7', allowWatchBookmarks: 'true', timeoutSeconds: '300' },
    ]);
    expect(api.requests.every(({ query }) => query['labelSelector'] === 'app=web')).to.equal(true);
  });

  it('lists in one answer when the next page has expired', async () => {
    await follow([list('7', [pod('a', '1')], 'more'), gone, list('9', [pod('c', '8')]), watch([])]);
    expect(seen()).to.deep.equal(['c@8']);
    expect(queries()[2]).to.deep.equal({});
    expect((await api.request(4)).query['resourceVersion']).to.equal('9');
  });

  it('watches on from the last version, that of bookmarks too, when the server ends a watch', async () => {
    const lines = [event('MODIFIED', pod('a', '8')), bookmark('12')];
    await follow([list('7', [pod('a', '1')]), watch(lines, 'end'), watch([])]);
    const { query } = await api.request(3);
    expect(query['resourceVersion']).to.equal('12');
    expect(told).to.deep.equal(['added a@1', 'changed a@8']);
    expect(problems).to.deep.equal([]);
  });

  const expiries = { 'before it begins': gone, 'in its midst': watch([goneEvent]) };
  for (const [title, answer] of Object.entries(expiries)) {
    it(`lists anew at once when a watch has expired ${title}`, async () => {
      await follow([
        list('7', [pod('a', '1'), pod('b', '2')]),
        answer,
        list('20', [pod('b', '15'), pod('c', '16')]),
        watch([]),
      ]);
      await api.request(4);
      expect(told.slice(2)).to.deep.equal(['deleted a@1', 'changed b@15', 'added c@16']);
      expect(queries()[2]).to.deep.equal({ limit: '500' });
      expect(problems).to.have.length(1);
    });
  }

  it('waits between listings when everything expires at once again', async () => {
    await follow([list('7', []), gone, list('8', []), gone, list('9', []), watch([])]);
    await api.request(4);
    await clock.pass(FIRST_BACKOFF_MS);
    await api.request(6);
  });

  it('drops a line that was cut off, and gets it again', async () => {
    const whole = event('MODIFIED', pod('a', '9'));
    const lines = [event('MODIFIED', pod('a', '8')), whole.slice(0, 30)];
    await follow([list('7', [pod('a', '1')]), watch(lines, 'break'), watch([whole])]);
    await clock.pass(FIRST_BACKOFF_MS);
    const { query } = await api.request(3);
    expect(query['resourceVersion']).to.equal('8');
    await api.delivered();
    expect(seen()).to.deep.equal(['a@9']);
  });

  const garbage = {
    'no JSON': 'pear\n',
    'no object': '7\n',
    'no event': '{"type":"ADDED"}\n',
    'an unknown event': event('RENAMED', pod('a', '9')),
  };
  for (const [title, line] of Object.entries(garbage)) {
    it(`lists anew, not older than what it saw, when a line of a watch is ${title}`, async () => {
      await follow([
        list('7', [pod('a', '1')]),
        watch([bookmark('8'), line]),
        list('10', [pod('a', '9')]),
        watch([]),
      ]);
      await clock.pass(FIRST_BACKOFF_MS);
      await api.request(4);
      expect(problems[0]).to.match(/^a watch sent what is no event: /);
      expect(queries()[2]).to.deep.equal({
        limit: '500',
        resourceVersion: '8',
        resourceVersionMatch: 'NotOlderThan',
      });
      expect(seen()).to.deep.equal(['a@9']);
    });
  }

  it('lists whatever there is when the server knows no version that new', async () => {
    const ahead = status(504, 'Timeout', 'Too large resource version: 8, current: 3');
    await follow([list('7', [pod('a', '1')]), watch(['pear\n']), ahead, list('3', []), watch([])]);
    await clock.pass(FIRST_BACKOFF_MS);
    await api.request(3);
    await clock.pass(2 * FIRST_BACKOFF_MS);
    await api.request(5);
    expect(queries()[3]).to.deep.equal({ limit: '500' });
    expect(seen()).to.deep.equal([]);
  });

  it('gives up a connection that brings nothing any more, and loses nothing', async () => {
    await follow([list('7', [pod('a', '1')]), watch([bookmark('8')]), watch([])]);
    await api.request(2);
    await api.delivered();
    await clock.advance(IDLE_MS - 1);
    expect(api.requests).to.have.length(2);
    await clock.advance(1);
    expect((await api.request(3)).query['resourceVersion']).to.equal('8');
    expect(problems).to.deep.equal([]);
  });

  it('asks less and less often while the server is away', async () => {
    const down = status(500, 'InternalError', 'etcd is away');
    await follow([list('7', []), down, down, down, reset, reset, reset, reset, watch([])]);
    for (const [requests, ms] of [
      [2, 250],
      [3, 500],
      [4, 1000],
    ] as const) {
      await api.request(requests);
      await clock.pass(ms);
    }
    for (const ms of [50, 100, 200]) await clock.pass(ms);
    await clock.pass(2000);
    await api.request(9);
    expect(problems).to.have.length(4);
    expect(queries().every((query) => query['watch'] || query['limit'])).to.equal(true);
  });

  it('does not storm a server that ends every watch at once', async () => {
    await follow([list('7', []), watch([], 'end'), watch([], 'end'), watch([])]);
    await clock.pass(250);
    await clock.pass(500);
    await api.request(4);
  });

  it('is synced when each of several namespaces is, and drops only what is gone from its own', async () => {
    const other = { metadata: { ...pod('z', '1').metadata, namespace: 'bank' } };
    api.answer(list('7', [pod('a', '1')]), list('7', [other]));
    const answers = [watch([]), watch([])];
    await follow(answers, ['shop', 'bank']);
    expect(cache.size).to.equal(2);
    expect(api.requests.slice(0, 2).map(({ path }) => path)).to.have.members([
      '/api/v1/namespaces/shop/pods',
      '/api/v1/namespaces/bank/pods',
    ]);
    await api.request(4);
  });

  it('tells an object that was made anew under its name as deleted and added', async () => {
    const lines = [event('MODIFIED', pod('a', '8', 'another'))];
    await follow([list('7', [pod('a', '1')]), watch(lines)]);
    await api.request(2);
    await api.delivered();
    expect(told).to.deep.equal(['added a@1', 'deleted a@1', 'added a@8']);
  });

  it('finds objects by indexes, and goes on when a listener throws', async () => {
    const lines = [event('MODIFIED', pod('a', '8')), event('DELETED', pod('b', '9'))];
    await follow([list('7', [pod('a', '1'), pod('b', '1')]), watch(lines)]);
    expect(cache.byIndex('version', '1')).to.have.length(2);
    const end = cache.onChange(() => {
      throw new Error('odd');
    });
    await api.request(2);
    await api.delivered();
    expect(cache.byIndex('version', '1')).to.deep.equal([]);
    expect(cache.byIndex('version', '8').map(({ metadata }) => metadata.name)).to.deep.equal(['a']);
    expect(new Set(problems)).to.deep.equal(new Set(['odd']));
    end();
  });
});
