/** The metrics of Prometheus that the scaler offers, without their prefix: KEDA's names and labels, so that dashboards fit. */

export type FamilyKind = 'gauge' | 'counter' | 'histogram';

export interface Family {
  readonly kind: FamilyKind;
  readonly help: string;
  readonly labels: readonly string[];
}

const SOURCE = ['namespace', 'metric', 'scaledObject', 'scaler', 'triggerIndex', 'type'] as const;
const REQUEST = ['namespace', 'scaled_resource', 'scaler', 'trigger_name', 'metric_name'] as const;

const FAMILIES = {
  build_info: {
    kind: 'gauge',
    help: 'Always 1; the labels say what runs (goversion, goos, goarch: Node, its platform, its architecture).',
    labels: ['version', 'git_commit', 'goversion', 'goos', 'goarch'],
  },
  scaler_active: {
    kind: 'gauge',
    help: 'Whether the source says that there is work.',
    labels: SOURCE,
  },
  scaler_metrics_value: { kind: 'gauge', help: 'The value read last.', labels: SOURCE },
  scaler_metrics_latency_seconds: {
    kind: 'gauge',
    help: 'How long the last reading took.',
    labels: SOURCE,
  },
  scaler_detail_errors_total: {
    kind: 'counter',
    help: 'Readings that failed, by source.',
    labels: SOURCE,
  },
  scaler_empty_upstream_responses_total: {
    kind: 'counter',
    help: 'Readings to which the source answered without a value.',
    labels: [
      'namespace',
      'scaledResource',
      'triggerName',
      'metricName',
      'resourceType',
      'ignoreNullValues',
    ],
  },
  scaler_http_requests_total: {
    kind: 'counter',
    help: 'Requests to sources over HTTP.',
    labels: [...REQUEST, 'status_code'],
  },
  scaler_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'How long requests to sources over HTTP took.',
    labels: ['scaler', 'status_code'],
  },
  scaled_object_paused: {
    kind: 'gauge',
    help: 'Whether the ScaledObject is paused.',
    labels: ['namespace', 'scaledObject'],
  },
  scaled_object_errors_total: {
    kind: 'counter',
    help: 'Failures of a ScaledObject.',
    labels: ['namespace', 'scaledObject'],
  },
  scaled_job_errors_total: {
    kind: 'counter',
    help: 'Failures of a ScaledJob.',
    labels: ['namespace', 'scaledJob'],
  },
  trigger_registered_total: {
    kind: 'gauge',
    help: 'Triggers in use, by type.',
    labels: ['type'],
  },
  resource_registered_total: {
    kind: 'gauge',
    help: 'Custom resources, by kind and namespace.',
    labels: ['type', 'namespace'],
  },
  internal_scale_loop_latency_seconds: {
    kind: 'gauge',
    help: 'How much later than planned the scale loop ran.',
    labels: ['namespace', 'type', 'resource'],
  },
  metrics_api_requests_total: {
    kind: 'counter',
    help: 'Requests for metrics that the external metrics API answered.',
    labels: ['status_code'],
  },
  metrics_api_request_duration_seconds: {
    kind: 'histogram',
    help: 'How long the external metrics API took to answer.',
    labels: ['status_code'],
  },
} as const satisfies Record<string, Family>;

type Families = typeof FAMILIES;

/** The names of the families of a kind. */
export type FamilyName<K extends FamilyKind = FamilyKind> = {
  [F in keyof Families]: Families[F]['kind'] extends K ? F : never;
}[keyof Families];

/** The labels of a family, each with its value. */
export type LabelsOf<F extends FamilyName> = Readonly<
  Record<Families[F]['labels'][number], string>
>;

/** In seconds. */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function readFamily(name: FamilyName): Family {
  return FAMILIES[name];
}

export function namesOf<K extends FamilyKind>(kind: K): readonly FamilyName<K>[] {
  // Filtered by the very member that the type looks at.
  const names = Object.keys(FAMILIES) as FamilyName[];
  return names.filter((name): name is FamilyName<K> => FAMILIES[name].kind === kind);
}
