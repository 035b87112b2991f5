import { expect } from 'chai';
import { mysql } from '../../../src/scaler/triggers/mysql.ts';
import { parseMysqlDsn } from '../../../src/scaler/triggers/support/mysql-dsn.ts';
import { freePort } from '../../support/free-port.ts';
import { configureTrigger, openTrigger } from '../../support/scaler/configure-trigger.ts';
import { describeTrigger, messageOf } from '../../support/scaler/trigger-cases.ts';

const asked = { query: 'SELECT 1', queryValue: '5' };
const parts = { host: 'db', port: '3306', username: 'app', dbName: 'shop' };
const dsn = (connectionString: string) => ({
  metadata: asked,
  authentication: { connectionString },
});

describeTrigger(mysql, [
  ['takes parts', { metadata: { ...asked, ...parts } }, { name: 'mysql-shop', target: 5 }],
  [
    'names the metric after the end of the DSN',
    dsn('a:b@tcp(db:1)/shop?tls=true'),
    { name: 'mysql-shop?tls=true' },
  ],
  [
    'prefers the DSN to parts',
    { ...dsn('a:b@/x'), metadata: { ...asked, ...parts } },
    { name: 'mysql-x' },
  ],
  [
    'needs a target even in a formula',
    { metadata: { query: 'SELECT 1', ...parts }, context: { isMember: true } },
    ["queryValue is missing: give queryValue in the trigger's metadata"],
  ],
  [
    'refuses a target of 0',
    { metadata: { ...asked, ...parts, queryValue: '0' } },
    ['queryValue must be more than 0 and not 0'],
  ],
  [
    'tells every part that is missing',
    { metadata: asked },
    ['host', 'port', 'username', 'dbName'].map(
      (name) => `${name} is missing: give it, or connectionString in its place`,
    ),
  ],
  [
    'does not quote a DSN that cannot be read',
    dsn('app:hunter2@tcp(db:3306)'),
    ['connectionString has no /: write user:password@tcp(host:port)/database'],
  ],
]);

describe('mysql', () => {
  it('tells that metricName has no effect', () => {
    const { notices } = configureTrigger(mysql, {
      metadata: { ...asked, ...parts, metricName: 'x' },
    });
    expect(notices).to.deep.equal([
      'metricName is deprecated: leave it out, the metric is named after the database',
    ]);
  });

  it('says where nothing listens, and not the password', async () => {
    const port = await freePort();
    const opening = openTrigger(mysql, dsn(`app:hunter2@tcp(127.0.0.1:${port})/shop`));
    expect(await messageOf(opening))
      .to.match(/^MySQL at 127\.0\.0\.1:\d+: .*nothing listens there/)
      .and.not.contain('hunter2');
  });
});

describe('parseMysqlDsn', () => {
  const CASES: readonly (readonly [string, object])[] = [
    [
      'app:p@ss/w:rd@tcp(db:3307)/shop',
      {
        user: 'app',
        password: 'p@ss/w:rd',
        endpoint: { host: 'db', port: 3307 },
        database: 'shop',
        tls: 'false',
      },
    ],
    ['/shop', { user: '', password: '', endpoint: { host: '127.0.0.1', port: 3306 } }],
    ['app@tcp(db)/x', { endpoint: { host: 'db', port: 3306 } }],
    ['app@tcp([::1]:1)/x', { endpoint: { host: '::1', port: 1 } }],
    ['app@unix(/run/m.sock)/x', { endpoint: { path: '/run/m.sock' } }],
    [
      'a@/x?tls=skip-verify&timeout=2s&readTimeout=500ms',
      { tls: 'skip-verify', connectTimeoutMs: 2000, readTimeoutMs: 500 },
    ],
    ['a@/x?parseTime=true&time_zone=%27UTC%27', { variables: { time_zone: "'UTC'" } }],
    ['a@/x?allowCleartextPasswords=true', { allowsCleartext: true }],
  ];
  for (const [text, expected] of CASES) {
    it(`reads ${text}`, () => {
      expect(parseMysqlDsn(text)).to.deep.include(expected);
    });
  }

  const WRONG = [
    ['a@/x?tls=mine', /tls=mine/],
    ['a@udp(h:1)/x', /only tcp and unix/],
    ['a@tcp(h:1/x', /cannot be read/],
    ['a@/x?timeout=fast', /give a duration/],
    ['a@/x?b%20c=1', /no system variable/],
  ] as const;
  for (const [text, message] of WRONG) {
    it(`refuses ${text}`, () => {
      expect(() => parseMysqlDsn(text)).to.throw(RangeError, message);
    });
  }
});
