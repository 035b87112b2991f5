/** From what a task says to a client of the API server. It alone loads the parts that parse kubeconfigs. */
import { posix } from 'node:path';
import { TaskError } from '../../../engine/module.ts';
import { ApiClient } from '../../../kubernetes/api-client.ts';
import { systemClock } from '../../../kubernetes/clock.ts';
import { type AccessParts, accessTo } from '../../../kubernetes/cluster-access.ts';
import type { ClusterAccess, Dial } from '../../../kubernetes/credentials.ts';
import { Discovery } from '../../../kubernetes/discovery.ts';
import { podServer, selectContext } from '../../../kubernetes/kubeconfig.ts';
import {
  type Entries,
  mergeEntries,
  type NamedUser,
  parseEntries,
  parseFile,
} from '../../../kubernetes/kubeconfig-file.ts';
import { InvalidInput } from '../../../shared/errors.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterHost } from './cluster-host.ts';
import { type Connection, type Kubeconfig, SERVICE_ACCOUNT } from './connection.ts';
import type { ConnectionArgs } from './connection-args.ts';
import { isWithoutProxy } from './proxy-exceptions.ts';

type Entry = Pick<AccessParts, 'cluster' | 'user' | 'namespace'>;

/** Makes the client. Throws TaskError where what the task says leads nowhere. */
export function connect(connection: Connection, host: ClusterHost): Cluster {
  const { args, kubeconfigs, podServer: pod } = connection;
  const origin = kubeconfigs.map((each) => each.origin).join(':') || 'of the task';
  try {
    const base = pod === undefined ? entryOf(connection, origin) : podEntry(...pod);
    refusePersistence(base.user, args);
    const parts = { ...overridden(base, args), origin, clock: systemClock };
    if (!host.isLocal) refusePlugin(parts.user, host);
    const access = {
      ...withProxy(accessTo({ ...parts, readText: readTextOf(host) }), args),
      ...(!host.isLocal && { dial: dialFrom(host, parts.cluster.server) }),
    };
    const client = new ApiClient({ access, userAgent: 'tsprov' });
    const server = access.server.href.replace(/\/$/, '');
    return { server, origin, host, access, client, discovery: new Discovery(client) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const [problem] = error.problems;
    throw new TaskError(problem?.message ?? error.message, { hint: problem?.hint, cause: error });
  }
}

/** The plugin lies on the host, and so do the sessions that it knows. */
function refusePlugin(user: NamedUser | undefined, { name }: ClusterHost): void {
  const plugin = user?.exec?.command ?? user?.authProvider?.name;
  if (plugin === undefined) return;
  throw new TaskError(
    `user "${user?.name}" logs in with the plugin ${plugin}, which is not run on ${name}`,
    {
      hint: 'use a kubeconfig with a client certificate or a token, or run the task where you have logged in: delegate_to: localhost',
    },
  );
}

function dialFrom(host: ClusterHost, server: string): Dial {
  return async (to) => {
    try {
      return await host.openStream(to);
    } catch (cause) {
      if (!(cause instanceof TaskError)) throw cause;
      throw new TaskError(`the API server ${server} does not answer: ${cause.message}`, {
        hint: cause.hint,
        cause,
        result: { reason: 'Unreachable' },
      });
    }
  };
}

function readTextOf(host: ClusterHost): AccessParts['readText'] {
  return async (file) => {
    const text = await host.findText(file);
    if (text !== undefined) return text;
    throw new TaskError(`there is no file ${file} on ${host.name}`, {
      hint: 'it is to let us in to the cluster: correct the path',
    });
  };
}

function entryOf({ args, kubeconfigs }: Connection, origin: string): Entry {
  if (kubeconfigs.length === 0) {
    const cluster = { name: 'of the task', server: args.host ?? '', skipTLSVerify: false };
    return { cluster, user: { name: 'of the task' }, namespace: undefined };
  }
  return selectContext(kubeconfigs.map(parsed).reduce(mergeEntries), args.context, origin);
}

function parsed({ origin, content }: Kubeconfig): Entries {
  if (typeof content === 'string') return parseFile(content, posix.resolve(origin));
  try {
    return parseEntries(content, '/');
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidInput([{ message: `kubeconfig ${origin}: ${problem}` }], { cause });
  }
}

function podEntry(server: string, port: string): Entry {
  const cluster = {
    name: 'in-cluster',
    server: podServer(server, port),
    caFile: `${SERVICE_ACCOUNT}/ca.crt`,
    skipTLSVerify: false,
  };
  const user = { name: 'in-cluster', tokenFile: `${SERVICE_ACCOUNT}/token` };
  return { cluster, user, namespace: undefined };
}

/** What the task gives counts, whatever the kubeconfig says. */
function overridden({ cluster, user, namespace }: Entry, args: ConnectionArgs): Entry {
  const isInsecure = args.validate_certs === false;
  const authority = args.ca_cert && { caData: undefined, caFile: args.ca_cert };
  return {
    cluster: {
      ...cluster,
      ...(args.host && { server: args.host.replace(/\/+$/, '') }),
      ...(authority as object | undefined),
      ...(args.validate_certs !== undefined && { skipTLSVerify: isInsecure }),
      ...(args.proxy && { proxyUrl: args.proxy }),
    },
    user: overriddenUser(user ?? { name: 'of the task' }, args),
    namespace,
  };
}

function overriddenUser(user: NamedUser, args: ConnectionArgs): NamedUser {
  const { api_key: token, username, password, client_cert: certFile, client_key: keyFile } = args;
  const words = {
    token: undefined,
    tokenFile: undefined,
    exec: undefined,
    authProvider: undefined,
  };
  return {
    ...user,
    ...(username && password && { ...words, username, password }),
    ...(token && { ...words, token }),
    ...(certFile && { certData: undefined, certFile }),
    ...(keyFile && { keyData: undefined, keyFile }),
    ...(args.impersonate_user && { impersonateUser: args.impersonate_user }),
    ...(args.impersonate_groups && { impersonateGroups: args.impersonate_groups }),
  } as NamedUser; // Members that are undefined count as absent.
}

function refusePersistence(user: NamedUser | undefined, args: ConnectionArgs): void {
  if (args.persist_config !== true || user?.authProvider?.name !== 'oidc') return;
  throw new TaskError('persist_config: renewed OpenID Connect tokens are not written back', {
    hint: 'leave persist_config out, and log in again with your provider when the token has expired',
  });
}

function withProxy(access: ClusterAccess, args: ConnectionArgs): ClusterAccess {
  const { no_proxy: exceptions, proxy_headers: headers } = args;
  const isDirect = exceptions !== undefined && isWithoutProxy(access.server.hostname, exceptions);
  const basic = (words: string) => `Basic ${Buffer.from(words).toString('base64')}`;
  const { proxy_basic_auth: proxyWords, basic_auth: words, user_agent: agent } = headers ?? {};
  return {
    ...access,
    proxy: isDirect ? undefined : access.proxy,
    proxyHeaders: {
      ...(proxyWords && { 'proxy-authorization': basic(proxyWords) }),
      ...(words && { authorization: basic(words) }),
      ...(agent && { 'user-agent': agent }),
    },
  };
}
