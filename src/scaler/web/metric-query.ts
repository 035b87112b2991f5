/** What a request for a metric asks for, and how the answer is written (external.metrics.k8s.io/v1beta1). */
import { formatQuantity } from '../../shared/quantity.ts';
import { badRequest, StatusError } from './status.ts';

export const GROUP = 'external.metrics.k8s.io';
export const VERSION = 'v1beta1';
export const GROUP_VERSION = `${GROUP}/${VERSION}`;

/** One value of a metric. The HPA adds those of one answer up. */
export interface MetricValue {
  readonly name: string;
  readonly value: number;
}

/** The answer to a request for a metric. */
export interface ExternalMetricValueList {
  readonly kind: 'ExternalMetricValueList';
  readonly apiVersion: typeof GROUP_VERSION;
  readonly metadata: Readonly<Record<string, never>>;
  readonly items: readonly {
    readonly metricName: string;
    readonly metricLabels: null;
    /** To the second. */
    readonly timestamp: string;
    /** A quantity. */
    readonly value: string;
  }[];
}

const PAIR = /^\s*([^\s=!,()]+)\s*==?\s*([^\s=!,()]*)\s*$/;

/**
 * The labels that a selector of equalities asks for.
 * @throws StatusError where it is no such selector (sets, inequalities).
 */
export function parseEqualitySelector(selector: string): ReadonlyMap<string, string> {
  const pairs = selector.split(',').filter((part) => part.trim() !== '');
  return new Map(
    pairs.map((pair): [string, string] => {
      const [, key, value] = PAIR.exec(pair) ?? [];
      if (key === undefined || value === undefined) {
        throw badRequest(
          `label selector "${selector}" is not a list of label=value: only equality is understood`,
        );
      }
      return [key, value];
    }),
  );
}

/**
 * The ScaledObject that a selector names.
 * @param label The label whose value is the name of the ScaledObject.
 * @throws StatusError where the selector names none.
 */
export function readScaledObjectName(selector: string, label: string): string {
  const name = parseEqualitySelector(selector).get(label);
  if (name === undefined || name === '') {
    throw badRequest(
      `scaledObject name is not specified: the label selector ${selector === '' ? 'is empty' : `"${selector}" has no ${label}`} (ask with labelSelector=${label}=<name>)`,
    );
  }
  return name;
}

/**
 * A value that is no number is an error, never a 0: the HPA would scale in on it.
 * @throws StatusError that names the metric.
 */
export function checkValues(values: readonly MetricValue[]): void {
  const wrong = values.find(({ value }) => !Number.isFinite(value));
  if (wrong === undefined) return;
  const message = `metric ${wrong.name} has no value: it is ${wrong.value}`;
  throw new StatusError(500, 'InternalError', message);
}

/** The list of values, which `checkValues` has seen. */
export function renderMetricValues(
  values: readonly MetricValue[],
  now: Date,
): ExternalMetricValueList {
  const timestamp = `${now.toISOString().slice(0, 19)}Z`;
  return {
    kind: 'ExternalMetricValueList',
    apiVersion: GROUP_VERSION,
    metadata: {},
    items: values.map(({ name, value }) => ({
      metricName: name,
      metricLabels: null,
      timestamp,
      value: formatQuantity(value),
    })),
  };
}
