import { connect } from 'node:tls';
import { expect } from 'chai';
import { badRequest } from '../../../src/scaler/web/status.ts';
import { issueTestCertificate, makeTestAuthority } from '../../support/certificates.ts';
import { deferred } from '../../support/deferred.ts';
import {
  type Answer,
  type ApiBench,
  type BenchOptions,
  type Clients,
  METRIC_PATH,
  makeClients,
  NOW,
  startBench,
} from './metrics-api-bench.ts';

const ROOT = '/apis/external.metrics.k8s.io';
const SELECTOR = '?labelSelector=scaledobject.example%2Fname%3Dorders';

describe('the metrics API', () => {
  let clients: Clients;
  let bench: ApiBench;
  before(async () => {
    clients = await makeClients();
  });
  afterEach(() => bench.close());

  const start = async (options?: BenchOptions) => {
    bench = await startBench(clients, options);
  };
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    bench.ask(path, { client: clients.admin, headers });

  it('gives a metric as the HPA controller reads it', async () => {
    await start();
    const { status, json, headers } = await ask(METRIC_PATH);
    expect([status, headers['content-type']]).to.deep.equal([200, 'application/json']);
    expect(json).to.deep.equal({
      kind: 'ExternalMetricValueList',
      apiVersion: 'external.metrics.k8s.io/v1beta1',
      metadata: {},
      items: [
        {
          metricName: 's0-cron',
          metricLabels: null,
          timestamp: `${NOW.toISOString().slice(0, 19)}Z`,
          value: '12500m',
        },
      ],
    });
  });

  it('asks for what stands in the path and in the selector', async () => {
    const asked: unknown[] = [];
    await start({
      answer: async (...[namespace, metric, scaledObject]) => {
        asked.push([namespace, metric, scaledObject]);
        return [{ name: metric, value: 1 }];
      },
    });
    const long = `s0-${'x'.repeat(200)}`;
    const selector = '?labelSelector=a%3Db,scaledobject.example/name%3D%3Dorders';
    await ask(`${ROOT}/v1beta1/namespaces/shop/${long}%2F%3A${selector}`);
    expect(asked).to.deep.equal([['shop', `${long}/:`, 'orders']]);
  });

  const failures: readonly [string, string, BenchOptions, number, string, RegExp][] = [
    ['no selector', '', {}, 400, 'BadRequest', /^scaledObject name is not specified: .* is empty/],
    [
      'a selector of other labels',
      '?labelSelector=a%3Db',
      {},
      400,
      'BadRequest',
      /^scaledObject name is not specified: .* "a=b" has no scaledobject\.example\/name/,
    ],
    [
      'a selector of sets',
      '?labelSelector=a%20in%20(b)',
      {},
      400,
      'BadRequest',
      /label selector "a in \(b\)" is not a list of label=value/,
    ],
    [
      'an inequality',
      '?labelSelector=a!%3Db',
      {},
      400,
      'BadRequest',
      /only equality is understood/,
    ],
    [
      'a metric that nobody has',
      SELECTOR,
      { answer: async () => [] },
      404,
      'NotFound',
      /^no matching metrics found for s0-cron$/,
    ],
    [
      'a source that fails',
      SELECTOR,
      { answer: () => Promise.reject(new Error('connection refused')) },
      500,
      'InternalError',
      /^connection refused$/,
    ],
    [
      'an error with a code',
      SELECTOR,
      { answer: () => Promise.reject(badRequest('the object is paused')) },
      400,
      'BadRequest',
      /^the object is paused$/,
    ],
    [
      'a value that is no number',
      SELECTOR,
      { answer: async () => [{ name: 's0-cron', value: Number.NaN }] },
      500,
      'InternalError',
      /^metric s0-cron has no value: it is NaN$/,
    ],
    [
      'a source that never answers',
      SELECTOR,
      { answer: () => new Promise(() => {}), timeoutMs: 50 },
      504,
      'Timeout',
      /^metric s0-cron of shop\/orders was not read within 50 ms$/,
    ],
  ];
  for (const [title, query, options, code, reason, message] of failures) {
    it(`answers ${code} to ${title}`, async () => {
      await start(options);
      const { status, json } = await ask(`${ROOT}/v1beta1/namespaces/shop/s0-cron${query}`);
      expect(status).to.equal(code);
      expect(json).to.include({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason,
        code,
      });
      expect(json['message']).to.match(message);
    });
  }

  it('stops asking the source when the caller has gone', async () => {
    const gone = deferred();
    const begun = deferred();
    await start({
      answer: (_namespace, _metric, _object, signal) => {
        signal.addEventListener('abort', () => gone.resolve());
        begun.resolve();
        return new Promise(() => {});
      },
    });
    const { cert, key } = clients.admin;
    const socket = connect({
      port: bench.port,
      host: '127.0.0.1',
      ca: clients.server.cert,
      cert,
      key,
      servername: 'localhost',
    });
    socket.write(`GET ${METRIC_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await begun.promise;
    socket.destroy();
    await gone.promise;
  });

  it('tells of each answer to whoever counts', async () => {
    const codes: number[] = [];
    await start({ onAnswer: (code) => codes.push(code) });
    await ask(METRIC_PATH);
    await ask(METRIC_PATH.replace('labelSelector', 'other'));
    await ask('/apis');
    expect(codes).to.deep.equal([200, 400]);
  });

  describe('describes itself', () => {
    const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

    it('as a group with one version and one resource', async () => {
      await start();
      const [groups, group, resources] = await Promise.all(
        ['/apis', ROOT, `${ROOT}/v1beta1`].map((path) => ask(path)),
      );
      const version = { groupVersion: 'external.metrics.k8s.io/v1beta1', version: 'v1beta1' };
      const described = {
        name: 'external.metrics.k8s.io',
        versions: [version],
        preferredVersion: version,
      };
      expect(groups?.json).to.deep.include({ kind: 'APIGroupList', groups: [described] });
      expect(group?.json).to.deep.equal({ kind: 'APIGroup', apiVersion: 'v1', ...described });
      expect(resources?.json['resources']).to.deep.equal([
        {
          name: 'externalmetrics',
          singularName: '',
          namespaced: true,
          kind: 'ExternalMetricValueList',
          verbs: ['get'],
        },
      ]);
    });

    it('in one document to who asks for that', async () => {
      await start();
      const accept = `${AGGREGATED},application/json`;
      const { headers, json } = await ask('/apis', { accept });
      expect(headers['content-type']).to.equal(AGGREGATED);
      expect(json).to.include({ apiVersion: 'apidiscovery.k8s.io/v2' });
      expect(json['items']).to.have.nested.property(
        '[0].versions[0].resources[0].scope',
        'Namespaced',
      );
      const again = await ask('/apis', { accept, 'if-none-match': String(headers['etag']) });
      expect([again.status, again.text]).to.deep.equal([304, '']);
    });

    it('in OpenAPI, whose index leads to the document', async () => {
      await start();
      const index = (await ask('/openapi/v3')).json['paths'] as Record<
        string,
        { serverRelativeURL: string }
      >;
      const url = index['apis/external.metrics.k8s.io/v1beta1']?.serverRelativeURL ?? '';
      expect((await ask(url)).json).to.include({ openapi: '3.0.0' });
      expect((await ask('/openapi/v2')).json).to.include({ swagger: '2.0' });
    });

    it('with its version', async () => {
      await start();
      expect((await ask('/version')).json).to.include({
        gitVersion: '1.2.3',
        major: '1',
        minor: '2',
      });
    });
  });

  const accepts: readonly [string, number][] = [
    ['application/vnd.kubernetes.protobuf,application/json', 200],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 200],
    ['*/*', 200],
    ['application/*;q=0.5', 200],
    ['application/vnd.kubernetes.protobuf', 406],
    ['text/html', 406],
    ['application/json;q=0', 406],
  ];
  for (const [accept, status] of accepts) {
    it(`answers ${status} to Accept: ${accept}`, async () => {
      await start();
      for (const path of [METRIC_PATH, `${ROOT}/v1beta1`]) {
        expect((await ask(path, { accept })).status, path).to.equal(status);
      }
    });
  }

  it('answers with a Status where it has nothing', async () => {
    await start();
    expect((await ask(`${ROOT}/v1/namespaces`)).json).to.include({ code: 404, reason: 'NotFound' });
    const { json } = await bench.ask(METRIC_PATH, { client: clients.admin, method: 'DELETE' });
    expect(json).to.include({ code: 405, reason: 'MethodNotAllowed' });
    expect((await ask('/apis/%zz')).json).to.include({ code: 400, reason: 'BadRequest' });
  });

  it('says why it is not ready', async () => {
    await start({
      health: { live: [], ready: [{ name: 'caches', check: () => 'pods are being listed' }] },
    });
    expect((await bench.ask('/healthz')).status).to.equal(200);
    const { status, text } = await bench.ask('/readyz');
    expect(status).to.equal(500);
    expect(text).to.equal('[-]caches failed: pods are being listed\nreadyz check failed\n');
  });

  it('speaks no older TLS than it is told to', async () => {
    await start({ floor: { leastVersion: 'TLSv1.3' } });
    const { ca } = bench.credentials.value;
    const place = { port: bench.port, host: '127.0.0.1', servername: 'localhost', ca };
    const socket = connect({ ...place, maxVersion: 'TLSv1.2' });
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
      socket.once('error', resolve);
    });
    expect(error.code).to.equal('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    expect((await ask(METRIC_PATH)).status).to.equal(200);
  });

  it('exchanges its certificate while it runs', async () => {
    await start();
    const other = await makeTestAuthority('next');
    const cert = await issueTestCertificate(other, { commonName: 'metrics' });
    bench.credentials.set({ ...cert, ca: other.cert });
    expect((await ask(METRIC_PATH)).status).to.equal(200);
  });

  it('lets a request that runs end before it closes', async () => {
    const begun = deferred();
    const go = deferred();
    await start({
      answer: async (_namespace, name) => {
        begun.resolve();
        await go.promise;
        return [{ name, value: 7 }];
      },
    });
    const running = ask(METRIC_PATH);
    await begun.promise;
    const closed = bench.close();
    go.resolve();
    expect((await running).status).to.equal(200);
    await closed;
    const error = await ask(METRIC_PATH).catch((e) => e);
    expect(error.code).to.equal('ECONNREFUSED');
  });
});
