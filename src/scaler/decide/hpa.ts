/** The HorizontalPodAutoscaler (autoscaling/v2) that a ScaledObject asks for. */
import { formatQuantity } from '../../shared/quantity.ts';
import { keysOf, type Names } from '../names.ts';
import type { HpaBehavior, HpaScalingRules } from '../resources/hpa-behavior.ts';
import { ownerReference } from '../resources/resource.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { ResourceMetric } from '../trigger.ts';
import { COMPOSITE_METRIC, isExternal, type TriggerMetric } from './metrics.ts';
import { pauseOf } from './pause.ts';

const LABEL_LENGTH = 63;

export interface HpaTarget {
  /** `<group>/<version>`, or `v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export interface HpaRequest {
  readonly object: ScaledObject;
  readonly metrics: readonly TriggerMetric[];
  readonly target: HpaTarget;
  readonly names: Names;
  /** Version of the operator. */
  readonly version: string;
}

/** The name that the ScaledObject's HPA has to have. */
export function hpaNameOf({ metadata, spec }: ScaledObject, names: Names): string {
  const given = spec.advanced?.horizontalPodAutoscalerConfig?.name;
  return given !== undefined && given !== '' ? given : `${names.hpaPrefix}${metadata.name}`;
}

/** The whole object; what the cluster adds by itself is not in it. */
export function renderHpa(request: HpaRequest) {
  const { object, names, target } = request;
  const { spec, metadata } = object;
  const behavior = renderBehavior(request);
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name: hpaNameOf(object, names),
      namespace: metadata.namespace,
      labels: renderLabels(request),
      annotations: { ...metadata.annotations },
      ownerReferences: [ownerReference('ScaledObject', metadata, names)],
    },
    spec: {
      scaleTargetRef: { ...target },
      minReplicas: Math.max(spec.minReplicaCount ?? 0, 1),
      maxReplicas: spec.maxReplicaCount ?? 100,
      metrics: renderMetrics(request),
      ...(behavior !== undefined && { behavior }),
    },
  };
}

export type Hpa = ReturnType<typeof renderHpa>;

function renderLabels({ object, names, version }: HpaRequest): Readonly<Record<string, string>> {
  const { metadata } = object;
  const excluded = (metadata.annotations?.[keysOf(names).hpaExcludedLabels] ?? '').split(',');
  const own = Object.entries(metadata.labels ?? {}).filter(([key]) => !excluded.includes(key));
  return {
    'app.kubernetes.io/name': labelValue(hpaNameOf(object, names)),
    'app.kubernetes.io/version': version,
    'app.kubernetes.io/part-of': labelValue(metadata.name),
    'app.kubernetes.io/managed-by': names.manager,
    ...Object.fromEntries(own),
  };
}

/** Cut to what a label may hold: 63 characters, a letter or digit at the end. */
function labelValue(text: string): string {
  return text.slice(0, LABEL_LENGTH).replace(/[^A-Za-z0-9]+$/, '');
}

function renderBehavior({ object, names }: HpaRequest): HpaBehavior | undefined {
  const behavior = object.spec.advanced?.horizontalPodAutoscalerConfig?.behavior;
  const { holdsScaleIn, holdsScaleOut } = pauseOf(object.metadata, names);
  const up = disabledWhere(holdsScaleOut, behavior?.scaleUp);
  const down = disabledWhere(holdsScaleIn, behavior?.scaleDown);
  if (up === undefined && down === undefined) return undefined;
  return {
    ...(up !== undefined && { scaleUp: up }),
    ...(down !== undefined && { scaleDown: down }),
  };
}

function disabledWhere(
  isHeld: boolean,
  rules: HpaScalingRules | undefined,
): HpaScalingRules | undefined {
  return isHeld ? { ...rules, selectPolicy: 'Disabled' } : rules;
}

/** Sorted by type, with the metric of a formula last, so that nothing but a real change looks like one. */
function renderMetrics(request: HpaRequest) {
  const { object, metrics } = request;
  const modifiers = object.spec.advanced?.scalingModifiers;
  const compositeTarget = Number(modifiers?.target);
  const isComposite = modifiers?.formula !== undefined && compositeTarget > 0;
  const resources = metrics.flatMap(({ metric }) =>
    metric.kind === 'resource' ? [renderResource(metric)] : [],
  );
  const externals = isComposite
    ? [externalEntry(request, COMPOSITE_METRIC, compositeTarget, modifiers?.metricType)]
    : metrics
        .filter(isExternal)
        .map(({ metricName, metric, metricType }) =>
          externalEntry(request, metricName, metric.target, metricType),
        );
  const containers = resources.filter(({ type }) => type === 'ContainerResource');
  const pods = resources.filter(({ type }) => type === 'Resource');
  return isComposite
    ? [...containers, ...pods, ...externals]
    : [...containers, ...externals, ...pods];
}

function externalEntry(
  { object, names }: HpaRequest,
  name: string,
  target: number,
  metricType: string | undefined,
) {
  const quantity = name === COMPOSITE_METRIC ? formatQuantity(target) : renderTarget(target);
  return {
    type: 'External',
    external: {
      metric: {
        name,
        selector: { matchLabels: { [keysOf(names).scaledObjectName]: object.metadata.name } },
      },
      target:
        metricType === 'Value'
          ? { type: 'Value', value: quantity }
          : { type: 'AverageValue', averageValue: quantity },
    },
  } as const;
}

/** As KEDA writes it, so that HPAs of its are not written again: `5`, `2.500`. */
function renderTarget(target: number): string {
  return target > 0 && !Number.isInteger(target) ? target.toFixed(3) : formatQuantity(target);
}

function renderResource({ resource, container, target }: ResourceMetric) {
  const rendered =
    'utilization' in target
      ? { type: 'Utilization', averageUtilization: target.utilization }
      : { type: 'AverageValue', averageValue: target.averageValue };
  if (container === undefined || container === '') {
    return { type: 'Resource', resource: { name: resource, target: rendered } } as const;
  }
  return {
    type: 'ContainerResource',
    containerResource: { name: resource, container, target: rendered },
  } as const;
}
