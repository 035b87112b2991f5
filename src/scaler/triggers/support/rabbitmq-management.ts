/** RabbitMQ by the HTTP API of its management plugin. */
import { shownUrl } from '../../../shared/shown-url.ts';
import type { Gauge, Http, HttpRequest, TriggerTools } from '../../trigger.ts';
import { authenticatedHttp, type HttpCredentials } from './http-authentication.ts';
import { parseJsonAnswer, requireSuccess } from './http-source.ts';
import { loginOf, questionOf, type RabbitmqValues } from './rabbitmq-parameters.ts';
import { combineQueues, type QueueNumbers, readingOf } from './rabbitmq-values.ts';

/** The part of a queue's description that counts; rates are absent until a message has passed. */
interface QueueAnswer {
  readonly messages?: unknown;
  readonly messages_ready?: unknown;
  readonly message_stats?: {
    readonly publish_details?: { readonly rate?: number };
    readonly deliver_get_details?: { readonly rate?: number };
  };
}
interface PageAnswer {
  readonly items?: readonly QueueAnswer[];
  readonly page_count?: number;
  readonly filtered_count?: number;
}

export function openManagement(
  values: RabbitmqValues,
  tools: Pick<TriggerTools, 'http' | 'now'>,
): Gauge {
  const url = managementUrl(values);
  const http = clientOf(values, tools);
  const secrets = [loginOf(values).password, values.clientSecret];
  const { mode } = questionOf(values);

  return {
    async read(signal) {
      const answer = await http.request(url, { signal, timeoutMs: values.timeout });
      requireSuccess(url, answer, secrets);
      const content = parseJsonAnswer(url, answer);
      const queues = values.useRegex
        ? itemsOf(url, content as PageAnswer | null, values)
        : [content as QueueAnswer | null];
      const numbers = queues.map((queue) => numbersOf(url, queue, values));
      const reading = readingOf(
        mode,
        combineQueues(numbers, values.useRegex ? values.operation : 'sum'),
        values.activationValue,
      );
      return queues.length === 0 ? { ...reading, isEmpty: true } : reading;
    },
    close: async () => {}, // Connections are shared.
  };
}

/** The address of one queue, or of all that a regular expression matches. */
export function managementUrl(values: RabbitmqValues): URL {
  const url = new URL(values.host);
  url.username = '';
  url.password = '';
  const segments = url.pathname.split('/');
  const last = segments.pop();
  const vhost = values.vhostName === undefined ? last : encodeURIComponent(values.vhostName);
  const queue = values.useRegex ? '' : `/${encodeURIComponent(values.queueName)}`;
  url.pathname = `${segments.join('/')}/api/queues/${vhost || '%2F'}${queue}`;
  if (!values.useRegex) return url;
  const page = { page: '1', use_regex: 'true', pagination: 'false', name: values.queueName };
  url.search = String(new URLSearchParams({ ...page, page_size: String(values.pageSize) }));
  return url;
}

function clientOf(
  values: RabbitmqValues,
  { http, now }: Pick<TriggerTools, 'http' | 'now'>,
): Pick<Http, 'request'> {
  const { ca, cert, key, keyPassword, unsafeSsl } = values;
  const tls = { ca, cert, key, keyPassword, isUnsafe: unsafeSsl };
  const own: Http = {
    request: (url: URL, request: HttpRequest) => http.request(url, { ...request, tls }),
    lines: (url, request) => http.lines(url, { ...request, tls }),
  };
  return authenticatedHttp(credentialsOf(values), { http: own, now }, unsafeSsl);
}

function credentialsOf(values: RabbitmqValues): HttpCredentials {
  const { oauthTokenURI, clientID, clientSecret, scopes, endpointParams, ca } = values;
  const { username, password } = loginOf(values);
  const basic: HttpCredentials['authModes'] = username === undefined ? [] : ['basic'];
  return {
    authModes: oauthTokenURI === undefined ? basic : ['oauth'],
    ...{ username, password, oauthTokenURI, clientID, clientSecret, scopes, endpointParams, ca },
    ...{ cert: undefined, key: undefined, bearerToken: undefined, apiKey: undefined },
    ...{ customAuthHeader: undefined, customAuthValue: undefined },
    ...{ method: 'header', keyParamName: undefined },
  };
}

function itemsOf(
  url: URL,
  page: PageAnswer | null,
  { pageSize }: RabbitmqValues,
): readonly QueueAnswer[] {
  const { items, page_count: pages = 0, filtered_count: count } = page ?? {};
  if (!Array.isArray(items)) throw new Error(`${shownUrl(url)} answers without a list of queues`);
  if (pages <= 1) return items;
  throw new Error(
    `queueName matches ${count} queues, and pageSize is ${pageSize}: raise pageSize, or match fewer`,
  );
}

/** @throws {Error} where a queue is told without its messages. */
function numbersOf(
  url: URL,
  queue: QueueAnswer | null,
  { excludeUnacknowledged }: RabbitmqValues,
): QueueNumbers {
  const messages = excludeUnacknowledged ? queue?.messages_ready : queue?.messages;
  if (typeof messages !== 'number') {
    throw new Error(
      `${shownUrl(url)} does not tell the number of messages (a new queue has none for some seconds)`,
    );
  }
  const { publish_details: published, deliver_get_details: delivered } = queue?.message_stats ?? {};
  return { messages, publishRate: published?.rate ?? 0, deliverRate: delivered?.rate ?? 0 };
}
