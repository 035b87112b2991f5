import { expect } from 'chai';
import { graphite } from '../../../src/scaler/triggers/graphite.ts';
import { readTrigger } from '../../support/scaler/read-trigger.ts';
import { describeTrigger } from '../../support/scaler/trigger-cases.ts';
import { serve, type WebServer } from '../../support/scaler/web-server.ts';

const valid = { serverAddress: 'http://graphite', query: 'a.b', queryTime: '-10Minutes' };

describeTrigger(graphite, [
  ['has a target of its own', { metadata: valid }, { name: 'graphite', target: 100 }],
  [
    'needs to know since when',
    { metadata: { ...valid, queryTime: '' } },
    ["queryTime is missing: give queryTime in the trigger's metadata"],
  ],
  [
    'needs a user to log in',
    { metadata: { ...valid, authMode: 'basic' } },
    ['username is missing: authMode basic needs it in a TriggerAuthentication'],
  ],
  [
    'knows only one way to log in',
    { metadata: { ...valid, authMode: 'bearer' } },
    ['authMode must be one of basic and not "bearer"'],
  ],
]);

describe('trigger graphite', () => {
  let server: WebServer;
  let answer: readonly [status: number, text: string];
  let asked: readonly [url: string | undefined, authorization: string | undefined];
  before(async () => {
    server = await serve((request, response) => {
      asked = [request.url, request.headers.authorization];
      response.writeHead(answer[0]).end(answer[1]);
    });
  });
  after(() => server.close());
  const read = (text: string, status = 200, metadata: Record<string, string> = {}) => {
    answer = [status, text];
    return readTrigger(graphite, {
      metadata: { ...valid, ...metadata, serverAddress: server.url },
      authentication: { username: 'me', password: 'hunter2' },
    });
  };
  const series = (...values: readonly (number | null)[]) =>
    JSON.stringify([{ target: 'a.b', datapoints: values.map((value, i) => [value, 60 * i]) }]);

  it('asks the render API, and logs in only where it is told to', async () => {
    const query = 'sumSeries(a.{b,c})';
    await read(series(1), 200, { query });
    expect(asked).to.deep.equal([
      '/render?from=-10Minutes&target=sumSeries%28a.%7Bb%2Cc%7D%29&format=json',
      undefined,
    ]);
    await read(series(1), 200, { authMode: 'basic' });
    expect(asked[1]).to.equal(`Basic ${btoa('me:hunter2')}`);
  });

  const VALUES: readonly (readonly [string, string, object])[] = [
    ['the last point', series(1, 2, 3.5), { value: 3.5, isActive: true }],
    ['the last point that is there', series(4, null, 2, null), { value: 2, isActive: true }],
    ['no series', '[]', { value: 0, isActive: false, isEmpty: true }],
    ['no points', series(), { value: 0, isActive: false, isEmpty: true }],
  ];
  for (const [title, text, reading] of VALUES) {
    it(`reads ${title}`, async () => {
      expect(await read(text)).to.deep.equal(reading);
    });
  }

  const FAILURES: readonly (readonly [string, string, number, string])[] = [
    [
      'nothing but null',
      series(null, null),
      200,
      ': all points of the series are null: ' +
        'choose an earlier queryTime, or mend what sends to Graphite',
    ],
    [
      'several series',
      '[{"datapoints":[[1,1]]},{"datapoints":[[2,1]]}]',
      200,
      ': the query gives 2 series: aggregate them, for instance with sumSeries()',
    ],
    ['a page', '<html>', 200, ' answers with something else than JSON'],
    ['other JSON', '{}', 200, ' answers with something else than series'],
    [
      'a wrong query',
      'Invalid parameters',
      400,
      ' answers with HTTP status 400: Invalid parameters',
    ],
  ];
  for (const [title, text, status, message] of FAILURES) {
    it(`fails with ${title}`, async () => {
      expect(await read(text, status)).to.equal(`${server.url}/render${message}`);
    });
  }
});
