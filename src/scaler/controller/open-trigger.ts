/** Makes a trigger of an object ready to be read: credentials, parameters, metric, connection. */
import type { ConnectionOptions } from 'node:tls';
import type { CredentialSettings } from '../authentication/credential-reader.ts';
import type { PodTemplate } from '../authentication/environment.ts';
import type { VaultClient } from '../authentication/vault.ts';
import { brokenRules, sourceProblems } from '../broken-rules.ts';
import { metricNameOf, type TriggerMetric } from '../decide/metrics.ts';
import { describeUnknownType } from '../known-types.ts';
import { type ParameterSources, readParameters } from '../read-parameters.ts';
import type { TriggerSpec } from '../resources/triggers.ts';
import type {
  AnyTrigger,
  ExternalMetric,
  Gauge,
  Http,
  Metric,
  MetricType,
  TlsMaterial,
  TriggerContext,
  TriggerTools,
} from '../trigger.ts';
import { measuredHttp } from './measured-http.ts';
import type { ScalerCluster } from './ports.ts';
import { TriggerProblem } from './trigger-problem.ts';
import { gatherSources, metadataForSource } from './trigger-sources.ts';

/** A trigger, and where it stands. */
export interface TriggerPlace {
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly spec: TriggerSpec & { readonly metricType?: string | undefined };
  readonly index: number;
  /** It feeds a formula. */
  readonly isMember: boolean;
  readonly template: PodTemplate | undefined;
  /** Container whose environment counts; the first where it is not said. */
  readonly containerName: string | undefined;
}

export interface TriggerDependencies {
  readonly triggers: Readonly<Record<string, AnyTrigger>>;
  readonly cluster: ScalerCluster;
  readonly settings: CredentialSettings;
  readonly vault: VaultClient;
  readonly http: Http;
  readonly tls: (options: TlsMaterial) => ConnectionOptions;
  readonly now: () => Date;
  /** Something for the user that is no failure. */
  readonly notify: (place: TriggerPlace, message: string) => void;
  /** Told of every request to a source over HTTP. */
  readonly onRequest: (request: SourceRequest) => void;
}

/** A request that a trigger has made, and how it ended. */
export interface SourceRequest {
  readonly place: TriggerPlace;
  readonly metricName: string;
  readonly status: number | 'error';
  readonly seconds: number;
}

export interface OpenTrigger {
  readonly place: TriggerPlace;
  readonly metrics: readonly TriggerMetric[];
  /** Absent where there is nothing to query. */
  readonly gauge: Gauge | undefined;
  /** When credentials have to be fetched anew. */
  readonly expiresMs: number | undefined;
}

/** A source that does not let itself be opened, of which the metrics are known all the same. */
export class UnopenedSource extends Error {
  override readonly name = 'UnopenedSource';
  readonly metrics: readonly TriggerMetric[];

  constructor(metrics: readonly TriggerMetric[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.metrics = metrics;
  }
}

/** How users find a trigger in their manifest. */
export function describePlace({ spec, index }: Pick<TriggerPlace, 'spec' | 'index'>): string {
  const name = spec.name ? ` "${spec.name}"` : '';
  return `trigger ${index} (${spec.type}${name})`;
}

/**
 * Opens a trigger.
 * @throws {TriggerProblem} where the manifest is wrong; {MissingCredential}; whatever the source said.
 */
export async function openTrigger(
  place: TriggerPlace,
  dependencies: TriggerDependencies,
  signal: AbortSignal,
): Promise<OpenTrigger> {
  const trigger = findTrigger(place, dependencies.triggers);
  const { sources, expiresMs } = await gatherSources(place, trigger.parameters, dependencies);
  const context = contextOf(place, trigger);
  const { values, problems, wrong, notices } = readParameters(trigger.parameters, sources);
  const mistakes = [
    ...problems.map(({ parameter, message }) => `${parameter} ${message}`),
    ...brokenRules(trigger, values, { wrong }, context),
  ];
  if (mistakes.length > 0) throw new TriggerProblem(mistakes.join('; '));
  for (const notice of notices) dependencies.notify(place, notice);
  const known = trigger.metric?.(values, context);
  const metrics = known === undefined ? [] : [triggerMetric(known, context)];
  const tools = toolsFor(place, context, sources, metrics[0]?.metricName ?? '', dependencies);
  const hindrances = sourceProblems(trigger, values, { wrong }, context);
  const gauge =
    hindrances.length > 0
      ? unreadable(new TriggerProblem(hindrances.join('; ')))
      : await openGauge(() => trigger.open?.(values, tools), metrics);
  try {
    const named = (await gauge?.metrics?.(signal)) ?? [];
    const all = [...metrics, ...named.map((metric) => triggerMetric(metric, context))];
    if (all.length === 0) throw new TriggerProblem('the source names no metric');
    return { place, metrics: all, gauge, expiresMs };
  } catch (error) {
    await gauge?.close();
    throw error;
  }
}

/** @throws {UnopenedSource} where the metrics are known without the source. */
async function openGauge(
  open: () => Gauge | Promise<Gauge> | undefined,
  metrics: readonly TriggerMetric[],
): Promise<Gauge | undefined> {
  try {
    return await open();
  } catch (error) {
    throw metrics.length > 0 ? new UnopenedSource(metrics, error) : error;
  }
}

/** Of a source that cannot be asked: every reading tells why. */
function unreadable(problem: TriggerProblem): Gauge {
  return { read: () => Promise.reject(problem), close: async () => {} };
}

function toolsFor(
  place: TriggerPlace,
  context: TriggerContext,
  sources: ParameterSources,
  metricName: string,
  { http, cluster, tls, now, notify, onRequest }: TriggerDependencies,
): TriggerTools {
  return {
    ...context,
    metadata: metadataForSource(sources),
    http: measuredHttp(http, (answer) => onRequest({ place, metricName, ...answer })),
    cluster,
    tls,
    now,
    notify: (message) => notify(place, message),
  };
}

/**
 * The trigger of a type.
 * @throws {TriggerProblem} with the near names where there is none.
 */
export function findTrigger(
  { spec }: Pick<TriggerPlace, 'spec'>,
  triggers: Readonly<Record<string, AnyTrigger>>,
): AnyTrigger {
  const found = Object.hasOwn(triggers, spec.type) ? triggers[spec.type] : undefined;
  if (found !== undefined) return found;
  throw new TriggerProblem(describeUnknownType(spec.type, Object.keys(triggers)));
}

function contextOf(
  { object, spec, index, isMember }: TriggerPlace,
  trigger: AnyTrigger,
): TriggerContext {
  const { metricType } = spec;
  return {
    object,
    index,
    name: spec.name,
    metricType: readMetricType(metricType, trigger),
    isMember,
  };
}

function readMetricType(text: string | undefined, trigger: AnyTrigger): MetricType | undefined {
  if (text === undefined || text === '')
    return trigger.open === undefined ? undefined : 'AverageValue';
  if (text === 'AverageValue' || text === 'Value') return text;
  if (text === 'Utilization' && trigger.open === undefined) return text;
  if (text === 'Utilization') {
    throw new TriggerProblem(
      'metricType Utilization works for cpu and memory only: use AverageValue or Value',
    );
  }
  throw new TriggerProblem(
    `metricType must be AverageValue, Value or (cpu and memory) Utilization and not "${text}"`,
  );
}

function triggerMetric(metric: Metric, { index, metricType }: TriggerContext): TriggerMetric {
  if (metric.kind === 'resource') return { index, metricType, metric };
  return { index, metricType, metric, metricName: nameOf(index, metric) };
}

function nameOf(index: number, { name }: ExternalMetric): string {
  return metricNameOf(index, name);
}
