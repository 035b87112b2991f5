/** What the trigger `rabbitmq` is told, and what that means: the protocol, the address, the mode and the target. */
import {
  boolean,
  choice,
  choiceList,
  duration,
  integer,
  list,
  number,
  optional,
  query,
  secret,
  text,
  type ValuesOf,
} from '../../trigger.ts';

const MODES = [
  'Unknown',
  'QueueLength',
  'MessageRate',
  'DeliverGetRate',
  'PublishedToDeliveredRatio',
  'ExpectedQueueConsumptionTime',
] as const;

/** What of a queue counts. */
export type RabbitmqMode = Exclude<(typeof MODES)[number], 'Unknown'>;

const FROM_AUTHENTICATION = { from: ['authentication'] } as const;
const LOGIN = { from: ['authentication', 'environment'] } as const;

export const rabbitmqParameters = {
  queueName: text('Queue, or a regular expression of queues with useRegex.'),
  mode: choice(MODES, 'What counts; without it and value, 20 messages for each replica.', {
    default: 'Unknown',
  }),
  value: optional(number('What one replica should carry of that.')),
  queueLength: optional(number('Old form: messages that one replica should carry.')),
  activationValue: number('Stay at zero up to this many.', { default: 0 }),
  host: secret(
    'URL, amqp(s):// or http(s)://, with user, password and virtual host; or the name of a variable of the container that has it, or of the key where it is from.',
    { from: ['metadata', 'authentication', 'environment'], mayNameVariable: true },
  ),
  protocol: choice(['auto', 'amqp', 'http'], 'How to ask; auto: as the URL begins.', {
    from: ['metadata', 'authentication'],
    default: 'auto',
  }),
  vhostName: optional(
    text('Virtual host in place of that of the URL.', { from: ['metadata', 'authentication'] }),
  ),
  useRegex: boolean('Ask for every queue that queueName matches; http only.', { default: false }),
  operation: text('What becomes of several queues: sum, avg or max.', { default: 'sum' }),
  pageSize: integer('Most queues that queueName may match.', { default: 100, minimum: 1 }),
  excludeUnacknowledged: boolean('Count only messages that are ready; amqp always does.', {
    default: false,
  }),
  timeout: optional(duration('How long to wait for an answer; http only.')),
  username: optional(text('User in place of that of the URL.', LOGIN)),
  password: optional(secret('Password in place of that of the URL.', LOGIN)),
  tls: choice(['enable', 'disable'], 'Use ca, cert and key.', {
    ...FROM_AUTHENTICATION,
    default: 'disable',
  }),
  unsafeSsl: boolean('Accept any certificate of the server.', { default: false }),
  ca: optional(text('Authority of the server, as PEM.', FROM_AUTHENTICATION)),
  cert: optional(text('Certificate of the client, as PEM.', FROM_AUTHENTICATION)),
  key: optional(secret('Key of the client, as PEM.')),
  keyPassword: optional(secret('Password of the key.')),
  authModes: choiceList(
    ['apiKey', 'basic', 'tls', 'bearer', 'custom', 'oauth'],
    'Only oauth and tls may be given, and need not be.',
    { from: ['metadata', 'authentication'], aliases: ['authMode'], default: [] },
  ),
  oauthTokenURI: optional(text('Where to get tokens of OAuth; http only.', FROM_AUTHENTICATION)),
  clientID: optional(text('Client that gets the tokens.', FROM_AUTHENTICATION)),
  clientSecret: optional(secret('Secret of the client.')),
  scopes: list('Scopes to ask for.', { ...FROM_AUTHENTICATION, aliases: ['scope'], default: [] }),
  endpointParams: optional(query('More parameters for tokens.', FROM_AUTHENTICATION)),
  workloadIdentityResource: optional(
    text('Resource of an identity of Azure; not supported yet.', FROM_AUTHENTICATION),
  ),
};
export type RabbitmqValues = ValuesOf<typeof rabbitmqParameters>;

/** The mode and the target, in the new form. */
export function questionOf({ mode, value, queueLength }: RabbitmqValues): {
  readonly mode: RabbitmqMode;
  readonly target: number | undefined;
} {
  if (queueLength) return { mode: 'QueueLength', target: queueLength };
  if (mode !== 'Unknown') return { mode, target: value };
  return { mode: 'QueueLength', target: value || 20 };
}

/** How to ask: as told, else as the URL begins. Undefined where that begins otherwise. */
export function protocolOf({ protocol, host }: RabbitmqValues): 'amqp' | 'http' | undefined {
  return protocol === 'auto' ? schemeOf(host) : protocol;
}

/** How a URL begins, encrypted or not. */
export function schemeOf(host: string): 'amqp' | 'http' | undefined {
  const [, scheme] = /^(amqp|http)s?:\/\//.exec(host) ?? [];
  return scheme as 'amqp' | 'http' | undefined;
}

/** Who logs in: the pair of the authentication, else that of the URL. */
export function loginOf(values: Pick<RabbitmqValues, 'host'> & Partial<RabbitmqValues>): {
  readonly username?: string;
  readonly password?: string;
} {
  const { username, password } = values;
  if (username !== undefined && password !== undefined) return { username, password };
  const url = new URL(values.host);
  return {
    ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
    ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
  };
}
