import { shownUrl } from '../../shared/shown-url.ts';
import {
  boolean,
  defineTrigger,
  duration,
  map,
  number,
  optional,
  type Reading,
  text,
  type ValuesOf,
} from '../trigger.ts';
import {
  authenticatedHttp,
  checkAuthentication,
  checkTokenUrl,
  httpAuthentication,
  OAUTH_NOTE,
  secretsOf,
} from './support/http-authentication.ts';
import { checkHttpUrl, parseJsonAnswer, requireSuccess, urlBelow } from './support/http-source.ts';
import { refuseIdentity } from './support/pod-identity.ts';
import { checkTarget } from './support/target.ts';

const parameters = {
  serverAddress: text('Base URL of Prometheus, or of what speaks its API: Thanos, Mimir.'),
  query: text('PromQL that gives one sample.'),
  queryParameters: map('More parameters for the query, such as dedup=true.', { default: {} }),
  threshold: number('What one replica should carry.'),
  activationThreshold: number('Stay at zero up to this many.', { default: 0 }),
  namespace: optional(text('Namespace that servers with tenants restrict the query to.')),
  customHeaders: map('More headers of the request.', { default: {} }),
  ignoreNullValues: boolean(
    'Take an empty result, NaN and infinity for 0; otherwise they are failures.',
    { default: true },
  ),
  unsafeSsl: boolean('Accept any certificate of the server.', { default: false }),
  timeout: optional(duration('How long to wait for the answer.')),
  awsRegion: optional(
    text('For an identity of Amazon, which is not supported yet; without effect.', {
      from: ['metadata', 'authentication'],
    }),
  ),
  identityOwner: optional(
    text('For an identity of Amazon, which is not supported yet; without effect.'),
  ),
  ...httpAuthentication,
};
type Values = ValuesOf<typeof parameters>;

export const prometheus = defineTrigger({
  type: 'prometheus',
  summary: 'Scales on the result of a query of Prometheus.',
  notes: [
    OAUTH_NOTE,
    'Mode `apiKey` is applied too, and `unsafeSsl` counts beside `ca`. Identities of clouds are not supported yet.',
  ],
  parameters,

  check: (values, context) => [
    ...checkAuthentication(values),
    ...refuseIdentity('log in by authModes', context),
  ],
  checkSource: (values, context) => [
    ...checkTarget('threshold', values.threshold, context),
    ...checkHttpUrl('serverAddress', values.serverAddress),
    ...checkTokenUrl(values),
  ],

  metric: ({ threshold }) => ({ kind: 'external', name: 'prometheus', target: threshold }),

  open: (values, tools) => {
    const http = authenticatedHttp(values, tools, values.unsafeSsl);
    const {
      query,
      namespace,
      queryParameters,
      customHeaders: headers,
      timeout: timeoutMs,
    } = values;
    return {
      async read(signal) {
        const url = urlBelow(values.serverAddress, '/api/v1/query', {
          query,
          time: tools.now().toISOString(),
          ...(namespace !== undefined && { namespace }),
          ...queryParameters,
        });
        const answer = await http.request(url, { headers, timeoutMs, signal });
        requireSuccess(url, answer, secretsOf(values));
        return toReading(url, parseJsonAnswer(url, answer), values);
      },
      close: async () => {}, // Connections are shared.
    };
  },
});

/** The part of an answer that is read. */
interface QueryAnswer {
  readonly status?: string;
  readonly error?: string;
  readonly data?: { readonly resultType?: string; readonly result?: unknown };
}

function toReading(url: URL, answer: unknown, values: Values): Reading {
  const { value, empty } = sampleIn(url, (answer ?? {}) as QueryAnswer);
  if (empty === undefined) return { value, isActive: value > values.activationThreshold };
  if (values.ignoreNullValues) {
    return { value: 0, isActive: 0 > values.activationThreshold, isEmpty: true };
  }
  throw new Error(
    `${shownUrl(url)}: the query ${empty}, and ignoreNullValues is false: ` +
      'mend the query, for instance with "or vector(0)"',
  );
}

interface Sample {
  readonly value: number;
  /** Why there is no value. */
  readonly empty?: string;
}

function sampleIn(url: URL, { status, error, data = {} }: QueryAnswer): Sample {
  if (status !== 'success') {
    throw new Error(`${shownUrl(url)} answers ${error ?? 'without the status of a query'}`);
  }
  const { resultType, result } = data;
  if (resultType === 'scalar') return toSample(url, result);
  if (resultType !== 'vector' || !Array.isArray(result)) {
    throw new Error(`${shownUrl(url)}: the query gives a ${resultType}: ask for one sample`);
  }
  if (result.length > 1) {
    throw new Error(
      `${shownUrl(url)}: the query gives ${result.length} series: aggregate them, for instance with sum()`,
    );
  }
  if (result.length === 0) return { value: 0, empty: 'gives no series' };
  return toSample(url, result[0]?.value);
}

/** A pair of time and text. */
function toSample(url: URL, pair: unknown): Sample {
  const [, content] = Array.isArray(pair) ? pair : [];
  if (content === undefined || content === null) return { value: 0, empty: 'gives no value' };
  const infinite = /^[+-]?Inf$/.test(String(content));
  if (infinite || content === 'NaN') return { value: 0, empty: `gives ${content}` };
  const value = Number(content);
  if (String(content).trim() === '' || Number.isNaN(value)) {
    throw new Error(`${shownUrl(url)}: the query gives no number`);
  }
  return { value, ...(Number.isFinite(value) ? {} : { empty: `gives ${content}` }) };
}
