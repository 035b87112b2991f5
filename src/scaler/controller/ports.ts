/** What the controllers need of the cluster; `cluster/` gives it. */

import type { ObjectMeta } from '../../kubernetes/objects.ts';
import type { CredentialReader } from '../authentication/credential-reader.ts';
import type { PodTemplate } from '../authentication/environment.ts';
import type { Hpa } from '../decide/hpa.ts';
import type { ScaledJob, ScaledJobStatus } from '../resources/scaled-job.ts';
import type { ScaledObject, ScaledObjectStatus } from '../resources/scaled-object.ts';
import type { AuthenticationStatus } from '../resources/trigger-authentication.ts';
import type { ClusterReader } from '../trigger.ts';

/** A kind as the cluster knows it. */
export interface TargetKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural, as paths have it. */
  readonly resource: string;
}

/** As statuses and events name a kind: `apps/v1.Deployment`. */
export function describeKind({ group, version, kind }: TargetKind): string {
  return `${group === '' ? '' : `${group}/`}${version}.${kind}`;
}

/** A workload and its scale. */
export interface ScaleTarget {
  /** What its scale is set to. */
  readonly replicas: number;
  /** Absent where the kind has none. */
  readonly template: PodTemplate | undefined;
}

/** An HPA as it is stored. */
export interface StoredHpa extends Pick<Hpa, 'apiVersion' | 'kind'> {
  readonly metadata: ObjectMeta;
  readonly spec: Hpa['spec'];
  readonly status?: {
    readonly currentReplicas?: number;
    readonly desiredReplicas?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

export interface Job {
  readonly metadata: ObjectMeta;
  readonly status?: {
    readonly completionTime?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface JobPod {
  readonly jobName: string;
  readonly phase: string;
  /** Types of the conditions that hold. */
  readonly conditions: readonly string[];
}

/** An event of events.k8s.io/v1 about an object. */
export interface EventReport {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

type AnyStatus = ScaledObjectStatus | ScaledJobStatus | AuthenticationStatus;
type Owner = Pick<ScaledObject, 'apiVersion' | 'kind' | 'metadata'>;

/** Reads come from caches where it is said; writes go to the API server. */
export interface ScalerCluster extends ClusterReader, CredentialReader {
  /** From the cache. @param key `<namespace>/<name>`. */
  scaledObject(key: string): ScaledObject | undefined;
  /** From the cache. */
  scaledObjects(): readonly ScaledObject[];
  /** From the cache. */
  scaledJob(key: string): ScaledJob | undefined;
  /** From the cache. */
  scaledJobs(): readonly ScaledJob[];
  /** From the cache: an HPA that the operator manages. */
  hpa(namespace: string, name: string): StoredHpa | undefined;
  /** From the cache: every HPA that scales the target. */
  hpasOf(namespace: string, kind: TargetKind, name: string): readonly StoredHpa[];
  /** From the cache. */
  jobsOf(job: ScaledJob): readonly Job[];
  jobPodsOf(job: ScaledJob): Promise<readonly JobPod[]>;
  /** As the API server has them now, whatever the cache shows. */
  storedJobsOf(job: ScaledJob, signal: AbortSignal): Promise<readonly Job[]>;

  /** @throws {TargetProblem} where the kind has no scale; {Error} where the cluster has no such kind. */
  targetKind(apiVersion: string, kind: string): Promise<TargetKind>;
  /** @throws {TargetProblem} that says that it does not exist. */
  target(
    kind: TargetKind,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<ScaleTarget>;
  /** Pods of the target that are running and ready. */
  readyPods(
    kind: TargetKind,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<number>;
  /**
   * Sets the scale of a target.
   * @param from Writes only where the scale is this: a decision about something else must not be carried out.
   * @param guard Asked right before the write; what it throws is thrown.
   * @returns whether the scale is what was wanted now.
   */
  setReplicas(
    kind: TargetKind,
    namespace: string,
    name: string,
    change: { readonly to: number; readonly from?: number; readonly guard?: () => void },
    signal: AbortSignal,
  ): Promise<boolean>;

  /** @returns undefined where there is one already that the cache does not show yet. */
  createHpa(hpa: Hpa, signal: AbortSignal): Promise<StoredHpa | undefined>;
  /** Bypasses the cache. @returns undefined where there is none. */
  readHpa(namespace: string, name: string, signal: AbortSignal): Promise<StoredHpa | undefined>;
  /** Writes over what is stored. @returns undefined where somebody wrote since it was read. */
  replaceHpa(stored: StoredHpa, hpa: Hpa, signal: AbortSignal): Promise<StoredHpa | undefined>;
  deleteHpa(namespace: string, name: string, signal: AbortSignal): Promise<void>;

  /** @returns whether it was made; false where its name is taken. */
  createJob(job: object, namespace: string, signal: AbortSignal): Promise<boolean>;
  /** Asks the API server whether it would take the Job. @throws {Error} with its answer where it would not. */
  checkJob(job: object, namespace: string, signal: AbortSignal): Promise<void>;
  deleteJob(
    job: Job,
    propagationPolicy: 'Background' | 'Foreground',
    signal: AbortSignal,
  ): Promise<void>;

  /** Replaces the status by merge patch; members that are gone are removed. */
  patchStatus(
    owner: Owner,
    before: AnyStatus | undefined,
    after: AnyStatus,
    signal: AbortSignal,
  ): Promise<void>;
  /** Adds our finalizer and a label, where they are missing. */
  claim(owner: Owner, labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  releaseFinalizer(owner: Owner, signal: AbortSignal): Promise<void>;
  /** Never blocks and never fails. */
  report(owner: Owner, event: EventReport): void;
}
