import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { prometheus } from '../../../src/scaler/triggers/prometheus.ts';
import { readTrigger, realHttp } from '../../support/scaler/read-trigger.ts';
import { describeTrigger } from '../../support/scaler/trigger-cases.ts';
import { serve, type WebServer } from '../../support/scaler/web-server.ts';

const valid = { serverAddress: 'http://prometheus:9090', query: 'up', threshold: '2.5' };

describeTrigger(prometheus, [
  ['takes a query', { metadata: valid }, { name: 'prometheus', target: 2.5 }],
  [
    'needs an address, a query and a threshold',
    { metadata: {} },
    ['serverAddress', 'query', 'threshold'].map(
      (name) => `${name} is missing: give ${name} in the trigger's metadata`,
    ),
  ],
  [
    'refuses what is no address',
    { metadata: { ...valid, serverAddress: 'prometheus:9090' } },
    ['serverAddress must be a URL that begins with http:// or https://'],
  ],
  [
    'refuses a threshold of 0',
    { metadata: { ...valid, threshold: '0' } },
    ['threshold must be more than 0 and not 0'],
  ],
  [
    'takes a threshold of 0 in a formula',
    { metadata: { ...valid, threshold: '0' }, context: { isMember: true } },
    { target: 0 },
  ],
  [
    'takes what only an identity of Amazon would need',
    { metadata: { ...valid, awsRegion: 'eu-west-1' } },
    { name: 'prometheus' },
  ],
  [
    'says that it cannot lend an identity',
    { metadata: valid, context: { podIdentity: 'azure-workload' } },
    ['podIdentity azure-workload is not supported yet: log in by authModes'],
  ],
]);

describe('trigger prometheus', () => {
  let server: WebServer;
  let asked: URL;
  let headers: IncomingHttpHeaders;
  let answer: { status?: number; text: string };
  before(async () => {
    server = await serve((request, response) => {
      asked = new URL(request.url ?? '', 'http://host');
      headers = request.headers;
      response.writeHead(answer.status ?? 200).end(answer.text);
    });
  });
  after(() => server.close());

  const read = (text: string, metadata: Record<string, string> = {}, status = 200) => {
    answer = { text, status };
    const given = { metadata: { ...valid, serverAddress: `${server.url}/base/`, ...metadata } };
    return readTrigger(prometheus, given, {
      http: realHttp,
      now: () => new Date('2026-11-22T10:00:00Z'),
    });
  };
  const success = (resultType: string, result: unknown) =>
    JSON.stringify({ status: 'success', data: { resultType, result } });
  const sample = (value: unknown) => success('vector', [{ metric: {}, value: [1, value] }]);

  it('sends query, time, namespace, parameters and headers', async () => {
    await read(sample('1'), {
      query: 'sum(rate(a{b="c d"}[1m])) + 1',
      namespace: 'team',
      queryParameters: 'dedup=true,x=a&b',
      customHeaders: 'X-Scope-OrgID=shop',
    });
    expect(asked.pathname).to.equal('/base/api/v1/query');
    expect(Object.fromEntries(asked.searchParams)).to.deep.equal({
      query: 'sum(rate(a{b="c d"}[1m])) + 1',
      time: '2026-11-22T10:00:00.000Z',
      namespace: 'team',
      dedup: 'true',
      x: 'a&b',
    });
    expect(headers['x-scope-orgid']).to.equal('shop');
  });

  const VALUES: readonly (readonly [string, string, number])[] = [
    ['a vector of one', sample('12.5'), 12.5],
    ['a scalar', success('scalar', [1, '3']), 3],
    ['exponents', sample('1e+06'), 1_000_000],
    ['negative values', sample('-4'), -4],
  ];
  for (const [title, text, value] of VALUES) {
    it(`reads ${title}`, async () => {
      expect(await read(text)).to.deep.equal({ value, isActive: value > 0 });
    });
  }

  it('is active only above the activation threshold', async () => {
    const metadata = { activationThreshold: '5' };
    expect(await read(sample('5'), metadata)).to.include({ isActive: false });
    expect(await read(sample('5.1'), metadata)).to.include({ isActive: true });
  });

  const EMPTY: readonly (readonly [string, string])[] = [
    ['gives no series', success('vector', [])],
    ['gives no value', success('vector', [{ metric: {}, value: [] }])],
    ['gives no value', sample(null)],
    ['gives NaN', sample('NaN')],
    ['gives +Inf', sample('+Inf')],
  ];
  for (const [reason, text] of EMPTY) {
    it(`takes a query that ${reason} for 0, or for a failure: ${text.slice(40)}`, async () => {
      expect(await read(text)).to.deep.equal({ value: 0, isActive: false, isEmpty: true });
      expect(await read(text, { ignoreNullValues: 'false' })).to.equal(
        `${server.url}/base/api/v1/query: the query ${reason}, and ignoreNullValues is false: ` +
          'mend the query, for instance with "or vector(0)"',
      );
    });
  }

  const FAILURES: readonly (readonly [string, string, number, string])[] = [
    [
      'several series',
      success('vector', [{ value: [1, '1'] }, { value: [1, '2'] }]),
      200,
      ': the query gives 2 series: aggregate them, for instance with sum()',
    ],
    ['a range', success('matrix', []), 200, ': the query gives a matrix: ask for one sample'],
    ['text', success('string', [1, 'x']), 200, ': the query gives a string: ask for one sample'],
    ['nonsense', sample('many'), 200, ': the query gives no number'],
    ['a page', '<html>', 200, ' answers with something else than JSON'],
    ['other JSON', '[]', 200, ' answers without the status of a query'],
    [
      'a wrong query',
      '{"status":"error","error":"parse error"}',
      400,
      ' answers with HTTP status 400: parse error',
    ],
    [
      'no rights',
      '<h1>Unauthorized</h1>',
      401,
      ' answers with HTTP status 401 (check the credentials of its TriggerAuthentication)',
    ],
    ['a broken server', '', 503, ' answers with HTTP status 503'],
  ];
  for (const [title, text, status, message] of FAILURES) {
    it(`fails with ${title}`, async () => {
      expect(await read(text, {}, status)).to.equal(`${server.url}/base/api/v1/query${message}`);
    });
  }
});
