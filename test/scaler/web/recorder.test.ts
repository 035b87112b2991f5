import { expect } from 'chai';
import type { MetricReading } from '../../../src/scaler/controller/gauge-set.ts';
import { KEDA_SCALERS } from '../../../src/scaler/keda-scalers.ts';
import { KEDA_NAMES, type Names, TSPROV_NAMES } from '../../../src/scaler/names.ts';
import { makeRecorder, meteredRequest } from '../../../src/scaler/operator/measure.ts';
import type { TriggerSpec } from '../../../src/scaler/resources/triggers.ts';
import { triggers } from '../../../src/scaler/triggers/registry.ts';
import { ScalerMetrics } from '../../../src/scaler/web/scaler-metrics.ts';

const ORDERS = { kind: 'ScaledObject', namespace: 'shop', name: 'orders' } as const;

function readingOf(spec: TriggerSpec): MetricReading {
  const place = { object: ORDERS, spec, index: 1, isMember: false };
  return {
    place: { ...place, template: undefined, containerName: undefined },
    metric: {
      index: 1,
      metricType: undefined,
      metricName: 's1-prometheus',
      metric: { kind: 'external', name: 'prometheus', target: 5 },
    },
    outcome: { value: 1, isActive: true },
    latencySeconds: 0.1,
  };
}

function start(names: Names) {
  const metrics = new ScalerMetrics({ prefix: names.metricPrefix, version: '1', commit: '' });
  const series = async (family: string) =>
    (await metrics.render())
      .split('\n')
      .filter((line) => line.startsWith(`${names.metricPrefix}${family}{`))
      .map((line) => line.slice(names.metricPrefix.length));
  return { metrics, recorder: makeRecorder(metrics, names), series };
}

const labels = (metric: string, scaler: string, index: number) =>
  `{namespace="shop",metric="${metric}",scaledObject="orders",scaler="${scaler}",triggerIndex="${index}",type="scaledobject"}`;

describe('What the controllers tell, as Prometheus reads it', () => {
  const unnamed = { type: 'prometheus', metadata: {} };
  for (const [what, names, spec, scaler] of [
    ['a trigger by its type', TSPROV_NAMES, unnamed, 'prometheus'],
    ['a trigger as KEDA calls it', KEDA_NAMES, unnamed, 'prometheusScaler'],
    ['a trigger by its name', KEDA_NAMES, { ...unnamed, name: 'load' }, 'load'],
  ] as const) {
    it(`names ${what}`, async () => {
      const { recorder, series } = start(names);
      recorder.reading(ORDERS, readingOf(spec));
      expect(await series('scaler_active')).to.deep.equal([
        `scaler_active${labels('s1-prometheus', scaler, 1)} 1`,
      ]);
    });
  }

  it('has KEDA’s name of every trigger that there is', () => {
    expect(Object.keys(KEDA_SCALERS).sort()).to.deep.equal(Object.keys(triggers).sort());
  });

  it('has the activity of triggers that only the HPA reads', async () => {
    const { recorder, series } = start(KEDA_NAMES);
    recorder.resource(ORDERS, { spec: { type: 'cpu', metadata: {} }, index: 0 }, 'cpu');
    expect(await series('scaler_active')).to.deep.equal([
      `scaler_active${labels('cpu', 'cpuMemoryScaler', 0)} 1`,
    ]);
  });

  it('has the metric of a formula at the index 0', async () => {
    const { recorder, series } = start(KEDA_NAMES);
    recorder.composite(ORDERS, 'composite-metric', 3, true);
    expect(await series('scaler_metrics_value')).to.deep.equal([
      `scaler_metrics_value${labels('composite-metric', 'composite-metric', 0)} 3`,
    ]);
  });

  it('counts failures of an object from 0 on', async () => {
    const { recorder, series } = start(KEDA_NAMES);
    recorder.paused(ORDERS, false);
    const counter = 'scaled_object_errors_total{namespace="shop",scaledObject="orders"}';
    expect(await series('scaled_object_errors_total')).to.deep.equal([`${counter} 0`]);
    recorder.objectError(ORDERS);
    expect(await series('scaled_object_errors_total')).to.deep.equal([`${counter} 1`]);
  });

  it('names requests by the type of their trigger, whatever its name', () => {
    const { place } = readingOf({ ...unnamed, name: 'load' });
    const request = { place, metricName: 's1-prometheus', status: 200, seconds: 1 };
    expect(meteredRequest(request)).to.deep.include({ triggerName: 'load' });
    expect(meteredRequest(request).source.scaler).to.equal('prometheus');
  });
});
