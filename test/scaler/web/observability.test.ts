import { expect } from 'chai';
import type { MeteredSource, ScaledResource } from '../../../src/scaler/web/metered.ts';
import { startObservability } from '../../../src/scaler/web/observability.ts';
import { ScalerMetrics } from '../../../src/scaler/web/scaler-metrics.ts';

const ORDERS: ScaledResource = { kind: 'scaledobject', namespace: 'shop', name: 'orders' };
const MAILS: ScaledResource = { kind: 'scaledjob', namespace: 'shop', name: 'mails' };
const QUEUE: MeteredSource = {
  resource: ORDERS,
  metric: 's0-rabbitmq-orders',
  scaler: 'rabbitmq',
  index: 0,
};
const LABELS =
  'namespace="shop",metric="s0-rabbitmq-orders",scaledObject="orders",scaler="rabbitmq",triggerIndex="0",type="scaledobject"';

const make = (prefix = 'tsprov_scaler_') =>
  new ScalerMetrics({ prefix, version: '1.2.3', commit: 'abc' });

/** The lines of a scrape that are values. */
async function scrape(metrics: ScalerMetrics): Promise<readonly string[]> {
  return (await metrics.render())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

describe('metrics of the scaler', () => {
  it('tell what was read, and begin to count failures at zero', async () => {
    const metrics = make();
    metrics.recordReading(QUEUE, { value: 42.5, isActive: true, latencySeconds: 0.25 });
    expect(await scrape(metrics)).to.include.members([
      `tsprov_scaler_scaler_metrics_value{${LABELS}} 42.5`,
      `tsprov_scaler_scaler_active{${LABELS}} 1`,
      `tsprov_scaler_scaler_metrics_latency_seconds{${LABELS}} 0.25`,
      `tsprov_scaler_scaler_detail_errors_total{${LABELS}} 0`,
    ]);
  });

  it('have the names of KEDA where its dashboards are to fit', async () => {
    const metrics = make('keda_');
    metrics.recordError(QUEUE, 0.5);
    metrics.setPaused(ORDERS, true);
    const lines = await scrape(metrics);
    expect(lines).to.include.members([
      `keda_scaler_detail_errors_total{${LABELS}} 1`,
      'keda_scaled_object_paused{namespace="shop",scaledObject="orders"} 1',
    ]);
    expect(lines.find((line) => line.startsWith('keda_build_info'))).to.match(
      /\{version="1\.2\.3",git_commit="abc",goversion="v\d+[^"]*",goos="linux",goarch="\w+"\} 1$/,
    );
  });

  it('of an object that is gone vanish, and those of others stay', async () => {
    const metrics = make();
    for (const resource of [ORDERS, MAILS]) {
      const source = { ...QUEUE, resource };
      metrics.recordReading(source, { value: 1, isActive: true, latencySeconds: 1 });
      metrics.recordEmpty(source, 'queue', true);
      metrics.recordRequest({ source, triggerName: 'queue', status: 200, seconds: 0.1 });
      metrics.recordObjectError(resource);
      metrics.recordLoopLatency(resource, 0.5);
      metrics.setPaused(resource, false);
    }
    metrics.forget(ORDERS);
    const text = await metrics.render();
    expect(text).not.to.include('"orders"');
    expect(text).to.include('scaled_job_errors_total{namespace="shop",scaledJob="mails"} 1');
  });

  it('count what there is when somebody asks', async () => {
    const metrics = make();
    const triggers = new Map([['cron', 2]]);
    metrics.setInventory(() => ({
      triggers,
      resources: [{ type: 'scaled_object', namespace: 'shop', count: 3 }],
    }));
    expect(await scrape(metrics)).to.include.members([
      'tsprov_scaler_trigger_registered_total{type="cron"} 2',
      'tsprov_scaler_resource_registered_total{type="scaled_object",namespace="shop"} 3',
    ]);
    triggers.clear();
    expect((await scrape(metrics)).join()).not.to.include('type="cron"');
  });

  it('of several scalers in one process are apart', async () => {
    const [one, other] = [make(), make()];
    one.recordAnswer(200, 0.01);
    expect((await scrape(other)).join()).not.to.include('status_code="200"');
    expect((await scrape(one)).join()).to.include('requests_total{status_code="200"} 1');
  });
});

describe('the observability port', () => {
  it('serves metrics and health, with the reasons', async () => {
    const metrics = make();
    metrics.recordReading(QUEUE, { value: 7, isActive: false, latencySeconds: 0.1 });
    let problem: string | undefined = 'another process leads';
    const health = {
      live: [{ name: 'loop', check: () => undefined }],
      ready: [{ name: 'leader', check: () => problem }],
    };
    const address = { host: '127.0.0.1', port: 0 };
    const { port, close } = await startObservability({ metrics, health }, address);
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, text: await response.text(), headers: response.headers };
    };
    try {
      const scraped = await ask('/metrics');
      expect(scraped.text).to.include(`tsprov_scaler_scaler_metrics_value{${LABELS}} 7`);
      expect(scraped.headers.get('content-type')).to.match(/^text\/plain; *version=0\.0\.4/);
      expect(await ask('/healthz')).to.include({
        status: 200,
        text: '[+]loop ok\nhealthz check passed\n',
      });
      expect(await ask('/readyz')).to.include({
        status: 500,
        text: '[-]leader failed: another process leads\nreadyz check failed\n',
      });
      problem = undefined;
      expect((await ask('/readyz')).status).to.equal(200);
      expect((await ask('/other')).status).to.equal(404);
    } finally {
      await close();
    }
  });
});
