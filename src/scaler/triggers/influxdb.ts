import {
  boolean,
  choice,
  defineTrigger,
  type HttpRequest,
  number,
  optional,
  type Reading,
  secret,
  text,
  type ValuesOf,
} from '../trigger.ts';
import { checkHttpUrl, requireSuccess, urlBelow } from './support/http-source.ts';
import { valueOfCsv, valueOfRows } from './support/influxdb-answer.ts';
import { checkSign, requireTarget } from './support/target.ts';

const parameters = {
  serverURL: text('Base URL of the server.', { from: ['metadata', 'authentication'] }),
  influxVersion: choice(['2', '3'], 'Version of its API.', { default: '2' }),
  query: text('Flux (version 2), or InfluxQL or SQL (version 3).'),
  queryType: text('Language of the query in version 3: InfluxQL, or FlightSQL for SQL.', {
    default: 'InfluxQL',
  }),
  organizationName: optional(
    text('Organization; version 2 needs it.', {
      from: ['metadata', 'environment', 'authentication'],
    }),
  ),
  database: optional(
    text('Database; version 3 needs it.', { from: ['metadata', 'authentication'] }),
  ),
  metricKey: optional(text('Column with the number; version 3 needs it.')),
  authToken: optional(
    secret('Token that may read.', {
      from: ['environment', 'authentication'],
      removedFromMetadata: 'give it in a TriggerAuthentication, or by authTokenFromEnv',
    }),
  ),
  unsafeSsl: boolean('Accept any certificate of the server.', { default: false }),
  thresholdValue: number('What one replica should carry.', { default: 0 }),
  activationThresholdValue: number('Stay at zero up to this many.', { default: 0 }),
};
type Values = ValuesOf<typeof parameters>;

export const influxdb = defineTrigger({
  type: 'influxdb',
  summary: 'Scales on the result of a query of InfluxDB.',
  notes: [
    'Version 3 is asked over HTTP, at `/api/v3/query_sql` and `/api/v3/query_influxql`; KEDA speaks Arrow Flight to it. `unsafeSsl` counts for both versions.',
    'Without rows version 3 gives 0; version 2 fails without a record.',
  ],
  parameters,

  check: (values, context) => [
    ...requireTarget('thresholdValue', values.thresholdValue, context),
    ...checkVersion(values),
  ],
  checkSource: ({ thresholdValue, serverURL }, context) => [
    ...checkSign('thresholdValue', thresholdValue, context),
    ...checkHttpUrl('serverURL', serverURL),
  ],

  metric: ({ influxVersion, organizationName, database, thresholdValue }) => ({
    kind: 'external',
    name: `influxdb-${influxVersion === '2' ? organizationName : database}`,
    target: thresholdValue,
  }),

  open: (values, { http }) => {
    const { url, request } =
      values.influxVersion === '2' ? fluxRequest(values) : sqlRequest(values);
    return {
      async read(signal) {
        const tls = { isUnsafe: values.unsafeSsl };
        const answer = await http.request(url, { ...request, method: 'POST', tls, signal });
        requireSuccess(url, answer, [values.authToken]);
        if (values.influxVersion === '2') return toReading(valueOfCsv(url, answer), values);
        return toReading(valueOfRows(url, answer, values.metricKey ?? ''), values);
      },
      close: async () => {}, // Connections are shared.
    };
  },
});

function checkVersion(values: Values): readonly string[] {
  const { influxVersion, queryType } = values;
  const needed = influxVersion === '2' ? (['organizationName'] as const) : NEEDED_BY_3;
  const missing = needed
    .filter((name) => values[name] === undefined)
    .map((name) => `${name} is missing: influxVersion ${influxVersion} needs it`);
  if (influxVersion === '2' || /^(?:influxql|flightsql)$/i.test(queryType)) return missing;
  return [...missing, `queryType must be InfluxQL or FlightSQL and not "${queryType}"`];
}

const NEEDED_BY_3 = ['database', 'metricKey'] as const;

interface Ask {
  readonly url: URL;
  readonly request: Pick<HttpRequest, 'headers' | 'body'>;
}

function fluxRequest({ serverURL, organizationName = '', query, authToken }: Values): Ask {
  const dialect = { header: true, annotations: ['datatype'] };
  return {
    url: urlBelow(serverURL, '/api/v2/query', { org: organizationName }),
    request: {
      body: JSON.stringify({ type: 'flux', query, dialect }),
      headers: {
        accept: 'application/csv',
        'content-type': 'application/json',
        ...(authToken !== undefined && { authorization: `Token ${authToken}` }),
      },
    },
  };
}

function sqlRequest({ serverURL, database, query, queryType, authToken }: Values): Ask {
  const language = /sql$/i.test(queryType) ? 'sql' : 'influxql';
  return {
    url: urlBelow(serverURL, `/api/v3/query_${language}`),
    request: {
      body: JSON.stringify({ db: database, q: query, format: 'json' }),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(authToken !== undefined && { authorization: `Bearer ${authToken}` }),
      },
    },
  };
}

function toReading(value: number | undefined, { activationThresholdValue }: Values): Reading {
  const isActive = (value ?? 0) > activationThresholdValue;
  return value === undefined ? { value: 0, isActive, isEmpty: true } : { value, isActive };
}
