import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Gauge } from '../../src/scaler/trigger.ts';
import { natsJetstream } from '../../src/scaler/triggers/nats-jetstream.ts';
import { openTrigger } from '../support/scaler/configure-trigger.ts';
import { realHttp } from '../support/scaler/read-trigger.ts';
import { messageOf } from '../support/scaler/trigger-cases.ts';
import { skipFor } from '../support/skip.ts';
import { type NatsServers, startNats } from '../support/sources/nats.ts';
import { whyNot } from '../support/sources/server.ts';

for (const count of [1, 3]) {
  describe(`nats-jetstream: ${count} real servers`, () => {
    let servers: NatsServers;
    before(async function () {
      skipFor(whyNot(['nats-server'], 'nats-server'), this);
      servers = await startNats(count);
      await servers.fill(5);
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
    const read = async (gauge: Gauge) => gauge.read(AbortSignal.timeout(10_000), '');

    it('reads what the consumer has yet to acknowledge, at any server', async () => {
      for (const index of servers.monitoring.keys()) {
        expect(await read(await open({}, index))).to.deep.equal({ value: 5, isActive: true });
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
    await servers.fill(5);
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
    const signal = AbortSignal.timeout(60_000);
    for (const gauge of gauges) await gauge.read(signal, '');
    await servers.stopOne(2);
    const survivors = gauges.slice(0, 2);
    for (const gauge of survivors) {
      const reading = await eventually(() => gauge.read(signal, ''), signal);
      expect(reading).to.deep.equal({ value: 5, isActive: true });
    }
  });
});

/** While the servers elect a leader, there is none to ask. */
async function eventually<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      await delay(100);
      if (signal.aborted || !/no server of the cluster leads/.test(String(error))) throw error;
    }
  }
}
