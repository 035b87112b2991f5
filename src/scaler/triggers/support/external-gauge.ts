/** What both kinds of external scalers share: parameters, and the questions that they answer. */
import {
  boolean,
  type ExternalMetric,
  type Gauge,
  optional,
  secret,
  type TriggerTools,
  text,
  type ValuesOf,
} from '../../trigger.ts';
import {
  connectExternalScaler,
  type ExternalScaler,
  isUnimplemented,
} from './external-connection.ts';
import type { GetMetricSpecResponse, MetricValue, ScaledObjectRef } from './external-protocol.ts';
import { keepStreaming } from './keep-streaming.ts';
import { askSource, type Source } from './source.ts';

const FROM_AUTHENTICATION = { from: ['authentication'] } as const;

export const externalParameters = {
  scalerAddress: text('Address of the scaler for gRPC, as host:port.'),
  enableTLS: boolean('Connect by TLS; a certificate means it too.', { default: false }),
  unsafeSsl: boolean('Accept any certificate of the scaler.', { default: false }),
  caCert: optional(text('Authority of the scaler, as PEM.', FROM_AUTHENTICATION)),
  tlsClientCert: optional(text('Certificate of the client, as PEM.', FROM_AUTHENTICATION)),
  tlsClientKey: optional(secret('Key of the client, as PEM.')),
};
export type ExternalValues = ValuesOf<typeof externalParameters>;

/** A scaler that is asked, and its parts for one that also pushes. */
export async function openExternal(values: ExternalValues, tools: TriggerTools) {
  const isSecure = isByTls(values);
  if (values.unsafeSsl && !isSecure) tools.notify('unsafeSsl has no effect without enableTLS');
  const { caCert: ca, unsafeSsl: isUnsafe } = values;
  const tls = isSecure ? tools.tls({ ca, isUnsafe, ...pairOf(values, tools) }) : undefined;
  const scaler = await connectExternalScaler(values.scalerAddress, tls);
  const who = { ...tools.object, scalerMetadata: tools.metadata };
  const source = describeScaler(values, tools.metadata);
  const metricsOf = (answer: GetMetricSpecResponse) => readMetrics(source, answer, tools.isMember);

  const gauge: Gauge = {
    async read(signal, metric) {
      const ask = () =>
        Promise.all([
          scaler.isActive(who, signal),
          scaler.getMetrics({ scaledObjectRef: who, metricName: metric }, signal),
        ]);
      const [{ result }, { metricValues }] = await askSource(source, ask, signal);
      return { value: readValue(source, metric, metricValues), isActive: result };
    },
    async metrics(signal) {
      const ask = () => scaler.getMetricSpec(who, signal);
      return metricsOf(await askSource(source, ask, signal));
    },
    close: async () => scaler.release(),
  };
  return { gauge, scaler, who, metricsOf };
}

/** A scaler that says when there is work, and when its metrics change. */
export async function openExternalPush(
  values: ExternalValues,
  tools: TriggerTools,
): Promise<Gauge> {
  const { gauge, scaler, who, metricsOf } = await openExternal(values, tools);
  let pushed: readonly ExternalMetric[] | undefined;
  return {
    ...gauge,
    metrics: async (signal) => pushed ?? (await gauge.metrics?.(signal)) ?? [],
    watch: (onActive, signal) =>
      keepStreaming({
        open: () => scaler.streamIsActive(who, signal),
        onMessage: ({ result }) => {
          if (result) onActive();
        },
        signal,
      }),
    watchMetrics: (onChange, signal) =>
      keepStreaming({
        open: () => metricStream(scaler, who, signal, () => (pushed = undefined)),
        onMessage: (answer) => {
          pushed = metricsOf(answer);
          onChange();
        },
        isFinal: isUnimplemented,
        signal,
      }),
  };
}

/** What was pushed holds only as long as the stream that said it. */
async function* metricStream(
  scaler: ExternalScaler,
  who: ScaledObjectRef,
  signal: AbortSignal,
  onEnd: () => void,
): AsyncIterable<GetMetricSpecResponse> {
  try {
    yield* scaler.streamMetricSpec(who, signal);
  } finally {
    onEnd();
  }
}

/** A certificate of the client without its key, or a key alone, counts for nothing. */
function pairOf(
  { tlsClientCert: cert, tlsClientKey: key }: ExternalValues,
  { notify }: Pick<TriggerTools, 'notify'>,
) {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined) notify('tlsClientCert has no effect without tlsClientKey');
  if (key !== undefined) notify('tlsClientKey has no effect without tlsClientCert');
  return {};
}

function isByTls({ enableTLS, caCert, tlsClientCert }: ExternalValues): boolean {
  return enableTLS || caCert !== undefined || tlsClientCert !== undefined;
}

/** Values out of the environment may be secret, and a scaler may repeat what it was told. */
function describeScaler(
  { scalerAddress, tlsClientKey }: ExternalValues,
  metadata: Readonly<Record<string, string>>,
): Source {
  const environment = Object.entries(metadata).filter(([name]) => name.endsWith('FromEnv'));
  const secrets = [tlsClientKey, ...environment.map(([, value]) => value)];
  return { label: `the external scaler at ${scalerAddress}`, secrets };
}

function readMetrics(
  { label }: Source,
  { metricSpecs }: GetMetricSpecResponse,
  isMember: boolean,
): readonly ExternalMetric[] {
  if (metricSpecs.length === 0) throw new Error(`${label}: it names no metric in GetMetricSpec`);
  return metricSpecs.map(({ metricName: name, targetSize, targetSizeFloat }) => {
    const target = targetSizeFloat > 0 ? targetSizeFloat : targetSize;
    if (!(target > 0) && !isMember) {
      throw new Error(`${label}: the target of ${name} must be more than 0 and not ${target}`);
    }
    return { kind: 'external', name, target };
  });
}

/** The sum of the values of that name; a scaler with one metric may name it as it likes. */
function readValue({ label }: Source, metric: string, values: readonly MetricValue[]): number {
  const named = values.filter(({ metricName }) => metricName === metric);
  const counted = named.length > 0 ? named : values;
  if (counted.length === 0) throw new Error(`${label}: it gives no value for ${metric}`);
  const value = counted.reduce(
    (total, { metricValue, metricValueFloat }) =>
      total + (metricValueFloat > 0 ? metricValueFloat : metricValue),
    0,
  );
  if (Number.isFinite(value)) return value;
  throw new Error(`${label}: its value for ${metric} is ${value}, no number`);
}
