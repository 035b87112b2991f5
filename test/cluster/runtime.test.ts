/** The cluster runtime against a real API server: what it sees, writes and survives. */
import { expect } from 'chai';
import { ApiClient } from '../../src/kubernetes/api-client.ts';
import { ApiError, isConflict } from '../../src/kubernetes/api-error.ts';
import { Writer } from '../../src/kubernetes/apply.ts';
import { Discovery } from '../../src/kubernetes/discovery.ts';
import { readAccess } from '../../src/kubernetes/kubeconfig.ts';
import type { KubeObject } from '../../src/kubernetes/objects.ts';
import { ScaleClient } from '../../src/kubernetes/scale-client.ts';
import { EventRecorder } from '../../src/scaler/cluster/event-recorder.ts';
import { LeaderElector } from '../../src/scaler/cluster/lease.ts';
import { ObjectCache } from '../../src/scaler/cluster/object-cache.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { configMap, queueDefinition, workload } from '../support/cluster/manifests.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const inDefault = (name: string) => ({ namespace: 'default', name });

describe('the cluster runtime', () => {
  let plane: ControlPlane;
  let client: ApiClient;
  let stop: AbortController;
  let problems: unknown[];

  const connect = async (kubeconfig: string) =>
    new ApiClient({
      access: await readAccess({ kubeconfig }),
      userAgent: 'runtime-test',
      qps: 1000,
    });
  const onProblem = (problem: unknown) => problems.push(problem);

  /** The cache of ConfigMaps named here, followed through a client, and their texts as it knows them. */
  const follow = async (through: ApiClient, labelSelector: string) => {
    const cache = new ObjectCache({
      client: through,
      resource: CONFIG_MAPS,
      namespaces: ['default', 'kube-system'],
      labelSelector,
      onProblem,
      trim: ({ metadata, ...rest }) => ({
        name: metadata.name,
        text: (rest as { data?: { text?: string } }).data?.text,
      }),
    });
    void cache.start(stop.signal);
    await cache.whenSynced();
    const texts = () => Object.fromEntries(cache.list().map(({ name, text }) => [name, text]));
    return { cache, texts };
  };

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    client = await connect(plane.kubeconfigPath);
  });
  beforeEach(() => {
    stop = new AbortController();
    problems = [];
  });
  afterEach(() => stop.abort());
  after(async () => {
    await client?.close();
    await plane?.stop();
  });

  describe('object cache', () => {
    it('follows objects of its namespaces and labels, and tells what happens to them', async () => {
      await plane.apply(configMap('first', 'a', 'seen'), configMap('other', 'x', 'unseen'));
      const { cache, texts } = await follow(client, 'group=seen');
      const told: string[] = [];
      cache.onChange(({ kind, old, new: now }) =>
        told.push(`${kind} ${(now ?? old)?.name}: ${old?.text} → ${now?.text}`),
      );
      // One after the other: each namespace has a watch of its own.
      const untilTold = (count: number) =>
        until(
          () => told.length === count,
          () => told,
        );
      await plane.apply(configMap('second', 'b', 'seen', 'kube-system'));
      await untilTold(2);
      await plane.apply(configMap('first', 'c', 'seen'));
      await untilTold(3);
      await plane.kubectl('delete', 'configmap', 'second', '-n', 'kube-system');
      await untilTold(4);
      expect(told).to.deep.equal([
        'added first: undefined → a',
        'added second: undefined → b',
        'changed first: a → c',
        'deleted second: b → undefined',
      ]);
      expect(texts()).to.deep.equal({ first: 'c' });
      expect(problems).to.deep.equal([]);
    });

    it('lists more objects than a page holds', async () => {
      const names = Array.from({ length: 1200 }, (_, index) => `many-${index}`);
      await Promise.all(
        names.map((name) =>
          client.create({ ...CONFIG_MAPS, namespace: 'default' }, configMap(name, name, 'many')),
        ),
      );
      const { cache } = await follow(client, 'group=many');
      expect(cache.size).to.equal(1200);
      await plane.kubectl('delete', 'configmap', '-l', 'group=many', '--wait=false');
      await until(
        () => cache.size === 0,
        () => cache.size,
      );
    });

    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      it(`goes on when the API server ends by ${signal} and comes back`, async () => {
        await plane.apply(configMap('steady', 'before', signal.toLowerCase()));
        const { texts } = await follow(client, `group=${signal.toLowerCase()}`);
        await plane.apiServer.restart(signal);
        await plane.apply(configMap('steady', 'after', signal.toLowerCase()));
        await until(() => texts()['steady'] === 'after', texts);
      });
    }

    it('lists anew when what it missed has been compacted away', async () => {
      await plane.apply(configMap('kept', 'old', 'gap'), configMap('lost', 'old', 'gap'));
      let isCut = false;
      const ends: (() => void)[] = [];
      const proxy = await startTcpProxy(
        { host: '127.0.0.1', port: Number(plane.server.port) },
        (_direction, chunk, send) => {
          if (!isCut) send();
          else if (chunk.length === 0) ends.push(send);
        },
      );
      const server = `https://127.0.0.1:${proxy.port}`;
      const path = await plane.kubeconfigFor('beyond', ['system:masters'], server);
      const beyond = await connect(path);
      const { texts } = await follow(beyond, 'group=gap');
      isCut = true;
      await plane.apply(configMap('kept', 'new', 'gap'), configMap('made', 'new', 'gap'));
      await plane.kubectl('delete', 'configmap', 'lost');
      await plane.compact();
      // Its memory of what happened ends with it; the broken connection is noticed when it comes back.
      await plane.apiServer.restart('SIGKILL');
      isCut = false;
      for (const end of ends) end();
      const expected = { kept: 'new', made: 'new' };
      await until(() => JSON.stringify(texts()) === JSON.stringify(expected), texts);
      const codes = problems.map((problem) => problem instanceof ApiError && problem.code);
      expect(codes).to.include(410);
      stop.abort();
      await beyond.close();
      await proxy.close();
    });
  });

  describe('leader election', () => {
    const candidate = (identity: string, log: string[]) =>
      new LeaderElector({
        client,
        namespace: 'kube-system',
        name: 'leader',
        identity,
        onProblem,
        onStartedLeading: (signal) =>
          new Promise((resolve) => {
            log.push(`${identity} starts`);
            signal.addEventListener('abort', () => resolve());
          }),
        onStoppedLeading: () => log.push(`${identity} stops`),
      });

    it('hands over when the leader leaves in order, and not before its lease has ended when it does not', async () => {
      const log: string[] = [];
      const [one, two, three] = [
        candidate('one', log),
        candidate('two', log),
        candidate('three', log),
      ];
      const stops = [new AbortController(), new AbortController(), new AbortController()] as const;
      const first = one.run(stops[0].signal);
      await until(
        () => one.isLeading,
        () => log,
      );
      const second = two.run(stops[1].signal);
      await until(
        () => two.leader === 'one',
        () => two.leader,
      );
      stops[0].abort();
      await first;
      await until(
        () => two.isLeading,
        () => log,
      );
      expect(log).to.deep.equal(['one starts', 'one stops', 'two starts']);

      // A leader that died leaves a lease that nobody renews any more.
      stops[1].abort();
      await second;
      await plane.kubectl(
        ...['patch', 'lease', 'leader', '-n', 'kube-system', '--type=merge', '-p'],
        JSON.stringify({ spec: { holderIdentity: 'dead', leaseDurationSeconds: 15 } }),
      );
      const startedMs = performance.now();
      const third = three.run(stops[2].signal);
      await until(
        () => three.isLeading,
        () => log,
      );
      expect(performance.now() - startedMs).to.be.at.least(15_000);
      stops[2].abort();
      await third;
      expect(problems).to.deep.equal([]);
    });

    it('stops leading when the API server stays away, and leads again when it is back', async () => {
      const log: string[] = [];
      const elector = candidate('lonely', log);
      const running = elector.run(stop.signal);
      await until(
        () => elector.isLeading,
        () => log,
      );
      await plane.apiServer.stop();
      await until(
        () => log.includes('lonely stops'),
        () => log,
      );
      expect(elector.isLeading).to.equal(false);
      await plane.apiServer.start();
      await until(
        () => elector.isLeading,
        () => log,
      );
      stop.abort();
      await running;
      expect(log).to.deep.equal(['lonely starts', 'lonely stops', 'lonely starts', 'lonely stops']);
    });
  });

  describe('server-side apply', () => {
    const path = { ...CONFIG_MAPS, ...inDefault('applied') };
    const object = (data: object) =>
      ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data }) as KubeObject;

    it('owns what it names, gives up what it no longer names, and says who owns what it may not take', async () => {
      const ours = new Writer(client, 'ours');
      const theirs = new Writer(client, 'theirs');
      await ours.apply(path, object({ a: '1', b: '1' }));
      await theirs.apply(path, object({ c: '1' }));
      const error = await theirs
        .apply(path, object({ a: '2' }), { isForced: false })
        .catch((e) => e);
      expect(isConflict(error)).to.equal(true);
      expect(error.message).to.include('conflict with "ours": .data.a');
      const forced = await theirs.apply<KubeObject & { data: object }>(path, object({ a: '2' }));
      expect(forced.data).to.deep.equal({ a: '2', b: '1' });
      const shrunk = await ours.apply<KubeObject & { data: object }>(path, object({}));
      expect(shrunk.data).to.deep.equal({ a: '2' });
    });

    it('keeps the finalizers of others while several add and remove theirs at once', async () => {
      const writer = new Writer(client, 'ours');
      await writer.apply(path, object({ a: '1' }));
      const names = ['example.com/a', 'example.com/b', 'example.com/c'];
      await Promise.all(names.map((name) => writer.addFinalizer(path, name)));
      const { metadata } = await client.get<KubeObject>(path);
      expect(metadata.finalizers).to.have.members(names);
      await client.delete(path);
      await Promise.all(names.map((name) => writer.removeFinalizer(path, name)));
      expect(await client.find(path)).to.equal(undefined);
      await writer.removeFinalizer(path, 'example.com/a');
    });

    it('writes of a status only what differs', async () => {
      await plane.apply(workload('Deployment', 'reported'));
      const writer = new Writer(client, 'ours');
      const target = { ...DEPLOYMENTS, ...inDefault('reported') };
      const before = { replicas: 1, conditions: [{ type: 'Odd', status: 'True' }] };
      expect(await writer.writeStatus(target, {}, before)).to.equal(true);
      expect(await writer.writeStatus(target, before, { ...before })).to.equal(false);
      expect(await writer.writeStatus(target, before, { replicas: 1 })).to.equal(true);
      const writes = (await plane.auditLog()).filter(
        ({ userAgent, objectRef }) =>
          userAgent === 'runtime-test' && objectRef?.subresource === 'status',
      );
      expect(writes.map(({ requestObject }) => requestObject)).to.deep.equal([
        { status: before },
        { status: { conditions: null } },
      ]);
    });
  });

  describe('scale', () => {
    before(async () => {
      await plane.apply(queueDefinition());
      await plane.untilServed('queues.example.com');
      await plane.apply(workload('Deployment', 'web'), workload('StatefulSet', 'db'), {
        apiVersion: 'example.com/v1',
        kind: 'Queue',
        metadata: { name: 'jobs', namespace: 'default' },
        spec: { size: 1 },
      });
    });

    const targets = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', selector: 'app=web' },
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', selector: 'app=db' },
      { apiVersion: 'example.com/v1', kind: 'Queue', name: 'jobs', selector: '' },
    ];
    for (const { apiVersion, kind, name, selector } of targets) {
      it(`of a ${kind} is read and written`, async () => {
        const resource = await new Discovery(client).resolveScalable(apiVersion, kind);
        expect(resource.isScalable).to.equal(true);
        const scale = new ScaleClient(client);
        const target = { ...resource, ...inDefault(name) };
        expect((await scale.get(target)).replicas).to.equal(1);
        const written = await scale.update(target, ({ replicas }) => replicas + 4);
        expect(written).to.include({ replicas: 5, isWritten: true });
        expect((await scale.update(target, () => 5)).isWritten).to.equal(false);
        expect(await scale.get(target)).to.include({ replicas: 5, selector });
      });
    }

    it('is decided again when somebody else writes in between', async () => {
      const scale = new ScaleClient(client);
      const target = { ...DEPLOYMENTS, ...inDefault('web') };
      await scale.update(target, () => 1);
      const results = await Promise.all(
        Array.from({ length: 4 }, () => scale.update(target, ({ replicas }) => replicas + 1)),
      );
      expect(results.map(({ replicas }) => replicas).sort()).to.deep.equal([2, 3, 4, 5]);
    });

    it('of a kind that is not there is refused with what is near', async () => {
      const discovery = new Discovery(client);
      const errorOf = (apiVersion: string, kind: string) =>
        discovery.resolve(apiVersion, kind).catch(({ message }) => message);
      expect(await errorOf('apps/v1', 'Deploymnt')).to.equal(
        'apps/v1 has no kind "Deploymnt"; did you mean Deployment?',
      );
      expect(await errorOf('apps/v1', 'Queue')).to.equal(
        'apps/v1 has no kind "Queue"; Queue is served as example.com/v1',
      );
      expect(await errorOf('app/v1', 'Deployments')).to.equal(
        'the cluster does not serve apiVersion "app/v1"; did you mean apps/v1?',
      );
    });
  });

  it('records events of events.k8s.io/v1, those that repeat as one series', async () => {
    const recorder = new EventRecorder({
      client,
      reportingController: 'scaler.tsprov.dev/operator',
      reportingInstance: 'operator-1',
      onProblem,
    });
    const regarding = { apiVersion: 'v1', kind: 'ConfigMap', ...inDefault('subject'), uid: 'u-1' };
    const note = 'ä'.repeat(600);
    for (let count = 0; count < 3; count += 1) {
      recorder.record({ regarding, type: 'Warning', reason: 'Repeated', action: 'Checking', note });
    }
    recorder.record({ regarding, type: 'Normal', reason: 'Once', note: 'It happened.' });
    await recorder.close(60_000);
    const path = {
      group: 'events.k8s.io',
      version: 'v1',
      resource: 'events',
      namespace: 'default',
    };
    interface Event extends KubeObject {
      readonly [member: string]: unknown;
      readonly series?: { readonly count: number };
      readonly note: string;
    }
    const { items } = await client.list<Event>(path, {
      query: { fieldSelector: 'reportingController=scaler.tsprov.dev/operator' },
    });
    const byReason = Object.fromEntries(items.map((event) => [event['reason'], event]));
    expect(Object.keys(byReason)).to.have.members(['Repeated', 'Once']);
    expect(byReason['Repeated']?.series?.count).to.equal(3);
    expect(byReason['Repeated']?.note).to.match(/^ä{510}…$/);
    expect(byReason['Once']).to.deep.include({
      type: 'Normal',
      action: 'Once',
      note: 'It happened.',
      reportingInstance: 'operator-1',
      regarding,
    });
    expect(byReason['Once']?.metadata.name).to.match(/^subject\.[0-9a-f]+$/);
    expect(recorder.dropped).to.equal(0);
    expect(problems).to.deep.equal([]);
  });
});
