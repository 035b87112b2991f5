import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { graphite } from '../../src/scaler/triggers/graphite.ts';
import { readTrigger } from '../support/scaler/read-trigger.ts';
import { skipFor } from '../support/skip.ts';
import { type GraphiteServer, startGraphite } from '../support/sources/graphite.ts';
import { whyNot } from '../support/sources/server.ts';

describe('graphite: a real server', () => {
  let server: GraphiteServer;
  before(async function () {
    const reason =
      whyNot(['/usr/bin/carbon-cache'], 'graphite-carbon') ??
      whyNot(['/usr/bin/graphite-manage'], 'graphite-web');
    skipFor(reason, this);
    server = await startGraphite();
    await server.send('shop.orders', [5, 6, 7]);
    await server.send('shop.mails', [1, 2, 3.5]);
    while (!((await hasValue('shop.orders', 7)) && (await hasValue('shop.mails', 3.5)))) {
      await delay(100);
    }
  });
  after(() => server?.stop());

  const read = (query: string) =>
    readTrigger(graphite, {
      metadata: { serverAddress: server.url, query, queryTime: '-2Minutes' },
    });
  /** Carbon takes a moment. */
  const hasValue = async (query: string, value: number) => {
    const reading = await read(query);
    return typeof reading !== 'string' && reading.value === value;
  };

  const VALUES: readonly (readonly [string, object])[] = [
    ['shop.mails', { value: 3.5, isActive: true }],
    ['sumSeries(shop.{orders,mails})', { value: 10.5, isActive: true }],
    ['shop.none', { value: 0, isActive: false, isEmpty: true }],
  ];
  for (const [query, reading] of VALUES) {
    it(`reads ${query}`, async () => {
      expect(await read(query)).to.deep.equal(reading);
    });
  }

  it('fails with several series', async () => {
    expect(await read('shop.*')).to.match(/gives 2 series: aggregate them/);
  });
});
