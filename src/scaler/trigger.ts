/** The contract between the scaler and its triggers: the one scaler file that triggers import. */
import type { ConnectionOptions } from 'node:tls';
import type { Parameters, ValuesOf } from './parameters.ts';

export * from './parameters.ts';

/** A metric that the HPA reads from us. */
export interface ExternalMetric {
  readonly kind: 'external';
  /** Without the prefix `s<index>-`; characters that metric names cannot have are replaced by whoever uses it. */
  readonly name: string;
  /** What one replica is expected to carry; 0 where the trigger only feeds a formula. */
  readonly target: number;
}

/** A metric that the HPA reads from the cluster's metrics server; we never query it. */
export interface ResourceMetric {
  readonly kind: 'resource';
  readonly resource: 'cpu' | 'memory';
  /** The container whose usage counts; absent: the whole pod's. */
  readonly container?: string | undefined;
  /** Percent of the request, or an amount as a Kubernetes quantity. */
  readonly target: { readonly utilization: number } | { readonly averageValue: string };
}

export type Metric = ExternalMetric | ResourceMetric;

/** `AverageValue`: the value is shared by the replicas. `Value`: it is not. `Utilization`: percent of the request. */
export type MetricType = 'AverageValue' | 'Value' | 'Utilization';

/** What a source said when it was asked. */
export interface Reading {
  readonly value: number;
  /** Whether the workload should leave zero replicas. */
  readonly isActive: boolean;
  /** The source answered without a value, and the trigger's own rule chose one. */
  readonly isEmpty?: true;
}

/** A source opened for one trigger of one object. */
export interface Gauge {
  /**
   * Reads the source. Rejects where it cannot be reached or answers nonsense: that is never a value of 0.
   * @param metric The name of the metric asked for, as `metrics` or the trigger's `metric` gave it.
   */
  read(signal: AbortSignal, metric: string): Promise<Reading>;
  /** The metrics, where only the source knows them. */
  metrics?(signal: AbortSignal): Promise<readonly ExternalMetric[]>;
  /** Calls `onActive` as soon as the source says that there is work. Ends when `signal` aborts; reconnects by itself. */
  watch?(onActive: () => void, signal: AbortSignal): Promise<void>;
  /** Calls `onChange` when the metrics or their targets change. Ends when `signal` aborts. */
  watchMetrics?(onChange: () => void, signal: AbortSignal): Promise<void>;
  /** Gives back connections. May be called more than once. */
  close(): Promise<void>;
}

/** What a trigger knows of its place, without any I/O. */
export interface TriggerContext {
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** Position in `spec.triggers`. */
  readonly index: number;
  /** The trigger's own name. */
  readonly name: string | undefined;
  readonly metricType: MetricType | undefined;
  /** Whose identity its authentication lends it, e.g. `azure-workload`; absent: nobody's. */
  readonly podIdentity?: string | undefined;
  /** It feeds a formula: a target may be missing. */
  readonly isMember: boolean;
}

/** What a trigger may use. */
export interface TriggerTools extends TriggerContext {
  /** The whole metadata; values of `…FromEnv` keys are those of the environment. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly http: Http;
  readonly cluster: ClusterReader;
  /** Options for TLS connections: the trigger's certificates beside the operator's authorities and least version. */
  tls(options: TlsMaterial): ConnectionOptions;
  now(): Date;
  /** Tells the user something that is no failure, as an event. */
  notify(message: string): void;
}

/** PEM texts. */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly keyPassword?: string | undefined;
  /** Accepts any certificate of the server. */
  readonly isUnsafe?: boolean | undefined;
}

export interface HttpRequest {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Default: the operator's. */
  readonly timeoutMs?: number | undefined;
  readonly tls?: TlsMaterial | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Requests over shared connections, through the proxies of the environment, with a limit to the size of an answer. */
export interface Http {
  /** Rejects where no answer came; any status is an answer. */
  request(url: URL, request: HttpRequest): Promise<HttpAnswer>;
  /**
   * The lines of an answer that does not end, each as it comes; blank ones are left out. Throws as `request` rejects,
   * where the status is no success, and after `timeoutMs` of silence.
   */
  lines(url: URL, request: HttpRequest): AsyncIterable<string>;
}

/** Objects of the cluster, from the operator's caches where it has them. */
export interface ClusterReader {
  /** @param selector A label selector as kubectl takes it, sets included. */
  pods(namespace: string, selector: string): Promise<readonly Pod[]>;
  /** The texts of a ConfigMap or of a Secret (decoded), or undefined where there is none. */
  data(
    kind: 'ConfigMap' | 'Secret',
    namespace: string,
    name: string,
  ): Promise<Readonly<Record<string, string>> | undefined>;
  /** Addresses of the ready endpoints of a Service; IPv6 in brackets. */
  endpoints(namespace: string, service: string): Promise<readonly string[]>;
}

export interface Pod {
  readonly name: string;
  readonly phase: string;
  readonly isReady: boolean;
  /** Absent until the pod is scheduled. */
  readonly nodeName?: string | undefined;
}

export interface Trigger<P extends Parameters> {
  /** As manifests write it; also the name of the file. */
  readonly type: string;
  /** One sentence. */
  readonly summary: string;
  /** For its page: limits, syntax, and what users of KEDA meet differently; a paragraph of sentences each. */
  readonly notes?: readonly string[];
  readonly parameters: P;
  /** False where `useCachedMetrics` makes no sense. Default: true. */
  readonly canCache?: boolean;
  /** Rules across parameters: every problem, a sentence each that names parameter, value and cure. Pure. */
  readonly check?: (values: ValuesOf<P>, context: TriggerContext) => readonly string[];
  /**
   * What the source cannot be asked with, a sentence each, where KEDA too finds that out only when it asks: the trigger
   * keeps its metric, and every reading fails with these. Pure; called after `check`.
   */
  readonly checkSource?: (values: ValuesOf<P>, context: TriggerContext) => readonly string[];
  /** The metric; absent where only the opened source knows (`Gauge.metrics`). Pure; called after `check`. */
  readonly metric?: (values: ValuesOf<P>, context: TriggerContext) => Metric;
  /** What it says at a moment, where that depends on nothing but the clock. Pure. */
  readonly readingAt?: (values: ValuesOf<P>, now: Date) => Reading;
  /** Absent where there is nothing to query. */
  readonly open?: (values: ValuesOf<P>, tools: TriggerTools) => Gauge | Promise<Gauge>;
}

/** A trigger of any parameters, as registries hold it. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of a trigger are known only to its own file.
export type AnyTrigger = Trigger<any>;

export function defineTrigger<const P extends Parameters>(trigger: Trigger<P>): Trigger<P> {
  return trigger;
}
