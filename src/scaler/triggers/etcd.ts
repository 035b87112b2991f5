import {
  choice,
  defineTrigger,
  integer,
  list,
  number,
  optional,
  secret,
  text,
  type ValuesOf,
} from '../trigger.ts';
import { EtcdClient } from './support/etcd-client.ts';
import { persist } from './support/persist.ts';
import { checkTarget } from './support/target.ts';

const FROM_AUTHENTICATION = { from: ['authentication'] } as const;
const LOGIN = { from: ['authentication', 'environment'] } as const;

const parameters = {
  endpoints: list('Addresses of the servers, host:port or URLs; any of them is asked.'),
  watchKey: text('Key whose value is the number.'),
  value: number('What one replica should carry.'),
  activationValue: number('Stay at zero up to this many.', { default: 0 }),
  watchProgressNotifyInterval: integer(
    'Seconds after which etcd tells that nothing changed; the watch begins anew after twice as long in silence.',
    { default: 600, minimum: 1 },
  ),
  username: optional(text('User who asks.', LOGIN)),
  password: optional(secret('Password of the user.', LOGIN)),
  tls: choice(['enable', 'disable'], 'Ask over TLS.', {
    ...FROM_AUTHENTICATION,
    default: 'disable',
  }),
  cert: optional(text('Certificate to show, PEM.', FROM_AUTHENTICATION)),
  key: optional(secret('Private key of the certificate, PEM.')),
  keyPassword: optional(secret('Password of the private key.')),
  ca: optional(
    text('Authority that signed the certificates of the servers, PEM.', FROM_AUTHENTICATION),
  ),
};
type Values = ValuesOf<typeof parameters>;

export const etcd = defineTrigger({
  type: 'etcd',
  summary: 'Scales on the number in a key of etcd, and wakes the workload as soon as it changes.',
  notes: [
    'It asks the JSON gateway of etcd (API v3), which every member serves at its client address.',
    'The gateway refuses client certificates with a common name once etcd has users: give one without, or only user and password.',
    'An activation does not wait for the next poll: the key is watched.',
  ],
  parameters,

  check: (values) => [
    ...checkPair('username', 'password', values),
    ...(values.tls === 'enable' ? checkPair('cert', 'key', values) : []),
  ],
  checkSource: (values, context) => [
    ...checkTarget('value', values.value, context),
    ...values.endpoints.flatMap((endpoint) => checkEndpoint(endpoint, values)),
  ],

  metric: ({ watchKey, value }) => ({ kind: 'external', name: `etcd-${watchKey}`, target: value }),

  open: (values, { http }) => {
    const { watchKey, activationValue, watchProgressNotifyInterval } = values;
    const endpoints = values.endpoints.map((endpoint) => urlOf(endpoint, values));
    const client = new EtcdClient({ ...values, endpoints }, http);
    const silenceMs = 2 * watchProgressNotifyInterval * 1000;
    return {
      async read(signal) {
        const value = toNumber(watchKey, await client.get(watchKey, signal));
        return { value, isActive: value > activationValue };
      },
      watch: (onActive, signal) =>
        persist(
          async (onProgress) => {
            for await (const content of client.watch(watchKey, silenceMs, signal)) {
              onProgress();
              if (Number(content) > activationValue) onActive();
            }
          },
          { firstWaitMs: 2000, mostWaitMs: 60_000, signal },
        ),
      close: async () => {}, // Connections are shared.
    };
  },
});

type Pair = readonly [keyof Values, keyof Values];

function checkPair(...[first, second, values]: [...Pair, Values]): readonly string[] {
  if ((values[first] === undefined) === (values[second] === undefined)) return [];
  const [given, missing] = values[first] === undefined ? [second, first] : [first, second];
  return [`${missing} is missing: ${given} is given, and one does not go without the other`];
}

function checkEndpoint(endpoint: string, values: Values): readonly string[] {
  const withScheme = endpoint.includes('://') ? endpoint : `http://${endpoint}`;
  if (endpoint === '' || !/^https?:\/\/[^/?#]+\/?$/.test(withScheme) || !URL.canParse(withScheme)) {
    return ['endpoints must be host:port, or URLs of servers, between commas'];
  }
  if (values.tls === 'disable' || !endpoint.startsWith('http:')) return [];
  return ['endpoints must not begin with http:// where tls is enable: write https://'];
}

function urlOf(endpoint: string, { tls }: Values): URL {
  if (endpoint.includes('://')) return new URL(endpoint);
  return new URL(`${tls === 'enable' ? 'https' : 'http'}://${endpoint}`);
}

function toNumber(key: string, content: string | undefined): number {
  if (content === undefined) throw new Error(`etcd has no key ${key}: create it with a number`);
  const value = Number(content);
  if (content.trim() !== '' && Number.isFinite(value)) return value;
  throw new Error(`the value of key ${key} in etcd is no number`);
}
