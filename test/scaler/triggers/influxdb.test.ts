import { expect } from 'chai';
import { influxdb } from '../../../src/scaler/triggers/influxdb.ts';
import { readTrigger } from '../../support/scaler/read-trigger.ts';
import { describeTrigger } from '../../support/scaler/trigger-cases.ts';
import { serve, type WebServer } from '../../support/scaler/web-server.ts';

const flux = {
  serverURL: 'http://influx:8086',
  organizationName: 'shop',
  query: 'from(bucket: "b")',
  thresholdValue: '5',
};
const sql = {
  ...flux,
  influxVersion: '3',
  queryType: 'FlightSQL',
  database: 'db',
  metricKey: 'n',
};

describeTrigger(influxdb, [
  ['takes Flux', { metadata: flux }, { name: 'influxdb-shop', target: 5 }],
  ['takes SQL', { metadata: sql }, { name: 'influxdb-db' }],
  ['takes InfluxQL in any case', { metadata: { ...sql, queryType: 'influxql' } }, {}],
  [
    'takes the organization from the environment',
    {
      metadata: { ...flux, organizationName: '', organizationNameFromEnv: 'ORG' },
      environment: { ORG: 'env' },
    },
    { name: 'influxdb-env' },
  ],
  [
    'refuses a token in metadata, also beside a right one',
    { metadata: { ...flux, authToken: 'hunter2' }, authentication: { authToken: 'right' } },
    [
      'authToken may no longer stand in the metadata: ' +
        'give it in a TriggerAuthentication, or by authTokenFromEnv',
    ],
  ],
  [
    'needs a target and an organization',
    { metadata: { ...flux, organizationName: '', thresholdValue: '' } },
    [
      'thresholdValue must be more than 0 and not 0',
      'organizationName is missing: influxVersion 2 needs it',
    ],
  ],
  [
    'needs a database and a column in version 3',
    { metadata: { ...flux, influxVersion: '3', queryType: 'PromQL' } },
    [
      'database is missing: influxVersion 3 needs it',
      'metricKey is missing: influxVersion 3 needs it',
      'queryType must be InfluxQL or FlightSQL and not "PromQL"',
    ],
  ],
]);

/** As InfluxDB 2.7 answers, line ends and all. */
const csv = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const DATATYPE = (type: string) => `#datatype,string,long,dateTime:RFC3339,${type},string`;
const HEADER = ',result,table,_time,_value,host';
const record = (value: string, host = 'a') => `,_result,0,2026-11-22T10:00:00Z,${value},${host}`;

describe('trigger influxdb', () => {
  let server: WebServer;
  let answer: readonly [status: number, text: string];
  let asked: unknown;
  before(async () => {
    server = await serve(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      const { method, url, headers } = request;
      const { authorization } = headers;
      asked = { method, url, authorization, body: JSON.parse(Buffer.concat(pieces).toString()) };
      response.writeHead(answer[0]).end(answer[1]);
    });
  });
  after(() => server.close());
  const read = async (metadata: Readonly<Record<string, string>>, status: number, text: string) => {
    answer = [status, text];
    const given = {
      metadata: { ...metadata, serverURL: server.url },
      authentication: { authToken: 'hunter2' },
    };
    const outcome = await readTrigger(influxdb, given);
    return typeof outcome === 'string' ? outcome.replace(server.url, 'http://influx') : outcome;
  };

  it('asks version 2 in Flux', async () => {
    await read(flux, 200, csv(DATATYPE('long'), HEADER, record('1')));
    expect(asked).to.deep.equal({
      method: 'POST',
      url: '/api/v2/query?org=shop',
      authorization: 'Token hunter2',
      body: {
        type: 'flux',
        query: 'from(bucket: "b")',
        dialect: { header: true, annotations: ['datatype'] },
      },
    });
  });

  for (const [queryType, path] of [
    ['FlightSQL', '/api/v3/query_sql'],
    ['InfluxQL', '/api/v3/query_influxql'],
  ] as const) {
    it(`asks version 3 in ${queryType}`, async () => {
      await read({ ...sql, queryType }, 200, '[]');
      expect(asked).to.deep.equal({
        method: 'POST',
        url: path,
        authorization: 'Bearer hunter2',
        body: { db: 'db', q: 'from(bucket: "b")', format: 'json' },
      });
    });
  }

  const VALUES: readonly (readonly [string, object, string, object])[] = [
    [
      'the first record',
      flux,
      csv(DATATYPE('long'), HEADER, record('7', '"a, ""b""\r\nc"'), record('8')),
      { value: 7, isActive: true },
    ],
    [
      'decimals',
      { ...flux, activationThresholdValue: '1.5' },
      csv(DATATYPE('double'), HEADER, record('1.5')),
      { value: 1.5, isActive: false },
    ],
    ['the last row', sql, '[{"n":1},{"n":2.5}]', { value: 2.5, isActive: true }],
    ['no rows', sql, '[]', { value: 0, isActive: false, isEmpty: true }],
  ];
  for (const [title, metadata, text, reading] of VALUES) {
    it(`reads ${title}`, async () => {
      expect(await read({ ...(metadata as typeof flux) }, 200, text)).to.deep.equal(reading);
    });
  }

  const V2 = 'http://influx/api/v2/query';
  const V3 = 'http://influx/api/v3/query_sql';
  const FAILURES: readonly (readonly [string, object, number, string, string])[] = [
    [
      'no record',
      flux,
      200,
      csv(''),
      `${V2}: the query gives no record: mend it, or its time range`,
    ],
    [
      'text',
      flux,
      200,
      csv(DATATYPE('string'), HEADER, record('7')),
      `${V2}: the query gives a string in _value`,
    ],
    [
      'an empty value',
      flux,
      200,
      csv(DATATYPE('double'), HEADER, record('')),
      `${V2}: the query gives nothing`,
    ],
    [
      'another column',
      flux,
      200,
      csv('#datatype,string,long', ',result,table', ',_result,0'),
      `${V2}: the query gives no column _value`,
    ],
    [
      'an error within the answer',
      flux,
      200,
      csv('#datatype,string,string', ',error,reference', ',"unbounded read, sorry",897'),
      `${V2} answers unbounded read, sorry`,
    ],
    [
      'a token that is refused',
      flux,
      401,
      '{"code":"unauthorized","message":"unauthorized: hunter2"}',
      `${V2} answers with HTTP status 401: unauthorized: *** ` +
        '(check the credentials of its TriggerAuthentication)',
    ],
    [
      'another column in version 3',
      sql,
      200,
      '[{"a":1,"b":2}]',
      `${V3}: the rows have no column n (metricKey), but a, b`,
    ],
    ['text in version 3', sql, 200, '[{"n":"1"}]', `${V3}: the query gives no number in n`],
    ['no rows at all', sql, 200, '{"n":1}', `${V3} answers with something else than rows`],
    [
      'a wrong query',
      sql,
      400,
      '{"error":"SQL error: no table"}',
      `${V3} answers with HTTP status 400: SQL error: no table`,
    ],
  ];
  for (const [title, metadata, status, text, message] of FAILURES) {
    it(`fails with ${title}`, async () => {
      expect(await read({ ...(metadata as typeof flux) }, status, text)).to.equal(message);
    });
  }
});
