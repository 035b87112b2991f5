import { expect } from 'chai';
import type { HttpAnswer, HttpRequest } from '../../../src/scaler/trigger.ts';
import { rabbitmq } from '../../../src/scaler/triggers/rabbitmq.ts';
import { freePort } from '../../support/free-port.ts';
import { openTrigger } from '../../support/scaler/configure-trigger.ts';
import { describeTrigger, messageOf } from '../../support/scaler/trigger-cases.ts';

const queue = { queueName: 'jobs' };
const amqp = { ...queue, host: 'amqp://app:hunter2@rabbit/shop' };
const http = {
  ...queue,
  host: 'http://app:hunter2@rabbit:15672/shop',
  mode: 'MessageRate',
  value: '5',
};
const needsHttp = 'needs a host that begins with http:// or https://';

describeTrigger(rabbitmq, [
  [
    'counts 20 messages where nothing is said',
    { metadata: amqp },
    { name: 'rabbitmq-jobs', target: 20 },
  ],
  ['takes the old form', { metadata: { ...amqp, queueLength: '7' } }, { target: 7 }],
  ['takes mode and value', { metadata: http }, { target: 5 }],
  [
    'takes the host from authentication',
    { metadata: queue, authentication: { host: 'amqps://r' } },
    { target: 20 },
  ],
  [
    'takes the host from the environment',
    { metadata: { ...queue, hostFromEnv: 'H' }, environment: { H: 'amqp://r' } },
    { target: 20 },
  ],
  [
    'escapes the name of the queue',
    { metadata: { ...amqp, queueName: 'my jobs/*' } },
    { name: 'rabbitmq-my+jobs%2F%2A' },
  ],
  [
    'needs no value in a formula',
    { metadata: { ...http, value: '0' }, context: { isMember: true } },
    { target: 0 },
  ],
  [
    'refuses both forms',
    { metadata: { ...amqp, queueLength: '7', value: '5' } },
    ['queueLength is the old form of mode QueueLength and its value: give mode and value alone'],
  ],
  [
    'needs a mode for a value',
    { metadata: { ...amqp, value: '5' } },
    ['mode is missing: give it with value'],
  ],
  [
    'needs a value for a mode',
    { metadata: { ...amqp, mode: 'QueueLength' } },
    ['value is missing: give what one replica should carry'],
  ],
  [
    'takes a value of 0 for missing',
    { metadata: { ...http, value: '0' } },
    ['value must be more than 0 and not 0'],
  ],
  [
    'wants http for rates',
    { metadata: { ...http, host: amqp.host } },
    [`mode MessageRate ${needsHttp}`],
  ],
  [
    'wants http for expressions',
    { metadata: { ...amqp, useRegex: 'true' } },
    [`useRegex ${needsHttp}`],
  ],
  [
    'wants http for timeouts',
    { metadata: { ...amqp, mode: 'QueueLength', value: '1', timeout: '1s' } },
    [`timeout ${needsHttp}`],
  ],
  [
    'wants a URL, and does not quote it',
    { metadata: { ...queue, host: 'app:hunter2@rabbit' } },
    ['host must be a URL that begins with amqp://, amqps://, http:// or https://'],
  ],
  [
    'wants a protocol that fits',
    { metadata: { ...amqp, protocol: 'http' } },
    ['protocol http does not fit a host that begins with amqp://'],
  ],
  [
    'wants a URL that can be read',
    { metadata: { ...queue, host: 'amqp://a:%zz@r' } },
    ['host has a % in user or password that escapes nothing: write %25 for the sign itself'],
  ],
  [
    'wants user and password',
    { metadata: amqp, authentication: { username: 'app' } },
    ['username is given without password: give both'],
  ],
  [
    'wants cert and key',
    { metadata: amqp, authentication: { key: 'k' } },
    ['key is given without cert: give both'],
  ],
  [
    'wants amqps for TLS',
    { metadata: amqp, authentication: { tls: 'enable' } },
    ['tls enable needs a host that begins with amqps://'],
  ],
  [
    'wants all of OAuth',
    { metadata: http, authentication: { clientID: 'c', clientSecret: 's' } },
    ['oauthTokenURI is missing: OAuth needs oauthTokenURI, clientID and clientSecret'],
  ],
  [
    'wants a page',
    { metadata: { ...http, pageSize: '0' } },
    ['pageSize must be at least 1 and not "0"'],
  ],
  [
    'wants an operation',
    { metadata: { ...http, operation: 'min' } },
    ['operation must be one of sum, avg, max and not "min"'],
  ],
  [
    'refuses an identity that it cannot use',
    { metadata: http, authentication: { workloadIdentityResource: 'r' } },
    ['workloadIdentityResource is not supported yet: give username and password'],
  ],
]);

interface Asked {
  readonly url: URL;
  readonly request: HttpRequest;
}

/** Reads a queue of a server that answers as told, and gives what it was asked. */
async function read(
  metadata: Readonly<Record<string, string>>,
  answers: readonly (Partial<Omit<HttpAnswer, 'text'>> & { readonly json: unknown })[],
  authentication: Readonly<Record<string, string>> = {},
) {
  const asked: Asked[] = [];
  const gauge = await openTrigger(
    rabbitmq,
    { metadata: { ...http, ...metadata }, authentication },
    {
      http: {
        async request(url, request) {
          const { json, ...answer } = answers[asked.length] ?? { json: null };
          asked.push({ url, request });
          return { status: 200, headers: {}, text: JSON.stringify(json), ...answer };
        },
        lines: () => {
          throw new Error('a stream was not expected');
        },
      },
    },
  );
  const reading = () => gauge.read(AbortSignal.timeout(60_000), '');
  return { asked, reading };
}

const numbers = (messages: number, publish?: number, deliver?: number) => ({
  messages,
  messages_ready: messages - 1,
  ...(publish !== undefined && {
    message_stats: { publish_details: { rate: publish }, deliver_get_details: { rate: deliver } },
  }),
});

describe('rabbitmq over http', () => {
  const MODES: readonly (readonly [string, object, number, boolean])[] = [
    ['QueueLength', numbers(3), 3, true],
    ['QueueLength', numbers(2), 2, false],
    ['MessageRate', numbers(0, 1.5, 9), 1.5, false],
    ['MessageRate', numbers(3, 1.5, 9), 1.5, true],
    ['MessageRate', numbers(0), 0, false],
    ['DeliverGetRate', numbers(0, 1, 2.5), 2.5, true],
    ['PublishedToDeliveredRatio', numbers(0, 5, 2), 2.5, true],
    ['PublishedToDeliveredRatio', numbers(0, 5, 0), 2, true],
    ['PublishedToDeliveredRatio', numbers(0, 0, 0), 0, false],
    ['ExpectedQueueConsumptionTime', numbers(0, 5, 0), 0, false],
    ['ExpectedQueueConsumptionTime', numbers(4, 5, 0), 2, true],
    ['ExpectedQueueConsumptionTime', numbers(4, 5, 2), 3.5, true],
  ];
  for (const [mode, json, value, isActive] of MODES) {
    it(`reads ${mode} of ${JSON.stringify(json)}`, async () => {
      const { reading } = await read({ mode, activationValue: '2' }, [{ json }]);
      expect(await reading()).to.deep.equal({ value, isActive });
    });
  }

  it('counts what is ready alone when told', async () => {
    const metadata = { mode: 'QueueLength', excludeUnacknowledged: 'true' };
    const { reading } = await read(metadata, [{ json: numbers(3) }]);
    expect(await reading()).to.include({ value: 2 });
  });

  const OPERATIONS = [
    ['sum', 7],
    ['avg', 3],
    ['max', 5],
  ] as const;
  for (const [operation, value] of OPERATIONS) {
    it(`takes the ${operation} of several queues`, async () => {
      const json = { page_count: 1, items: [numbers(2), numbers(5)] };
      const metadata = { mode: 'QueueLength', useRegex: 'true', operation };
      const { reading } = await read(metadata, [{ json }]);
      expect(await reading()).to.include({ value });
    });
  }

  it('says that no queue matches', async () => {
    const { reading } = await read({ useRegex: 'true' }, [{ json: { page_count: 0, items: [] } }]);
    expect(await reading()).to.deep.equal({ value: 0, isActive: false, isEmpty: true });
  });

  const URLS: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['the vhost of the URL', {}, 'http://rabbit:15672/api/queues/shop/jobs'],
    ['no vhost', { host: 'http://rabbit' }, 'http://rabbit/api/queues/%2F/jobs'],
    ['an escaped vhost', { host: 'http://rabbit/%2F' }, 'http://rabbit/api/queues/%2F/jobs'],
    [
      'a path before the vhost',
      { host: 'http://proxy/rabbit/' },
      'http://proxy/rabbit/api/queues/%2F/jobs',
    ],
    ['vhostName', { vhostName: 'a b' }, 'http://rabbit:15672/api/queues/a%20b/jobs'],
    ['a name to escape', { queueName: 'a/b' }, 'http://rabbit:15672/api/queues/shop/a%2Fb'],
    [
      'an expression',
      { queueName: '^a+', useRegex: 'true', pageSize: '7' },
      'http://rabbit:15672/api/queues/shop?page=1&use_regex=true&pagination=false&name=%5Ea%2B&page_size=7',
    ],
  ];
  for (const [title, metadata, url] of URLS) {
    it(`asks for ${title}`, async () => {
      const { asked, reading } = await read(metadata, []);
      await reading().catch(() => {});
      expect(asked[0]?.url.href).to.equal(url);
    });
  }

  it('logs in as the URL says, or as the authentication does', async () => {
    const header = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`;
    const byUrl = await read({}, [{ json: numbers(1) }]);
    await byUrl.reading();
    expect(byUrl.asked[0]?.request.headers?.['authorization']).to.equal(header('app:hunter2'));
    const given = await read({}, [{ json: numbers(1) }], { username: 'u', password: 'p' });
    await given.reading();
    expect(given.asked[0]?.request.headers?.['authorization']).to.equal(header('u:p'));
  });

  it('logs in by OAuth, and keeps the token', async () => {
    const json = numbers(1);
    const oauth = {
      oauthTokenURI: 'http://login/token',
      clientID: 'c',
      clientSecret: 's',
      scopes: 'a',
    };
    const host = 'http://rabbit/shop';
    const { asked, reading } = await read(
      { host },
      [{ json: { access_token: 't0ken', expires_in: 3600 } }, { json }, { json }],
      oauth,
    );
    await reading();
    await reading();
    expect(asked.map(({ url }) => url.host)).to.deep.equal(['login', 'rabbit', 'rabbit']);
    expect(asked[2]?.request.headers?.['authorization']).to.equal('Bearer t0ken');
  });

  const FAILURES: readonly (readonly [string, Readonly<Record<string, string>>, object, RegExp])[] =
    [
      [
        'a missing queue',
        {},
        { status: 404, json: { error: 'Object Not Found' } },
        /404: Object Not Found/,
      ],
      [
        'a refusal',
        {},
        { status: 401, json: { error: 'hunter2 is wrong' } },
        /401: \*\*\* is wrong/,
      ],
      ['no number', {}, { json: { name: 'jobs' } }, /does not tell the number of messages/],
      ['null', {}, { json: null }, /does not tell the number of messages/],
      ['no list', { useRegex: 'true' }, { json: {} }, /without a list of queues/],
      [
        'more than a page',
        { useRegex: 'true' },
        { json: { items: [], page_count: 2, filtered_count: 150 } },
        /matches 150 queues, and pageSize is 100: raise pageSize/,
      ],
    ];
  for (const [title, metadata, answer, message] of FAILURES) {
    it(`takes ${title} for an error and not for 0, and tells no password`, async () => {
      const { reading } = await read(metadata, [answer as { json: unknown }]);
      expect(await messageOf(reading()))
        .to.match(message)
        .and.not.contain('hunter2');
    });
  }
});

describe('rabbitmq over amqp', () => {
  it('says where nothing listens, and not the password', async () => {
    const host = `amqp://app:hunter2@127.0.0.1:${await freePort()}`;
    expect(await messageOf(openTrigger(rabbitmq, { metadata: { ...queue, host } })))
      .to.match(/^RabbitMQ at 127\.0\.0\.1:\d+: .*nothing listens there/)
      .and.not.contain('hunter2');
  });
});
