import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Gauge, Reading } from '../../src/scaler/trigger.ts';
import { natsJetstream } from '../../src/scaler/triggers/nats-jetstream.ts';
import { openTrigger } from '../support/scaler/configure-trigger.ts';
import { realHttp } from '../support/scaler/read-trigger.ts';
import { messageOf } from '../support/scaler/trigger-cases.ts';
import { skipFor } from '../support/skip.ts';
import { type NatsServers, startNats } from '../support/sources/nats.ts';
import { whyNot } from '../support/sources/server.ts';

const MESSAGES = 5;

for (const count of [1, 3]) {
  describe(`nats-jetstream: ${count} real servers`, () => {
    let servers: NatsServers;
    before(async function () {
      skipFor(whyNot(['nats-server'], 'nats-server'), this);
      servers = await startNats(count);
      await servers.fill(MESSAGES);
    });
    after(() => servers?.stop());

    const open = (metadata: Record<string, string> = {}, index = 0): Promise<Gauge> =>
      openTrigger(
        natsJetstream,
        {
          metadata: {
            natsServerMonitoringEndpoint: servers.monitoring[index] ?? '',
            account: '$G',
            stream: 'orders',
            consumer: 'worker',
            ...metadata,
          },
        },
        { http: realHttp },
      );
    const read = async (gauge: Gauge) => gauge.read(AbortSignal.timeout(60_000), '');

    it('reads what the consumer has yet to acknowledge, at any server', async () => {
      for (const index of servers.monitoring.keys()) {
        const gauge = await open({}, index);
        expect(await settled(() => read(gauge))).to.deep.equal({ value: MESSAGES, isActive: true });
      }
    });

    it('fails where there is no such account, stream or consumer', async () => {
      for (const name of ['account', 'stream', 'consumer']) {
        const message = await messageOf(read(await open({ [name]: 'none' })));
        expect(message).to.match(
          count === 1 ? new RegExp(`has no ${name} none`) : /no server.*none/,
        );
      }
    });
  });
}

describe('nats-jetstream: a cluster that loses a server', () => {
  let servers: NatsServers;
  before(async function () {
    skipFor(whyNot(['nats-server'], 'nats-server'), this);
    servers = await startNats(3);
    await servers.fill(MESSAGES);
  });
  after(() => servers?.stop());

  it('reads from the next leader', async () => {
    const gauges = await Promise.all(
      servers.monitoring.map((endpoint) =>
        openTrigger(
          natsJetstream,
          {
            metadata: {
              natsServerMonitoringEndpoint: endpoint,
              account: '$G',
              stream: 'orders',
              consumer: 'worker',
            },
          },
          { http: realHttp },
        ),
      ),
    );
    const read = (gauge: Gauge) => gauge.read(AbortSignal.timeout(60_000), '');
    for (const gauge of gauges) await settled(() => read(gauge));
    await servers.stopOne(2);
    const survivors = gauges.slice(0, 2);
    for (const gauge of survivors) {
      const reading = await settled(() => read(gauge));
      expect(reading).to.deep.equal({ value: MESSAGES, isActive: true });
    }
  });
});

/** What is read once all messages have arrived; while the servers elect a leader, there is none to ask. */
async function settled(read: () => Promise<Reading>): Promise<Reading> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const reading = await read().catch((error: Error) => error);
    const isSettled = !(reading instanceof Error) && reading.value === MESSAGES;
    if (isSettled) return reading;
    if (performance.now() > deadline)
      throw new Error(`still ${JSON.stringify(reading)} ${reading}`);
    await delay(100);
  }
}
