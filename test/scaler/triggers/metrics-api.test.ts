import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { metricsApi } from '../../../src/scaler/triggers/metrics-api.ts';
import { readTrigger, realHttp } from '../../support/scaler/read-trigger.ts';
import { describeTrigger } from '../../support/scaler/trigger-cases.ts';
import { serve, type WebServer } from '../../support/scaler/web-server.ts';

const valid = { url: 'http://api/stats', valueLocation: 'a.b', targetValue: '5' };

describeTrigger(metricsApi, [
  ['takes a path', { metadata: valid }, { name: 'metric-api-a.b', target: 5 }],
  [
    'needs a target',
    { metadata: { ...valid, targetValue: '' } },
    ['targetValue must be more than 0 and not 0'],
  ],
  [
    'refuses ways to log in that KEDA does not take here',
    {
      metadata: { ...valid, authModes: 'custom' },
      authentication: { customAuthHeader: 'X-A', customAuthValue: 'a' },
    },
    ['authModes custom does not work here: use apiKey, basic, bearer or tls'],
  ],
  [
    'refuses a selector that matches by pattern',
    { metadata: { ...valid, format: 'prometheus', valueLocation: 'a{b=~"c"}' } },
    ['valueLocation has b=~: only = is supported'],
  ],
  [
    'refuses modifiers',
    { metadata: { ...valid, valueLocation: 'a|@sum' } },
    [
      'valueLocation uses "@sum", and modifiers, literals and several paths at once are not ' +
        'supported: give the path of one value',
    ],
  ],
  [
    'refuses an address that names no Service where its endpoints are to be asked',
    { metadata: { ...valid, aggregateFromKubeServiceEndpoints: 'true' } },
    [
      'url must name a Service and its namespace, http://<service>.<namespace>/…, ' +
        'for aggregateFromKubeServiceEndpoints',
    ],
  ],
  [
    'refuses an unknown aggregation and format',
    { metadata: { ...valid, aggregationType: 'median', format: 'toml' } },
    [
      'format must be one of prometheus, json, xml, yaml and not "toml"',
      'aggregationType must be one of average, sum, max, min and not "median"',
    ],
  ],
]);

describe('trigger metrics-api', () => {
  const servers: WebServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const start = async (listener: RequestListener): Promise<string> => {
    const server = await serve(listener);
    servers.push(server);
    return server.url;
  };
  const read = async (text: string, metadata: Record<string, string>, status = 200) => {
    const url = await start((_, response) => response.writeHead(status).end(text));
    const answer = await readTrigger(metricsApi, {
      metadata: { ...valid, url: `${url}/stats`, ...metadata },
    });
    return typeof answer === 'string' ? answer.replace(url, 'http://api') : answer;
  };

  const VALUES: readonly (readonly [string, string, string, number])[] = [
    ['json', '{"a":{"b":7}}', 'a.b', 7],
    ['yaml', 'a:\n  b: 7.5', 'a.b', 7.5],
    ['xml', '<a><b>8</b></a>', 'a.b', 8],
    ['prometheus', 'a{c="d"} 9\n', 'a{c="d"}', 9],
  ];
  for (const [format, text, valueLocation, value] of VALUES) {
    it(`reads ${format}`, async () => {
      const metadata = { format, valueLocation, activationTargetValue: '7' };
      expect(await read(text, metadata)).to.deep.equal({ value, isActive: value > 7 });
    });
  }

  const FAILURES: readonly (readonly [string, number, string])[] = [
    ['{"a":{"b":7}}', 201, 'http://api/stats answers with HTTP status 201, and not with 200'],
    [
      '{"message":"no such page"}',
      404,
      'http://api/stats answers with HTTP status 404: no such page (check the address)',
    ],
    ['', 200, 'http://api/stats: the answer is not JSON'],
    [
      '{"a":{}}',
      200,
      'http://api/stats: the answer has nothing at a.b, where a number or a quantity is needed',
    ],
  ];
  for (const [text, status, message] of FAILURES) {
    it(`fails with ${status} and ${text}`, async () => {
      expect(await read(text, {}, status)).to.equal(message);
    });
  }

  describe('with the endpoints of a Service', () => {
    /** Endpoint 127.0.0.n answers n, with status 500 where n is in `failing`. */
    const readAll = (aggregationType: string, count: number, failing: readonly number[] = []) =>
      readTrigger(
        metricsApi,
        {
          metadata: {
            ...valid,
            url: 'http://api.shop.svc:8080/stats?token=secret',
            aggregateFromKubeServiceEndpoints: 'true',
            aggregationType,
          },
        },
        {
          http: {
            ...realHttp,
            async request({ hostname, port, pathname, search }) {
              expect([port, pathname, search]).to.deep.equal(['8080', '/stats', '']);
              const value = Number(hostname.split('.')[3]);
              const status = failing.includes(value) ? 500 : 200;
              return { status, headers: {}, text: `{"a":{"b":${value}}}` };
            },
          },
          cluster: {
            pods: async () => [],
            data: async () => undefined,
            endpoints: async (namespace, service) =>
              namespace === 'shop' && service === 'api'
                ? Array.from({ length: count }, (_, i) => `127.0.0.${i + 1}`)
                : [],
          },
        },
      );

    for (const [aggregationType, value] of Object.entries({
      average: 3,
      sum: 18,
      max: 6,
      min: 1,
    })) {
      it(`gives the ${aggregationType} of those that answer`, async () => {
        const reading = await readAll(
          aggregationType,
          7,
          aggregationType === 'average' ? [6, 7] : [3, 7],
        );
        expect(reading).to.deep.equal({ value, isActive: true });
      });
    }

    it('fails where none answers', async () => {
      expect(await readAll('sum', 1, [1])).to.equal(
        'no endpoint of Service api in namespace shop answers: ' +
          'http://127.0.0.1:8080/stats answers with HTTP status 500',
      );
    });

    it('fails where the Service has none', async () => {
      expect(await readAll('sum', 0)).to.equal(
        'Service api in namespace shop has no ready endpoints',
      );
    });
  });
});
