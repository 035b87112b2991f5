import { expect } from 'chai';
import { postgresql } from '../../../src/scaler/triggers/postgresql.ts';
import { parsePostgresqlDsn } from '../../../src/scaler/triggers/support/postgresql-dsn.ts';
import { freePort } from '../../support/free-port.ts';
import { openTrigger } from '../../support/scaler/configure-trigger.ts';
import { describeTrigger, messageOf } from '../../support/scaler/trigger-cases.ts';

const asked = { query: 'SELECT 1', targetQueryValue: '5' };
const parts = { host: 'db', port: '5432', userName: 'app', dbName: 'shop', sslmode: 'require' };

describeTrigger(postgresql, [
  ['takes parts', { metadata: { ...asked, ...parts } }, { name: 'postgresql', target: 5 }],
  [
    'takes a URL from authentication',
    { metadata: asked, authentication: { connection: 'postgres://app:pw@db/shop' } },
    { target: 5 },
  ],
  [
    'takes a URL from the environment',
    { metadata: { ...asked, connectionFromEnv: 'DSN' }, environment: { DSN: 'user=a host=b' } },
    { target: 5 },
  ],
  [
    'takes a password from the environment',
    {
      metadata: { ...asked, ...parts, passwordFromEnv: 'PGPASSWORD' },
      environment: { PGPASSWORD: 'pw' },
    },
    { target: 5 },
  ],
  [
    'needs no target in a formula',
    { metadata: { query: 'SELECT 1', ...parts }, context: { isMember: true } },
    { target: 0 },
  ],
  [
    'needs a query',
    { metadata: { targetQueryValue: '5', ...parts } },
    ["query is missing: give query in the trigger's metadata"],
  ],
  [
    'needs a target',
    { metadata: { query: 'SELECT 1', ...parts } },
    ['targetQueryValue is missing: give what one replica should carry'],
  ],
  [
    'refuses a target of 0',
    { metadata: { ...asked, ...parts, targetQueryValue: '0' } },
    ['targetQueryValue must be more than 0 and not 0'],
  ],
  [
    'tells every part that is missing',
    { metadata: { ...asked, host: 'db', port: '5432' } },
    ['userName', 'dbName', 'sslmode'].map(
      (name) => `${name} is missing: give it, or connection in its place`,
    ),
  ],
  [
    'knows the modes of TLS',
    { metadata: { ...asked, ...parts, sslmode: 'always' } },
    [
      'the address has sslmode always: give disable, allow, prefer, require, verify-ca, verify-full',
    ],
  ],
  [
    'wants a port',
    { metadata: { ...asked, ...parts, port: '70000' } },
    ['the address has port 70000: give a number from 1 to 65535'],
  ],
  [
    'does not quote a connection that cannot be read',
    { metadata: asked, authentication: { connection: 'host=db password=hunter2 user' } },
    ['connection must be a postgresql:// URL, or key=value pairs with blanks between'],
  ],
  [
    'refuses an identity that it cannot use',
    { metadata: { ...asked, ...parts }, context: { podIdentity: 'azure-workload' } },
    ['podIdentity azure-workload is not supported yet: give password, or connection'],
  ],
]);

describe('parsePostgresqlDsn', () => {
  const CASES: readonly (readonly [string, object])[] = [
    [
      'postgresql://app:p%40ss@db.example:6432/shop?sslmode=verify-full&application_name=x',
      {
        hosts: [{ host: 'db.example', port: 6432 }],
        user: 'app',
        password: 'p@ss',
        database: 'shop',
        sslMode: 'verify-full',
        applicationName: 'x',
        settings: {},
      },
    ],
    ['postgres://app:a@b@db/shop', { password: 'a@b', hosts: [{ host: 'db', port: 5432 }] }],
    [
      'postgres://app@a:1,[::1]:2,c/x',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: '::1', port: 2 },
          { host: 'c', port: 5432 },
        ],
      },
    ],
    ['host=db user=app', { sslMode: 'prefer', database: undefined, password: undefined }],
    [
      String.raw`host = db user='my app' password='it\'s \\ here' dbname=shop port=1`,
      { user: 'my app', password: String.raw`it's \ here`, hosts: [{ host: 'db', port: 1 }] },
    ],
    [String.raw`host=db user=a\ b password=`, { user: 'a b', password: undefined }],
    [
      'host=a,b port=1,2 user=x',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
      },
    ],
    ['host=a user=x search_path=jobs', { settings: { search_path: 'jobs' } }],
    ['host=a user=x connect_timeout=3', { connectTimeoutMs: 3000 }],
    ['host=a user=x sslmode=verify-ca sslrootcert=/ca.pem', { sslFiles: { ca: '/ca.pem' } }],
  ];
  for (const [text, expected] of CASES) {
    it(`reads ${text}`, () => {
      expect(parsePostgresqlDsn(text)).to.deep.include(expected);
    });
  }

  const WRONG = [
    ['user=x', /names no host/],
    ['host=x', /names no user/],
    ["host=x user='open", /must be a postgresql/],
    ['host=x user=y target_session_attrs=read-write', /not supported yet/],
    ['host=a,b,c port=1,2 user=x', /number of ports/],
    ['postgres://x:%zz@h/d', /write %25/],
  ] as const;
  for (const [text, message] of WRONG) {
    it(`refuses ${text}`, () => {
      expect(() => parsePostgresqlDsn(text)).to.throw(RangeError, message);
    });
  }
});

describe('postgresql without a server', () => {
  it('says where nothing listens, and not the password', async () => {
    const port = await freePort();
    const opening = openTrigger(postgresql, {
      metadata: asked,
      authentication: { connection: `postgres://app:hunter2@127.0.0.1:${port}/shop` },
    });
    expect(await messageOf(opening))
      .to.match(/^PostgreSQL at 127\.0\.0\.1:\d+: .*nothing listens there/)
      .and.not.contain('hunter2');
  });
});
