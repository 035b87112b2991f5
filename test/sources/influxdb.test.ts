import { expect } from 'chai';
import { influxdb } from '../../src/scaler/triggers/influxdb.ts';
import { readTrigger } from '../support/scaler/read-trigger.ts';
import { skipFor } from '../support/skip.ts';
import { type InfluxServer, startInflux, whyNoInflux } from '../support/sources/influxdb.ts';

describe('influxdb: a real server', () => {
  let server: InfluxServer;
  before(async function () {
    skipFor(whyNoInflux(), this);
    server = await startInflux();
    await server.write(
      'orders,shop=a waiting=5i,weight=1.5,note="late"',
      'orders,shop=b waiting=8i,weight=2.25,note="early"',
    );
  });
  after(() => server?.stop());

  const read = (query: string, authToken = server.token, metadata = {}) =>
    readTrigger(influxdb, {
      metadata: {
        ...{ serverURL: server.url, organizationName: 'shop', thresholdValue: '5' },
        ...{ query: `from(bucket: "shop/autogen") |> range(start: -1h) ${query}`, ...metadata },
      },
      authentication: { authToken },
    });
  const field = (name: string) => `|> filter(fn: (r) => r._field == "${name}")`;

  const VALUES: readonly (readonly [string, string, object])[] = [
    ['integers', `${field('waiting')} |> group() |> sum()`, { value: 13, isActive: true }],
    ['decimals', `${field('weight')} |> group() |> max()`, { value: 2.25, isActive: true }],
    [
      'the first of several series',
      `${field('waiting')} |> filter(fn: (r) => r.shop == "b") |> last()`,
      { value: 8, isActive: true },
    ],
    ['counts', `${field('waiting')} |> group() |> count()`, { value: 2, isActive: true }],
  ];
  for (const [title, query, reading] of VALUES) {
    it(`reads ${title}`, async () => {
      expect(await read(query)).to.deep.equal(reading);
    });
  }

  it('is inactive up to the activation threshold', async () => {
    const query = `${field('waiting')} |> group() |> sum()`;
    expect(await read(query, server.token, { activationThresholdValue: '13' })).to.deep.equal({
      value: 13,
      isActive: false,
    });
  });

  it('says that the query gives no record', async () => {
    expect(await read(field('none'))).to.match(
      /: the query gives no record: mend it, or its time range$/,
    );
  });

  it('says that a text is no number', async () => {
    expect(await read(`${field('note')} |> last()`)).to.match(
      /: the query gives a string in _value$/,
    );
  });

  it('says what is wrong with a query', async () => {
    expect(await read('|> nonsense()')).to.match(/nonsense/);
  });

  it('says that the token is wrong, and not what it is', async () => {
    expect(await read('', 'scaler:wrong'))
      .to.match(/answers with HTTP status 401: .*check the credentials/)
      .and.not.to.include('scaler:wrong');
  });
});
