import { expect } from 'chai';
import { type HpaRequest, renderHpa } from '../../../src/scaler/decide/hpa.ts';
import { metricNameOf, type TriggerMetric } from '../../../src/scaler/decide/metrics.ts';
import { KEDA_NAMES, TSPROV_NAMES } from '../../../src/scaler/names.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';

const object: ScaledObject = {
  apiVersion: 'scaler.tsprov.dev/v1alpha1',
  kind: 'ScaledObject',
  metadata: {
    name: 'worker',
    namespace: 'shop',
    uid: 'u-1',
    labels: { team: 'a', secret: 'b' },
    annotations: { 'scaledobject.scaler.tsprov.dev/hpa-excluded-labels': 'secret' },
  },
  spec: { scaleTargetRef: { name: 'worker' }, triggers: [] },
};
const external = (index: number, name: string, target: number): TriggerMetric => ({
  index,
  metricType: 'AverageValue',
  metric: { kind: 'external', name, target },
  metricName: metricNameOf(index, name),
});
const cpu: TriggerMetric = {
  index: 1,
  metricType: 'Utilization',
  metric: { kind: 'resource', resource: 'cpu', target: { utilization: 60 } },
};
const render = (changes: Partial<HpaRequest> = {}, spec: Partial<ScaledObject['spec']> = {}) =>
  renderHpa({
    object: { ...object, spec: { ...object.spec, ...spec } },
    metrics: [external(0, 'queue', 2.5), cpu],
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker' },
    names: TSPROV_NAMES,
    version: '1.2.3',
    ...changes,
  });

describe('renderHpa', () => {
  it('writes the owner reference of the specification', () => {
    expect(render().metadata.ownerReferences).to.deep.equal([
      {
        apiVersion: 'scaler.tsprov.dev/v1alpha1',
        kind: 'ScaledObject',
        name: 'worker',
        uid: 'u-1',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  it('is named scaler-hpa-<name>, keda-hpa-<name> beside KEDA, or as it is asked to be', () => {
    expect(render().metadata.name).to.equal('scaler-hpa-worker');
    expect(render({ names: KEDA_NAMES }).metadata.name).to.equal('keda-hpa-worker');
    const advanced = { horizontalPodAutoscalerConfig: { name: 'mine' } };
    expect(render({}, { advanced }).metadata.name).to.equal('mine');
  });

  it('takes over labels but those that are excluded', () => {
    expect(render().metadata.labels).to.deep.equal({
      'app.kubernetes.io/name': 'scaler-hpa-worker',
      'app.kubernetes.io/version': '1.2.3',
      'app.kubernetes.io/part-of': 'worker',
      'app.kubernetes.io/managed-by': 'scaler-operator',
      team: 'a',
    });
  });

  it('lists metrics by type, with targets to the thousandth', () => {
    expect(render().spec.metrics).to.deep.equal([
      {
        type: 'External',
        external: {
          metric: {
            name: 's0-queue',
            selector: { matchLabels: { 'scaledobject.scaler.tsprov.dev/name': 'worker' } },
          },
          target: { type: 'AverageValue', averageValue: '2.500' },
        },
      },
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
      },
    ]);
  });

  it('has one metric for a formula, after the resources that it keeps', () => {
    const advanced = {
      scalingModifiers: { formula: 'a + b', target: '2', metricType: 'Value' },
    } as const;
    const { metrics } = render(
      { metrics: [external(0, 'a', 0), external(2, 'b', 0), cpu] },
      { advanced },
    ).spec;
    expect(
      metrics.map((metric) => ('external' in metric ? metric.external : metric.type)),
    ).to.deep.equal([
      'Resource',
      {
        metric: {
          name: 'composite-metric',
          selector: { matchLabels: { 'scaledobject.scaler.tsprov.dev/name': 'worker' } },
        },
        target: { type: 'Value', value: '2' },
      },
    ]);
  });

  it('has a least of 1 where zero is the operator’s business', () => {
    const limits = ({ spec }: ReturnType<typeof render>) => [spec.minReplicas, spec.maxReplicas];
    expect(limits(render())).to.deep.equal([1, 100]);
    expect(limits(render({}, { minReplicaCount: 2, maxReplicaCount: 5 }))).to.deep.equal([2, 5]);
  });

  it('holds a direction that is paused, and keeps the rest of the behavior', () => {
    const advanced = {
      horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 5 } } },
    };
    const paused = {
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { 'autoscaling.scaler.tsprov.dev/paused-scale-in': 'true' },
      },
      spec: { ...object.spec, advanced },
    };
    expect(render({ object: paused }).spec.behavior).to.deep.equal({
      scaleDown: { stabilizationWindowSeconds: 5, selectPolicy: 'Disabled' },
    });
  });
});

describe('metricNameOf', () => {
  it('replaces what metric names cannot have', () => {
    expect(metricNameOf(3, 'a/b.c:d%e(f)')).to.equal('s3-a-b-c-d-e-f-');
  });
});
