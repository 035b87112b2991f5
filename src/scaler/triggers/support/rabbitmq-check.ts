/** What may be wrong between the parameters of the trigger `rabbitmq`. */
import type { TriggerContext } from '../../trigger.ts';
import { checkHttpUrl } from './http-source.ts';
import { refuseIdentity } from './pod-identity.ts';
import {
  loginOf,
  protocolOf,
  questionOf,
  type RabbitmqValues,
  schemeOf,
} from './rabbitmq-parameters.ts';
import { checkSign, requireTarget } from './target.ts';

export function checkRabbitmq(values: RabbitmqValues, context: TriggerContext): readonly string[] {
  return [
    ...checkQuestion(values, context),
    ...checkProtocol(values),
    ...checkPairs(values),
    ...checkModes(values),
    ...checkOauth(values),
    ...refuseIdentity('give username and password', context),
    ...(values.workloadIdentityResource === undefined
      ? []
      : ['workloadIdentityResource is not supported yet: give username and password']),
  ];
}

function checkQuestion(values: RabbitmqValues, context: TriggerContext): readonly string[] {
  const { queueLength, mode, value } = values;
  if (queueLength && (mode !== 'Unknown' || value)) {
    return [
      'queueLength is the old form of mode QueueLength and its value: give mode and value alone',
    ];
  }
  if (mode === 'Unknown' && value) return ['mode is missing: give it with value'];
  const name = queueLength ? 'queueLength' : 'value';
  return requireTarget(name, questionOf(values).target, context);
}

const URL_WANTED = 'host must be a URL that begins with amqp://, amqps://, http:// or https://';

function checkProtocol(values: RabbitmqValues): readonly string[] {
  const protocol = protocolOf(values);
  if (protocol === undefined) return [URL_WANTED];
  const isRead = values.protocol === 'auto' && URL.canParse(values.host);
  return [
    ...(isRead ? checkLogin(values.host) : []),
    ...(protocol === 'amqp' ? checkAmqp(values) : []),
  ];
}

/** What RabbitMQ cannot be asked with. */
export function checkRabbitmqSource(
  values: RabbitmqValues,
  context: TriggerContext,
): readonly string[] {
  const { oauthTokenURI, operation, tls, host } = values;
  return [
    ...checkSign('value', questionOf(values).target, context),
    ...checkHost(values),
    ...(tls === 'enable' && host.startsWith('amqp:')
      ? ['tls enable needs a host that begins with amqps://']
      : []),
    ...(['sum', 'avg', 'max'].includes(operation)
      ? []
      : [`operation must be one of sum, avg, max and not "${operation}"`]),
    ...(oauthTokenURI === undefined ? [] : checkHttpUrl('oauthTokenURI', oauthTokenURI)),
  ];
}

function checkHost(values: RabbitmqValues): readonly string[] {
  if (protocolOf(values) === undefined) return [];
  const { host, protocol } = values;
  const scheme = schemeOf(host);
  if (scheme === undefined || !URL.canParse(host) || /^\w+:\/\/(?:\/|$)/.test(host)) {
    return [URL_WANTED];
  }
  if (protocol === 'auto') return []; // Its login has been looked at.
  if (protocol === scheme) return checkLogin(host);
  return [`protocol ${protocol} does not fit a host that begins with ${new URL(host).protocol}//`];
}

function checkLogin(host: string): readonly string[] {
  try {
    loginOf({ host });
    return [];
  } catch {
    return ['host has a % in user or password that escapes nothing: write %25 for the sign itself'];
  }
}

/** AMQP tells the messages of one queue and nothing else. */
function checkAmqp(values: RabbitmqValues): readonly string[] {
  const { mode } = questionOf(values);
  const problems: readonly (readonly [boolean, string])[] = [
    [mode !== 'QueueLength', `mode ${mode} needs a host that begins with http:// or https://`],
    [values.useRegex, 'useRegex needs a host that begins with http:// or https://'],
    [
      values.timeout !== undefined && values.mode !== 'Unknown',
      'timeout needs a host that begins with http:// or https://',
    ],
    [
      values.oauthTokenURI !== undefined,
      'oauthTokenURI needs a host that begins with http:// or https://',
    ],
    [
      values.excludeUnacknowledged,
      'excludeUnacknowledged needs a host that begins with http:// or https://',
    ],
  ];
  return problems.filter(([isWrong]) => isWrong).map(([, message]) => message);
}

const PAIRS = [
  ['username', 'password'],
  ['cert', 'key'],
] as const;

function checkPairs(values: RabbitmqValues): readonly string[] {
  return PAIRS.flatMap(([one, other]) => {
    if ((values[one] === undefined) === (values[other] === undefined)) return [];
    const [given, missing] = values[one] === undefined ? [other, one] : [one, other];
    return [`${given} is given without ${missing}: give both`];
  });
}

function checkModes({ authModes, cert, oauthTokenURI }: RabbitmqValues): readonly string[] {
  const lacks = (mode: (typeof authModes)[number], part: string | undefined) =>
    authModes.includes(mode) && part === undefined;
  return [
    ...authModes
      .filter((mode) => mode !== 'oauth' && mode !== 'tls')
      .map((mode) => `authModes ${mode} does not work here: use username and password, or oauth`),
    ...(lacks('tls', cert) ? ['cert is missing: authModes tls needs it and key'] : []),
    ...(lacks('oauth', oauthTokenURI)
      ? ['oauthTokenURI is missing: authModes oauth needs it']
      : []),
  ];
}

function checkOauth(values: RabbitmqValues): readonly string[] {
  const { oauthTokenURI, clientID, clientSecret, username } = values;
  const parts = { oauthTokenURI, clientID, clientSecret };
  const missing = Object.entries(parts).filter(([, value]) => value === undefined);
  if (missing.length === 3) return [];
  return [
    ...missing.map(
      ([name]) => `${name} is missing: OAuth needs oauthTokenURI, clientID and clientSecret`,
    ),
    ...(username === undefined ? [] : ['username and clientID are both given: keep one login']),
  ];
}
