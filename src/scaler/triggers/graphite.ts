import { shownUrl } from '../../shared/shown-url.ts';
import {
  choiceList,
  defineTrigger,
  number,
  optional,
  secret,
  text,
  type ValuesOf,
} from '../trigger.ts';
import { basic } from './support/http-authentication.ts';
import { checkHttpUrl, parseJsonAnswer, requireSuccess, urlBelow } from './support/http-source.ts';
import { checkTarget } from './support/target.ts';

const parameters = {
  serverAddress: text('Base URL of Graphite.'),
  query: text('Target that gives one series, as the render API takes it.'),
  queryTime: text('Since when, such as -10Minutes.'),
  threshold: number('What one replica should carry.', { default: 100 }),
  activationThreshold: number('Stay at zero up to this many.', { default: 0 }),
  authModes: choiceList(['basic'], 'Log in with user and password.', {
    from: ['metadata', 'authentication'],
    aliases: ['authMode'],
    default: [],
  }),
  username: optional(text('User of mode basic.', { from: ['authentication'] })),
  password: optional(secret('Password of mode basic.')),
};
type Values = ValuesOf<typeof parameters>;

export const graphite = defineTrigger({
  type: 'graphite',
  summary: 'Scales on the last point of a series of Graphite.',
  notes: [
    'No series, or a series without points, counts as 0; a series with nothing but null is a failure, and so is any HTTP status but success.',
  ],
  parameters,

  check: (values) => [
    ...(values.authModes.length > 0 && values.username === undefined
      ? ['username is missing: authMode basic needs it in a TriggerAuthentication']
      : []),
  ],
  checkSource: ({ threshold, serverAddress }, context) => [
    ...checkTarget('threshold', threshold, context),
    ...checkHttpUrl('serverAddress', serverAddress),
  ],

  metric: ({ threshold }) => ({ kind: 'external', name: 'graphite', target: threshold }),

  open: (values, { http }) => {
    const { serverAddress, query: target, queryTime: from, password } = values;
    const url = urlBelow(serverAddress, '/render', { from, target, format: 'json' });
    return {
      async read(signal) {
        const answer = await http.request(url, { headers: headersOf(values), signal });
        requireSuccess(url, answer, [password]);
        const value = lastPoint(url, parseJsonAnswer(url, answer));
        const isActive = (value ?? 0) > values.activationThreshold;
        return value === undefined ? { value: 0, isActive, isEmpty: true } : { value, isActive };
      },
      close: async () => {}, // Connections are shared.
    };
  },
});

function headersOf({
  authModes,
  username,
  password = '',
}: Values): Readonly<Record<string, string>> {
  return authModes.length === 0 ? {} : { authorization: basic(`${username}:${password}`) };
}

/** The newest value that is not null; undefined where there is no series, or it has no points. */
function lastPoint(url: URL, series: unknown): number | undefined {
  if (!Array.isArray(series)) {
    throw new Error(`${shownUrl(url)} answers with something else than series`);
  }
  if (series.length > 1) {
    throw new Error(
      `${shownUrl(url)}: the query gives ${series.length} series: ` +
        'aggregate them, for instance with sumSeries()',
    );
  }
  const points: readonly unknown[] = series[0]?.datapoints ?? [];
  if (points.length === 0) return undefined;
  const values = points.map((point) => (Array.isArray(point) ? point[0] : undefined));
  const value = values.findLast((candidate) => typeof candidate === 'number');
  if (typeof value === 'number') return value;
  throw new Error(
    `${shownUrl(url)}: all points of the series are null: ` +
      'choose an earlier queryTime, or mend what sends to Graphite',
  );
}
