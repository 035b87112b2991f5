/** Why a ScaledObject is at its count: what each trigger said, what the operator decided, what the HPA makes of it. */
import { parseQuantity } from '../../shared/quantity.ts';
import type { StoredHpa } from '../controller/ports.ts';
import { boundsOf, decide } from '../decide/decide.ts';
import { isInForce, validFallback } from '../decide/fallback.ts';
import { pauseOf } from '../decide/pause.ts';
import type { Names } from '../names.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { TriggerStatus } from '../resources/triggers.ts';

export interface ExplainInput {
  readonly object: ScaledObject;
  /** Undefined where there is none. */
  readonly hpa: StoredHpa | undefined;
  /** What the target is set to, or why that cannot be read. */
  readonly replicas: number | { readonly error: string };
  readonly names: Names;
  readonly nowMs: number;
}

export interface Explanation {
  readonly title: string;
  readonly triggers: readonly string[];
  readonly operator: string;
  readonly hpa: readonly string[];
  /** Conditions that are not as they should be. */
  readonly warnings: readonly string[];
}

/** Pure; from what is recorded in the cluster, without asking any source. */
export function explain(input: ExplainInput): Explanation {
  const { object, replicas } = input;
  const { metadata, spec, status = {} } = object;
  const { kind = 'Deployment', name } = spec.scaleTargetRef;
  const { min, max, idle } = boundsOf(spec);
  const count = typeof replicas === 'number' ? `${replicas} replicas` : 'unknown replicas';
  const idling = idle === undefined ? '' : `, ${idle} when idle`;
  return {
    title: `ScaledObject ${metadata.namespace}/${metadata.name}: ${kind} ${name} is set to ${count} (${min} to ${max}${idling})`,
    triggers: (status.triggers ?? []).map((trigger) => describeTrigger(trigger, input)),
    operator: describeDecision(input),
    hpa: describeHpa(input),
    warnings: warningsOf(object),
  };
}

/** The explanation as text for people. */
export function renderExplanation(explanation: Explanation): string {
  const { title, triggers, operator, hpa, warnings } = explanation;
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [name, ...lines.map((line) => `  ${line}`)];
  return [
    title,
    ...section('Triggers', triggers),
    ...section('Operator', [operator]),
    ...section('HPA', hpa),
    ...section('To look after', warnings),
    '',
  ].join('\n');
}

function describeTrigger(trigger: TriggerStatus, { object, nowMs }: ExplainInput): string {
  const { index, type, name, error, value, target, isActive, lastSuccessTime } = trigger;
  const title = `${index} ${type}${name ? ` "${name}"` : ''}`;
  if (error !== undefined) {
    const since =
      lastSuccessTime === undefined ? 'never read' : `last read ${ago(lastSuccessTime, nowMs)}`;
    return `${title}: cannot be read (${since}): ${error}`;
  }
  if (value === undefined) return `${title}: read by the HPA alone`;
  const asks = describeAsking(value, target, object.spec.triggers[index]?.metricType);
  return `${title}: ${value}, ${isActive === true ? 'active' : 'not active'}${asks}`;
}

function describeAsking(value: number, target: number | undefined, metricType?: string): string {
  if (!target) return '';
  if (metricType === 'Value') return `; target ${target}, shared by none`;
  return `; at ${target} each it asks for ${Math.ceil(value / target)} replicas`;
}

/** What the operator decides on what is recorded: the same function that decides while it runs. */
function describeDecision({ object, replicas, names, nowMs }: ExplainInput): string {
  const { metadata, spec, status = {} } = object;
  const triggers = status.triggers ?? [];
  const errors = triggers.flatMap(({ error }) => error ?? []);
  const fallback = validFallback(spec);
  const inForce = Object.values(status.health ?? {}).some(
    (health) => fallback !== undefined && isInForce(fallback, health),
  );
  const active = triggers.filter(({ isActive }) => isActive === true);
  const activeMetrics = active.flatMap(({ metricName }) => metricName ?? []);
  const activity = {
    isActive:
      active.length > 0 || inForce || triggers.every(({ metricName }) => metricName === undefined),
    hasError: errors.length > 0 && !inForce,
    errors,
    activeMetrics,
  };
  const { reason, cooldownLeftMs } = decide({
    ...pauseOf(metadata, names),
    bounds: boundsOf(spec),
    replicas,
    activity,
    fallback: fallback && { replicas: fallback.replicas, isInForce: inForce },
    lastActiveMs:
      status.lastActiveTime === undefined ? undefined : Date.parse(status.lastActiveTime),
    createdMs: Date.parse(metadata.creationTimestamp ?? '') || 0,
    nowMs,
  });
  const stand = inForce ? ' The fallback stands in for what cannot be read.' : '';
  return cooldownLeftMs === undefined ? `${reason}${stand}` : `It stays for now. ${reason}${stand}`;
}

function describeHpa({ hpa, object }: ExplainInput): readonly string[] {
  if (hpa === undefined) return ['there is none: the operator alone holds the replicas'];
  const { currentReplicas = 0, desiredReplicas = 0, conditions = [] } = hpa.status ?? {};
  const { minReplicas, maxReplicas } = hpa.spec;
  const wants = `${hpa.metadata.name}: has ${currentReplicas}, wants ${desiredReplicas} (${minReplicas} to ${maxReplicas})`;
  const said = conditions
    .filter(({ type, status }) => (type === 'ScalingLimited') === (status === 'True'))
    .map(({ type, reason, message }) => `${type}: ${reason}, ${message}`);
  const metrics = currentMetrics(hpa).map(
    ({ name, current, target }) => `${name}: ${current} of ${target} each`,
  );
  return [wants, ...metrics, ...said, ...behaviorOf(object)];
}

interface CurrentMetric {
  readonly name: string;
  readonly current: number;
  readonly target: number;
}

function currentMetrics({ spec, status }: StoredHpa): readonly CurrentMetric[] {
  const seen =
    (status as { readonly currentMetrics?: readonly ExternalStatus[] } | undefined)
      ?.currentMetrics ?? [];
  return spec.metrics.flatMap((metric) => {
    if (!('external' in metric)) return [];
    const { name } = metric.external.metric;
    const current = seen.find(({ external }) => external?.metric.name === name)?.external?.current;
    const { target } = metric.external;
    const wanted = 'averageValue' in target ? target.averageValue : target.value;
    const text = current?.averageValue ?? current?.value;
    if (text === undefined) return [];
    return [{ name, current: parseQuantity(text) ?? 0, target: parseQuantity(wanted) ?? 0 }];
  });
}

interface ExternalStatus {
  readonly external?: {
    readonly metric: { readonly name: string };
    readonly current: { readonly averageValue?: string; readonly value?: string };
  };
}

function behaviorOf({ spec }: ScaledObject): readonly string[] {
  const window =
    spec.advanced?.horizontalPodAutoscalerConfig?.behavior?.scaleDown?.stabilizationWindowSeconds;
  return [`it scales in ${window ?? 300} s after the highest recommendation at the earliest`];
}

function warningsOf({ status }: ScaledObject): readonly string[] {
  return (status?.conditions ?? [])
    .filter(
      ({ type, status: is }) =>
        (type === 'Ready' && is !== 'True') ||
        (type === 'HPAActive' && is !== 'True') ||
        ((type === 'Fallback' || type === 'Paused') && is === 'True'),
    )
    .map(({ type, status: is, reason, message }) => `${type} is ${is} (${reason}): ${message}`);
}

function ago(time: string, nowMs: number): string {
  return `${Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000))} s ago`;
}
