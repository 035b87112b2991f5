/** What one metric asks of a HorizontalPodAutoscaler. */

/**
 * `AverageValue`: the value is shared by the replicas. `Value`: it is not. `PerPod`: the value is already that of the
 * average pod, in percent of its request or as an amount, as the metrics server tells it of CPU and memory.
 */
export interface HpaMetric {
  readonly type: 'AverageValue' | 'Value' | 'PerPod';
  readonly target: number;
}

/** Deviations from the target, as a share of it, that are put up with. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

interface Replicas {
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly readyReplicas: number;
}

/** The replicas that a metric asks for, before limits; undefined where it cannot be read. */
export function proposalOf(
  { type, target }: HpaMetric,
  value: number | undefined,
  replicas: Replicas,
  tolerance: Tolerance,
): number | undefined {
  if (value === undefined) return undefined;
  const [usage, wanted] = [thousandths(value), thousandths(target)];
  if (type === 'AverageValue') {
    const ratio = usage / (wanted * replicas.statusReplicas);
    if (isWithin(ratio, tolerance)) return replicas.statusReplicas;
    return Math.ceil(usage / wanted);
  }
  const ratio = usage / wanted;
  if (replicas.specReplicas === 0) return Math.ceil(ratio);
  if (isWithin(ratio, tolerance)) return replicas.specReplicas;
  return Math.ceil(ratio * replicas.readyReplicas);
}

/** Metrics travel as thousandths. */
function thousandths(value: number): number {
  return Math.round(value * 1000);
}

function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}
