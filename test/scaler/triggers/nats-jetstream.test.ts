import { expect } from 'chai';
import { natsJetstream } from '../../../src/scaler/triggers/nats-jetstream.ts';
import { openTrigger } from '../../support/scaler/configure-trigger.ts';
import { readTrigger, realHttp } from '../../support/scaler/read-trigger.ts';
import { describeTrigger, messageOf } from '../../support/scaler/trigger-cases.ts';

const valid = {
  natsServerMonitoringEndpoint: 'nats:8222',
  account: '$G',
  stream: 'orders',
  consumer: 'worker',
};

describeTrigger(natsJetstream, [
  ['has a target of its own', { metadata: valid }, { name: 'nats-jetstream-orders', target: 10 }],
  [
    'takes the ID of the account alone, from the authentication',
    { metadata: { ...valid, account: '' }, authentication: { accountID: 'A1' } },
    {},
  ],
  [
    'needs an account',
    { metadata: { ...valid, account: '' } },
    ['account is missing: give account or accountID'],
  ],
  [
    'refuses a URL',
    { metadata: { ...valid, natsServerMonitoringEndpoint: 'http://nats:8222' } },
    ['natsServerMonitoringEndpoint must be host:port and not "http://nats:8222"'],
  ],
  [
    'refuses part of a message',
    { metadata: { ...valid, lagThreshold: '2.5' } },
    ['lagThreshold must be an integer and not "2.5"'],
  ],
]);

interface Server {
  readonly name: string;
  /** Who leads the consumer, and what this server believes of it. */
  leader?: string;
  pending?: number;
  isDown?: boolean;
}

/** Who answers at each host, in turn where it is several; all answer as NATS 2.9 does, as far as it is read. */
function cluster(
  hosts: Readonly<Record<string, Server | Server[]>>,
  advertised: Readonly<Record<string, unknown>> = {
    connect_urls: Object.keys(hosts).map((host) => `${host}:4222`),
  },
) {
  const asked: string[] = [];
  const serverAt = (host: string): Server | undefined => {
    const at = hosts[host];
    if (!Array.isArray(at)) return at;
    const next = at.shift();
    if (next !== undefined) at.push(next);
    return next;
  };
  return {
    asked,
    http: {
      ...realHttp,
      async request({ host, hostname, pathname }: URL) {
        asked.push(`${hostname}${pathname}`);
        const server = serverAt(hostname);
        if (server === undefined || server.isDown) throw new Error(`${host} is down`);
        const details = { server_name: server.name, server_id: idOf(server), ...advertised };
        const size = Object.keys(hosts).length;
        const answer = pathname === '/varz' ? details : monitoring(server, size);
        return { status: 200, headers: {}, text: JSON.stringify(answer) };
      },
    },
  };
}

const idOf = ({ name }: Server) => `ID of ${name}`;

function monitoring(server: Server, size: number): object {
  const { leader, pending } = server;
  const consumer = {
    name: 'worker',
    num_pending: pending,
    num_ack_pending: 1,
    cluster: { leader },
  };
  const streams = pending === undefined ? [] : [{ name: 'orders', consumer_detail: [consumer] }];
  return {
    server_id: idOf(server),
    meta_cluster: { cluster_size: size },
    account_details: [{ name: '$G', id: '$G', stream_detail: streams }],
  };
}

describe('trigger nats-jetstream', () => {
  const read = (http: typeof realHttp, metadata: Record<string, string> = {}) =>
    readTrigger(natsJetstream, { metadata: { ...valid, ...metadata } }, { http });

  it('adds what is pending and what is not acknowledged', async () => {
    const { http } = cluster({ nats: { name: 'n1', pending: 4 } });
    expect(await read(http)).to.deep.equal({ value: 5, isActive: true });
    expect(await read(http, { activationLagThreshold: '5' })).to.include({ isActive: false });
  });

  it('asks over TLS where it is told to', async () => {
    const urls: string[] = [];
    const http = {
      ...realHttp,
      request: async (url: URL) => {
        urls.push(url.href);
        return {
          status: 200,
          headers: {},
          text: JSON.stringify(monitoring({ name: 'n', pending: 1 }, 1)),
        };
      },
    };
    await read(http, { useHttps: 'true' });
    expect(urls).to.deep.equal(['https://nats:8222/jsz?acc=%24G&config=true&consumers=true']);
  });

  it('finds the leader of a cluster, remembers it, and finds the next', async () => {
    const servers: Record<string, Server> = {
      nats: { name: 'n1', leader: 'n3', pending: 90 },
      'nats-1': { name: 'n2', isDown: true },
      'nats-2': { name: 'n3', leader: 'n3', pending: 7 },
    };
    const { http, asked } = cluster(servers);
    const gauge = await openTrigger(natsJetstream, { metadata: valid }, { http });
    const value = async () => (await gauge.read(new AbortController().signal, '')).value;
    expect(await value()).to.equal(8);
    asked.splice(0);
    expect(await value()).to.equal(8);
    expect(asked).to.deep.equal(['nats-2/jsz']);
    for (const server of Object.values(servers)) server.leader = 'n2';
    servers['nats-1'] = { name: 'n2', leader: 'n2', pending: 3 };
    expect(await value()).to.equal(4);
  });

  it('finds pods behind a headless service by their names, where they advertise no addresses', async () => {
    const { http } = cluster(
      {
        nats: { name: 'nats-0', leader: 'nats-1', pending: 90 },
        'nats-1.nats': { name: 'nats-1', leader: 'nats-1', pending: 7 },
      },
      { cluster: { urls: ['nats-0.nats-headless:6222', 'nats-1.nats-headless:6222'] } },
    );
    expect(await read(http)).to.include({ value: 8 });
  });

  it('is not misled by an address that stands for several servers', async () => {
    const follower = { name: 'n1', leader: 'n2', pending: 90 };
    const leader = { name: 'n2', leader: 'n2', pending: 7 };
    const connect_urls = ['pod-1:4222', 'pod-2:4222'];
    // Of three requests the first and the third come to the follower, the second to the leader.
    const shared = [follower, leader, follower, leader, follower, leader];
    const { http } = cluster(
      { nats: shared, 'pod-1': follower, 'pod-2': leader },
      { connect_urls },
    );
    const gauge = await openTrigger(natsJetstream, { metadata: valid }, { http });
    for (let i = 0; i < 3; i++) {
      expect(await gauge.read(new AbortController().signal, '')).to.include({ value: 8 });
    }
  });

  it('fails where no server leads the consumer, with the reasons', async () => {
    const { http } = cluster({ nats: { name: 'n1' }, 'nats-1': { name: 'n2', isDown: true } });
    expect(await read(http)).to.equal(
      'no server of the cluster leads consumer worker of stream orders in account $G: ' +
        'check these names; nats-1:8222 is down',
    );
  });

  const FAILURES: readonly (readonly [Record<string, string>, string])[] = [
    [{ account: 'other' }, 'NATS at http://nats:8222 has no account other'],
    [{ stream: 'other' }, 'NATS at http://nats:8222 has no stream other in account $G'],
    [{ consumer: 'other' }, 'stream orders of NATS at http://nats:8222 has no consumer other'],
  ];
  for (const [metadata, message] of FAILURES) {
    it(`fails with ${JSON.stringify(metadata)}`, async () => {
      const { http } = cluster({ nats: { name: 'n1', pending: 1 } });
      expect(await read(http, metadata)).to.equal(message);
    });
  }

  it('fails where NATS does not answer as it should', async () => {
    const answering = (status: number, text: string) => ({
      ...realHttp,
      request: async () => ({ status, headers: {}, text }),
    });
    expect(await read(answering(503, ''))).to.equal(
      'http://nats:8222/jsz answers with HTTP status 503',
    );
    expect(await read(answering(200, 'x'))).to.contain('something else than JSON');
    expect(await read(answering(200, 'null'))).to.contain('has no account $G');
    const { http } = cluster({ nats: { name: 'n1', pending: Number.NaN } });
    expect(
      await messageOf(read(http).then((text) => Promise.reject(new Error(`${text}`)))),
    ).to.equal('NATS tells no numbers of consumer worker');
  });
});
