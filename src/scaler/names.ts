/** Every name under which the scaler is known to a cluster, and the same names as KEDA has them. */
import { KEDA_SCALERS } from './keda-scalers.ts';

export interface Names {
  /** API group of the custom resources. */
  readonly group: string;
  /** Domain of annotations that steer scaling. */
  readonly autoscalingDomain: string;
  readonly finalizer: string;
  /** Prefix of the names of HPAs that we make. */
  readonly hpaPrefix: string;
  /** Value of `app.kubernetes.io/managed-by`, name of the field manager and reporter of events. */
  readonly manager: string;
  /** Prefix of Prometheus metrics. */
  readonly metricPrefix: string;
  /** What they call a trigger without a name, by its type; absent: the type itself. */
  readonly scalerLabels: Readonly<Record<string, string>>;
  /** Prefix of those event reasons that KEDA writes with its own name. */
  readonly reasonPrefix: string;
  /** The kind that events name when a TriggerAuthentication has changed: KEDA names the other one. */
  readonly updatedAuthentication: 'TriggerAuthentication' | 'ClusterTriggerAuthentication';
  /** Namespace, services and secrets of an installation. */
  readonly namespace: string;
  readonly operatorService: string;
  readonly metricsService: string;
  readonly certificateSecret: string;
  readonly lease: string;
}

export const TSPROV_NAMES: Names = {
  group: 'scaler.tsprov.dev',
  autoscalingDomain: 'autoscaling.scaler.tsprov.dev',
  finalizer: 'finalizer.scaler.tsprov.dev',
  hpaPrefix: 'scaler-hpa-',
  manager: 'scaler-operator',
  metricPrefix: 'tsprov_scaler_',
  scalerLabels: {},
  reasonPrefix: '',
  updatedAuthentication: 'TriggerAuthentication',
  namespace: 'tsprov-scaler',
  operatorService: 'scaler-operator',
  metricsService: 'scaler-operator-metrics-apiserver',
  certificateSecret: 'scaler-certs',
  lease: 'scaler-operator',
};

/** For `--compat keda`: manifests, dashboards and scripts written for KEDA work unchanged. */
export const KEDA_NAMES: Names = {
  group: 'keda.sh',
  autoscalingDomain: 'autoscaling.keda.sh',
  finalizer: 'finalizer.keda.sh',
  hpaPrefix: 'keda-hpa-',
  manager: 'keda-operator',
  metricPrefix: 'keda_',
  scalerLabels: KEDA_SCALERS,
  reasonPrefix: 'KEDA',
  updatedAuthentication: 'ClusterTriggerAuthentication',
  namespace: 'keda',
  operatorService: 'keda-operator',
  metricsService: 'keda-metrics-apiserver',
  certificateSecret: 'kedaorg-certs',
  lease: 'operator.keda.sh',
};

export const VERSION = 'v1alpha1';

/** Which product's names are in force. */
export type Compatibility = 'tsprov' | 'keda';

export function namesFor(compatibility: Compatibility): Names {
  return compatibility === 'keda' ? KEDA_NAMES : TSPROV_NAMES;
}

/** `<group>/v1alpha1`. */
export function apiVersionOf(names: Names): string {
  return `${names.group}/${VERSION}`;
}

/** Labels and annotations, by what they mean. */
export function keysOf({ group, autoscalingDomain }: Names) {
  return {
    /** Label: of a ScaledObject, its HPA and the selector of its metrics. */
    scaledObjectName: `scaledobject.${group}/name`,
    /** Label: of the Jobs of a ScaledJob and of their pods. */
    scaledJobName: `scaledjob.${group}/name`,
    paused: `${autoscalingDomain}/paused`,
    pausedReplicas: `${autoscalingDomain}/paused-replicas`,
    pausedScaleIn: `${autoscalingDomain}/paused-scale-in`,
    pausedScaleOut: `${autoscalingDomain}/paused-scale-out`,
    forceActivation: `${autoscalingDomain}/force-activation`,
    transferHpaOwnership: `scaledobject.${group}/transfer-hpa-ownership`,
    hpaExcludedLabels: `scaledobject.${group}/hpa-excluded-labels`,
    jobExcludedLabels: `scaledjob.${group}/job-excluded-labels`,
    jobGeneration: `scaledjob.${group}/generation`,
    hpaOwnershipCheck: `validations.${group}/hpa-ownership`,
  } as const;
}
