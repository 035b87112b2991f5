/** Finds the API server, and the way to be known there. */
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { InvalidInput } from '../shared/errors.ts';
import { type Clock, systemClock } from './clock.ts';
import { type AccessParts, accessTo, type ReadText } from './cluster-access.ts';
import type { ClusterAccess } from './credentials.ts';
import { type Entries, findEntry, mergeEntries, readEntries } from './kubeconfig-file.ts';

export interface AccessOptions {
  /** The file that `--kubeconfig` names; alone then. */
  readonly kubeconfig?: string | undefined;
  /** Default: the current one of the kubeconfig. */
  readonly context?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** Where a pod finds its service account. */
  readonly serviceAccountFolder?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the API server: the kubeconfig named, else the files of KUBECONFIG, else the service account of the pod, else
 * `~/.kube/config`.
 * @throws {InvalidInput} naming the file and what is wrong in it.
 */
export async function readAccess(options: AccessOptions = {}): Promise<ClusterAccess> {
  const { kubeconfig, env = process.env, clock = systemClock } = options;
  const named = kubeconfig ? [kubeconfig] : (env['KUBECONFIG'] ?? '').split(delimiter);
  const files = named.filter((file) => file !== '');
  if (files.length > 0) return readFiles(files, options.context, clock);
  const pod = await readPodAccess(options, env, clock);
  if (pod !== undefined) return pod;
  const own = join(env['HOME'] ?? homedir(), '.kube', 'config');
  if (await isThere(own)) return readFiles([own], options.context, clock);
  throw InvalidInput.at(
    undefined,
    'no cluster is configured: there is neither a kubeconfig nor a service account of a pod',
    'name one with --kubeconfig or KUBECONFIG',
  );
}

async function readPodAccess(
  { serviceAccountFolder = SERVICE_ACCOUNT }: AccessOptions,
  env: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<ClusterAccess | undefined> {
  const [host, port] = [env['KUBERNETES_SERVICE_HOST'], env['KUBERNETES_SERVICE_PORT']];
  const file = (name: string) => join(serviceAccountFolder, name);
  if (!host || !port || !(await isThere(file('token')))) return undefined;
  const namespace = await readText(file('namespace')).catch(() => '');
  return accessTo({
    cluster: {
      name: 'in-cluster',
      server: podServer(host, port),
      caFile: file('ca.crt'),
      skipTLSVerify: false,
    },
    user: { name: 'in-cluster', tokenFile: file('token') },
    namespace: namespace.trim() || undefined,
    origin: serviceAccountFolder,
    clock,
    readText,
  });
}

/** The URL of the API server that the environment of a pod names. */
export function podServer(host: string, port: string): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function readFiles(
  files: readonly string[],
  context: string | undefined,
  clock: Clock,
): Promise<ClusterAccess> {
  const parts = await Promise.all(files.map((file) => readEntries(file)));
  const entries = parts.reduce(mergeEntries);
  const origin = files.join(delimiter);
  return accessTo({ ...selectContext(entries, context, origin), origin, clock, readText });
}

/**
 * What a context of a kubeconfig leads to; without a name, the current one.
 * @throws {InvalidInput} naming what is missing and what is near.
 */
export function selectContext(
  entries: Entries,
  context: string | undefined,
  origin: string,
): Pick<AccessParts, 'cluster' | 'user' | 'namespace'> {
  const name = context ?? entries.currentContext;
  if (name === undefined) {
    throw InvalidInput.at(
      undefined,
      `kubeconfig ${origin} has no current-context`,
      'name one with --context',
    );
  }
  const { cluster, user, namespace } = findEntry(entries.contexts, name, 'context', origin);
  return {
    cluster: findEntry(entries.clusters, cluster, 'cluster', origin),
    user: user ? findEntry(entries.users, user, 'user', origin) : undefined,
    namespace,
  };
}

const readText: ReadText = (file) => readFile(file, 'utf8');

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
