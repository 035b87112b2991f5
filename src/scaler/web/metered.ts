/** What the scaler tells of its work, for `ScalerMetrics` to count. */

export type ScaledKind = 'scaledobject' | 'scaledjob';

/** A ScaledObject or a ScaledJob. */
export interface ScaledResource {
  readonly kind: ScaledKind;
  readonly namespace: string;
  readonly name: string;
}

/** One metric of one trigger of one object. */
export interface MeteredSource {
  readonly resource: ScaledResource;
  /** The name that the HPA asks for, `s0-…`, or that of the composite metric. */
  readonly metric: string;
  /** The trigger's name or, where it has none, its type (as KEDA calls it, with the names of KEDA). */
  readonly scaler: string;
  /** Position in `spec.triggers`. */
  readonly index: number;
}

export interface MeteredReading {
  readonly value: number;
  readonly isActive: boolean;
  readonly latencySeconds: number;
}

/** A request to a source over HTTP. */
export interface MeteredRequest {
  readonly source: MeteredSource;
  /** Empty where it has none. */
  readonly triggerName: string;
  /** `error` where no answer came. */
  readonly status: number | 'error';
  readonly seconds: number;
}

/** What there is in the cluster; counted when somebody asks, so that it is never out of step. */
export interface Inventory {
  /** Triggers by their type. */
  readonly triggers: ReadonlyMap<string, number>;
  readonly resources: readonly {
    readonly type:
      | 'scaled_object'
      | 'scaled_job'
      | 'trigger_authentication'
      | 'cluster_trigger_authentication';
    readonly namespace: string;
    readonly count: number;
  }[];
}
