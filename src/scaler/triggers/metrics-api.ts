import pLimit from 'p-limit';
import { shownUrl } from '../../shared/shown-url.ts';
import {
  boolean,
  choice,
  defineTrigger,
  duration,
  type HttpAnswer,
  number,
  optional,
  type TriggerTools,
  text,
  type ValuesOf,
} from '../trigger.ts';
import { LOCATION_NOTES, problemOfLocation, readDocumentValue } from './support/document-value.ts';
import {
  authenticatedHttp,
  checkAuthentication,
  httpAuthentication,
  secretsOf,
} from './support/http-authentication.ts';
import { checkHttpUrl, requireSuccess } from './support/http-source.ts';
import { checkSign, requireTarget } from './support/target.ts';

const parameters = {
  url: text('What to ask.'),
  format: choice(['prometheus', 'json', 'xml', 'yaml'], 'What it answers.', { default: 'json' }),
  valueLocation: text(
    'Where the number is: a path such as queues.0.length (json, xml, yaml), or a metric (prometheus).',
  ),
  targetValue: number('What one replica should carry.', { default: 0 }),
  activationTargetValue: number('Stay at zero up to this many.', { default: 0 }),
  unsafeSsl: boolean('Accept any certificate of the server.', { default: false }),
  aggregateFromKubeServiceEndpoints: boolean(
    'Ask every ready endpoint of the Service that the URL names.',
    { default: false },
  ),
  aggregationType: choice(['average', 'sum', 'max', 'min'], 'What becomes of their values.', {
    default: 'average',
  }),
  timeout: optional(duration('How long to wait for an answer.')),
  ...httpAuthentication,
};
type Values = ValuesOf<typeof parameters>;

const MOST_AT_ONCE = 5;

export const metricsApi = defineTrigger({
  type: 'metrics-api',
  summary: 'Scales on a number in the answer of any HTTP API.',
  notes: [
    ...LOCATION_NOTES,
    'With `xml` attributes are named `-name`, the text of an element with attributes or children `#text`, and elements of one name are a list.',
    'With `prometheus` it is a metric, with labels that must be equal: `requests{path="/"}`. The first counter, gauge or untyped series that matches counts.',
  ],
  parameters,

  check: (values, context) => [
    ...requireTarget('targetValue', values.targetValue, context),
    ...refuseModes(values),
    ...checkAuthentication(values),
  ],
  checkSource: (values, context) => [
    ...checkSign('targetValue', values.targetValue, context),
    ...checkUrl(values),
    ...checkLocation(values),
  ],

  metric: ({ valueLocation, targetValue }) => ({
    kind: 'external',
    name: `metric-api-${valueLocation}`,
    target: targetValue,
  }),

  open: (values, tools) => {
    const http = authenticatedHttp(values, tools, values.unsafeSsl);
    const ask = async (url: URL, signal: AbortSignal) => {
      const answer = await http.request(url, { timeoutMs: values.timeout, signal });
      return valueIn(url, answer, values);
    };
    return {
      async read(signal) {
        const value = values.aggregateFromKubeServiceEndpoints
          ? await aggregate(values, tools, (url) => ask(url, signal))
          : await ask(new URL(values.url), signal);
        return { value, isActive: value > values.activationTargetValue };
      },
      close: async () => {}, // Connections are shared.
    };
  },
});

/** As in KEDA, whose other triggers over HTTP have these modes. */
function refuseModes({ authModes }: Values): readonly string[] {
  return authModes
    .filter((mode) => mode === 'custom' || mode === 'oauth')
    .map((mode) => `authModes ${mode} does not work here: use apiKey, basic, bearer or tls`);
}

function checkUrl(values: Values): readonly string[] {
  const problems = checkHttpUrl('url', values.url);
  if (problems.length > 0 || !values.aggregateFromKubeServiceEndpoints) return problems;
  const { hostname } = new URL(values.url);
  if (/^[a-z0-9-]+\.[a-z0-9-]*[a-z-][a-z0-9-]*(?:\.|$)/.test(hostname)) return [];
  return [
    'url must name a Service and its namespace, http://<service>.<namespace>/…, ' +
      'for aggregateFromKubeServiceEndpoints',
  ];
}

function checkLocation({ format, valueLocation }: Values): readonly string[] {
  const problem = problemOfLocation(format, valueLocation);
  return problem === undefined ? [] : [`valueLocation ${problem}`];
}

function valueIn(url: URL, answer: HttpAnswer, values: Values): number {
  const { format, valueLocation } = values;
  requireSuccess(url, answer, secretsOf(values));
  if (answer.status !== 200) {
    throw new Error(`${shownUrl(url)} answers with HTTP status ${answer.status}, and not with 200`);
  }
  try {
    return readDocumentValue(answer.text, format, valueLocation);
  } catch (error) {
    throw new Error(`${shownUrl(url)}: the answer ${(error as Error).message}`, { cause: error });
  }
}

/** Of the endpoints that answer. @throws {Error} where none does. */
async function aggregate(
  { url, aggregationType }: Values,
  { cluster }: TriggerTools,
  ask: (url: URL) => Promise<number>,
): Promise<number> {
  const { protocol, port, pathname, hostname } = new URL(url);
  const [service = '', namespace = ''] = hostname.split('.');
  const addresses = await cluster.endpoints(namespace, service);
  if (addresses.length === 0) {
    throw new Error(`Service ${service} in namespace ${namespace} has no ready endpoints`);
  }
  const limit = pLimit(MOST_AT_ONCE);
  const outcomes = await Promise.allSettled(
    addresses.map((address) =>
      limit(() =>
        ask(new URL(`${protocol}//${address}${port === '' ? '' : `:${port}`}${pathname}`)),
      ),
    ),
  );
  const values = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  if (values.length > 0) return AGGREGATIONS[aggregationType](values);
  const [first] = outcomes;
  const reason = first?.status === 'rejected' ? (first.reason as Error).message : '';
  throw new Error(`no endpoint of Service ${service} in namespace ${namespace} answers: ${reason}`);
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const AGGREGATIONS: Readonly<
  Record<Values['aggregationType'], (values: readonly number[]) => number>
> = {
  average: (values) => sum(values) / values.length,
  sum,
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
};
