/** The metrics server of Kubernetes, from which the HPA reads the cpu and memory that pods use. */
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { goBinaries } from '../releases/go-build.ts';
import { mustRun } from '../run-command.ts';
import type { ControlPlane } from './control-plane.ts';
import { serviceOfHere } from './metrics-service.ts';
import { ServerProcess } from './server-process.ts';

const SOURCE = {
  name: 'metrics-server',
  version: 'v0.9.0',
  module: 'sigs.k8s.io/metrics-server',
  packages: ['cmd/metrics-server'],
  files: [],
};

/** Builds it, where it is not in the cache (three minutes). @returns its path. */
export async function metricsServerProgram(): Promise<string> {
  return join(await goBinaries(SOURCE), 'metrics-server');
}

/** Starts it and registers it with a plane that has an address; it has values some twenty seconds later. */
export async function startMetricsServer(
  plane: ControlPlane,
  folder: string,
): Promise<ServerProcess> {
  const port = await freePort();
  const { address = '' } = plane;
  const server = new ServerProcess({
    name: 'metrics-server',
    file: await metricsServerProgram(),
    args: [
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
        (option) => `--${option}=${plane.kubeconfigPath}`,
      ),
      `--bind-address=${address}`,
      `--secure-port=${port}`,
      `--cert-dir=${join(folder, 'metrics-server')}`,
      '--kubelet-insecure-tls',
      '--kubelet-preferred-address-types=InternalIP',
      '--kubelet-request-timeout=5s',
      // The shortest that it takes.
      '--metric-resolution=10s',
    ],
    log: join(folder, 'metrics-server.log'),
    isReady: async () =>
      (await mustRun('curl', ['-fsSk', `https://${address}:${port}/livez`])) === 'ok',
  });
  await server.start();
  await plane.apply(...registration(port, address));
  return server;
}

function registration(port: number, address: string): readonly object[] {
  const service = { name: 'metrics-server', namespace: 'kube-system' };
  return [
    ...serviceOfHere(service, port, address),
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.metrics.k8s.io' },
      spec: {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { ...service, port },
      },
    },
  ];
}
