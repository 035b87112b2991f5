/** What the arguments and the environment of a task say about the way to a cluster. Nothing is parsed yet. */
import { TaskError } from '../../../engine/module.ts';
import type { ClusterHost } from './cluster-host.ts';
import type { ConnectionArgs } from './connection-args.ts';
import type { Environment } from './environment.ts';

/** A kubeconfig before it is parsed: the text of a file, or what the playbook has written as a mapping. */
export interface Kubeconfig {
  readonly origin: string;
  readonly content: string | object;
}

/** Everything that decides which cluster is meant and who we are there. */
export interface Connection {
  readonly args: ConnectionArgs;
  readonly kubeconfigs: readonly Kubeconfig[];
  /** URL of the API server that a pod is told. */
  readonly podServer: readonly [host: string, port: string] | undefined;
}

export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Decides between arguments, kubeconfig and the service account of a pod, as kubernetes.core does.
 * @throws {TaskError} where no kubeconfig is there.
 */
export async function readConnection(
  host: ClusterHost,
  args: ConnectionArgs,
  environment: Environment,
): Promise<Connection> {
  const located = await withPaths(host, args);
  if (isComplete(args)) return { args: located, kubeconfigs: [], podServer: undefined };
  const isNamed = args.kubeconfig !== undefined || args.context !== undefined;
  const podServer = isNamed ? undefined : await podServerOf(host, environment);
  if (podServer !== undefined) return { args: located, kubeconfigs: [], podServer };
  const kubeconfigs = await kubeconfigsOf(host, args, environment);
  return { args: located, kubeconfigs, podServer };
}

/** Paths of `K8S_AUTH_…` have not been expanded as those of arguments have. */
async function withPaths(host: ClusterHost, args: ConnectionArgs): Promise<ConnectionArgs> {
  const names = ['client_cert', 'client_key', 'ca_cert'] as const;
  const found = names.flatMap((name) => (args[name] ? [[name, args[name]] as const] : []));
  const located = found.map(async ([name, path]) => [name, await host.locate(path)] as const);
  return { ...args, ...Object.fromEntries(await Promise.all(located)) };
}

function isComplete(args: ConnectionArgs): boolean {
  const { host, username, password, api_key: token, client_cert: cert, client_key: key } = args;
  if (!host) return false;
  return Boolean((username && password) || token || (cert && key));
}

async function podServerOf(
  host: ClusterHost,
  environment: Environment,
): Promise<Connection['podServer']> {
  const { KUBERNETES_SERVICE_HOST: server, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!server || !port) return undefined;
  const token = await host.findText(`${SERVICE_ACCOUNT}/token`);
  return token === undefined ? undefined : [server, port];
}

async function kubeconfigsOf(
  host: ClusterHost,
  { kubeconfig }: ConnectionArgs,
  environment: Environment,
): Promise<readonly Kubeconfig[]> {
  if (typeof kubeconfig === 'object' && kubeconfig !== null) {
    return [{ origin: 'of the task', content: kubeconfig }];
  }
  if (kubeconfig !== undefined && typeof kubeconfig !== 'string') {
    throw new TaskError(
      `kubeconfig: ${JSON.stringify(kubeconfig)} is neither a path nor a mapping`,
    );
  }
  const paths = (kubeconfig ?? environment['KUBECONFIG'] ?? '').split(':').filter(Boolean);
  const wanted = paths.length > 0 ? paths : ['~/.kube/config'];
  const files = await Promise.all(wanted.map((path) => host.locate(path)));
  const texts = await Promise.all(files.map((file) => host.findText(file)));
  const found = files.flatMap((origin, i) => {
    const content = texts[i];
    return content === undefined ? [] : [{ origin, content }];
  });
  if (found.length > 0) return found;
  throw await noKubeconfig(host, files, paths.length > 0);
}

/** Where kubeadm, K3s, RKE2 and k0s leave the kubeconfig of the administrator. */
const USUAL_PLACES = [
  '/etc/kubernetes/admin.conf',
  '/etc/rancher/k3s/k3s.yaml',
  '/etc/rancher/rke2/rke2.yaml',
  '/var/lib/k0s/pki/admin.conf',
];

async function noKubeconfig(
  host: ClusterHost,
  files: readonly string[],
  isNamed: boolean,
): Promise<TaskError> {
  const [usual] = await host.present(USUAL_PLACES);
  const otherwise = isNamed
    ? 'correct the path, or delegate the task to the host that has it'
    : 'name one with kubeconfig, give host and api_key, or delegate the task to a control-plane node';
  return new TaskError(`there is no kubeconfig ${files.join(', ')} on ${host.name}`, {
    hint: usual === undefined ? otherwise : `did you mean kubeconfig: ${usual}?`,
  });
}
