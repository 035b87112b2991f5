/** What the monitoring port of NATS tells about a consumer, from the server that leads it. */
import { isIP } from 'node:net';
import type { HttpAnswer } from '../../trigger.ts';
import { parseJsonAnswer, requireSuccess, urlBelow } from './http-source.ts';

export interface ConsumerSearch {
  /** URL of the monitoring port of any server. */
  readonly endpoint: string;
  readonly account?: string | undefined;
  readonly accountID: string;
  readonly stream: string;
  readonly consumer: string;
}

export interface Consumer {
  readonly name: string;
  readonly num_pending: number;
  readonly num_ack_pending: number;
  readonly cluster?: { readonly leader?: string };
}

interface Leader {
  readonly endpoint: string;
  readonly name: string;
  readonly id: string;
}

/** Where the leader was last time. */
export interface LeaderCache {
  leader: Leader | undefined;
}

type Ask = (url: URL) => Promise<HttpAnswer>;

interface Monitoring {
  readonly server_id?: string;
  readonly meta_cluster?: { readonly cluster_size?: number };
  readonly account_details?: readonly {
    readonly name?: string;
    readonly id?: string;
    readonly stream_detail?: readonly {
      readonly name?: string;
      readonly consumer_detail?: readonly Consumer[];
    }[];
  }[];
}

interface ServerDetails {
  readonly server_id?: string;
  readonly server_name?: string;
  readonly connect_urls?: readonly string[];
  readonly cluster?: { readonly urls?: readonly string[] };
}

/** Only the leader of a consumer knows its numbers. @throws {Error} where no server has the consumer. */
export async function findConsumer(
  search: ConsumerSearch,
  cache: LeaderCache,
  ask: Ask,
): Promise<Consumer> {
  const known = cache.leader === undefined ? undefined : await askKnown(search, cache.leader, ask);
  if (known !== undefined) return known;
  cache.leader = undefined;
  const monitoring = await askMonitoring(search, search.endpoint, ask);
  const isCluster = (monitoring.meta_cluster?.cluster_size ?? 1) > 1;
  if (isCluster) return findLeader(search, cache, ask);
  const consumer = consumerIn(monitoring, search);
  if (consumer !== undefined) return consumer;
  throw missing(search, monitoring);
}

/** Undefined where another server leads by now, or this one does not answer. */
async function askKnown(
  search: ConsumerSearch,
  { endpoint, name, id }: Leader,
  ask: Ask,
): Promise<Consumer | undefined> {
  const monitoring = await askMonitoring(search, endpoint, ask).catch(() => undefined);
  const consumer = monitoring && consumerIn(monitoring, search);
  const isSame = monitoring?.server_id === id && consumer?.cluster?.leader === name;
  return isSame ? consumer : undefined;
}

async function findLeader(search: ConsumerSearch, cache: LeaderCache, ask: Ask): Promise<Consumer> {
  const first = await askServer(search.endpoint, ask);
  const problems: string[] = [];
  for (const endpoint of [search.endpoint, ...endpointsOf(first, search.endpoint)]) {
    try {
      const monitoring = await askMonitoring(search, endpoint, ask);
      const consumer = consumerIn(monitoring, search);
      if (consumer === undefined) continue;
      // One address may stand for several servers: both answers must be of the same.
      const { server_name: name = '', server_id: id = '' } = await askServer(endpoint, ask);
      if (consumer.cluster?.leader !== name || monitoring.server_id !== id) continue;
      cache.leader = { endpoint, name, id };
      return consumer;
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  const reasons = problems.length === 0 ? '' : `; ${problems.join('; ')}`;
  throw new Error(
    `no server of the cluster leads consumer ${search.consumer} of stream ${search.stream} ` +
      `in account ${search.accountID}: check these names${reasons}`,
  );
}

/**
 * The other servers, whose monitoring ports are the same as of the one that is known. Where they advertise no addresses
 * to clients, they are pods behind a headless service, whose names stand before that of the service.
 */
function endpointsOf(
  { connect_urls: clients = [], cluster, server_name: name = '' }: ServerDetails,
  known: string,
): readonly string[] {
  const { protocol, port, hostname } = new URL(known);
  const hosts = (clients.length > 0 ? clients : (cluster?.urls ?? [])).map(hostOf);
  const pods = [name, ...hosts.map((host) => host.split('.')[0])].map(
    (pod) => `${pod}.${hostname}`,
  );
  const isService = clients.length === 0 && isIP(hostname) === 0;
  return [...new Set([...(isService ? pods : []), ...hosts])]
    .map((host) => `${protocol}//${host}${port === '' ? '' : `:${port}`}`)
    .filter((endpoint) => URL.canParse(endpoint));
}

const hostOf = (address: string) => address.replace(/:\d+$/, '');

async function askMonitoring(
  { accountID }: ConsumerSearch,
  endpoint: string,
  ask: Ask,
): Promise<Monitoring> {
  const query = { acc: accountID, config: 'true', consumers: 'true' };
  return askJson(urlBelow(endpoint, '/jsz', query), ask);
}

const askServer = (endpoint: string, ask: Ask): Promise<ServerDetails> =>
  askJson(urlBelow(endpoint, '/varz'), ask);

async function askJson(url: URL, ask: Ask): Promise<object> {
  const answer = await ask(url);
  requireSuccess(url, answer);
  return Object(parseJsonAnswer(url, answer));
}

/** A server that does not know the account answers with others. */
function consumerIn(
  { account_details: accounts = [] }: Monitoring,
  search: ConsumerSearch,
): Consumer | undefined {
  const found = accounts
    .filter(({ name, id }) => [name, id].some((text) => isAccount(text, search)))
    .flatMap(({ stream_detail: streams = [] }) => streams)
    .filter(({ name }) => name === search.stream)
    .flatMap(({ consumer_detail: consumers = [] }) => consumers)
    .find(({ name }) => name === search.consumer);
  if (found === undefined || isComplete(found)) return found;
  throw new Error(`NATS tells no numbers of consumer ${search.consumer}`);
}

const isAccount = (text: string | undefined, { account, accountID }: ConsumerSearch) =>
  text !== undefined && (text === accountID || text === account);

const isComplete = ({ num_pending: pending, num_ack_pending: unacknowledged }: Consumer) =>
  Number.isFinite(pending) && Number.isFinite(unacknowledged);

function missing(search: ConsumerSearch, { account_details: accounts = [] }: Monitoring): Error {
  const known = accounts.find(({ name, id }) => [name, id].some((text) => isAccount(text, search)));
  const { stream, consumer, accountID, endpoint } = search;
  if (known === undefined) return new Error(`NATS at ${endpoint} has no account ${accountID}`);
  if (!known.stream_detail?.some(({ name }) => name === stream)) {
    return new Error(`NATS at ${endpoint} has no stream ${stream} in account ${accountID}`);
  }
  return new Error(`stream ${stream} of NATS at ${endpoint} has no consumer ${consumer}`);
}
