/** KEDA outside the cluster, where its operator and adapter have been built into the cache. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CACHE, exists } from '../test/support/cache.ts';
import type { ControlPlane } from '../test/support/cluster/control-plane.ts';
import { metricsRegistry, serviceOfHere } from '../test/support/cluster/metrics-service.ts';
import { ServerProcess } from '../test/support/cluster/server-process.ts';
import { freePort } from '../test/support/free-port.ts';
import { mustRun } from '../test/support/run-command.ts';
import type { Contender, Running } from './scaler-measure.ts';

const VERSION = '2.21.0';
const PROGRAMS = join(CACHE, 'bin', 'keda');
const NAMES = [
  'localhost',
  'keda-operator',
  'keda-operator.keda.svc',
  'keda-operator.keda.svc.cluster.local',
  'keda-metrics-apiserver.keda.svc',
];

/** As it is installed. */
export const kedaContender = kedaWith(`KEDA ${VERSION}`, []);

/** It holds itself to 20 requests per second unless it is told otherwise. */
export const quickKedaContender = kedaWith(`KEDA ${VERSION}, --kube-api-qps 1000`, [
  '--kube-api-qps=1000',
  '--kube-api-burst=1000',
]);

function kedaWith(name: string, flags: readonly string[]): Contender {
  return {
    name,
    group: 'keda.sh',
    whyMissing: async () =>
      (await exists(join(PROGRAMS, 'operator')))
        ? undefined
        : `not measured: build its operator and adapter (cmd/operator, cmd/adapter of github.com/kedacore/keda/v2 v${VERSION}) into ${PROGRAMS}`,
    start: (plane) => start(plane, flags),
  };
}

async function start(plane: ControlPlane, flags: readonly string[]): Promise<Running> {
  const folder = join(dirname(plane.kubeconfigPath), 'keda');
  await mkdir(folder, { recursive: true });
  await makeCertificates(folder);
  const modules = (await mustRun('go', ['env', 'GOMODCACHE'])).trim();
  const crds = join(modules, `github.com/kedacore/keda/v2@v${VERSION}`, 'config/crd/bases');
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'keda' } });
  await plane.kubectl('apply', '--server-side', '-f', crds);
  const [link, metrics, probes, secure] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const operator = operatorOf(plane, folder, { link, metrics, probes }, flags);
  const adapter = adapterOf(plane, folder, { link, secure });
  await operator.start();
  await adapter.start();
  await register(plane, folder, secure);
  return {
    pids: [operator.pid, adapter.pid],
    stop: async () => {
      await adapter.stop('SIGKILL');
      await operator.stop('SIGKILL');
    },
  };
}

function operatorOf(
  plane: ControlPlane,
  folder: string,
  ports: { readonly link: number; readonly metrics: number; readonly probes: number },
  flags: readonly string[],
): ServerProcess {
  return new ServerProcess({
    name: 'keda-operator',
    file: 'env',
    args: [
      ...[`KUBECONFIG=${plane.kubeconfigPath}`, 'POD_NAMESPACE=keda', 'WATCH_NAMESPACE='],
      'KEDA_CLUSTER_OBJECT_NAMESPACE=keda',
      join(PROGRAMS, 'operator'),
      ...['--kubeconfig', plane.kubeconfigPath, '--cert-dir', folder, '--ca-dir', folder],
      ...['--enable-cert-rotation=false', '--enable-apiservice-patching=false'],
      ...['--enable-webhook-patching=false', '--zap-log-level=error'],
      `--metrics-bind-address=127.0.0.1:${ports.metrics}`,
      `--metrics-service-bind-address=127.0.0.1:${ports.link}`,
      `--health-probe-bind-address=127.0.0.1:${ports.probes}`,
      ...flags,
    ],
    log: join(folder, 'operator.log'),
    isReady: () => answers(`http://127.0.0.1:${ports.probes}/readyz`),
  });
}

function adapterOf(
  plane: ControlPlane,
  folder: string,
  ports: { readonly link: number; readonly secure: number },
): ServerProcess {
  const config = plane.kubeconfigPath;
  return new ServerProcess({
    name: 'keda-adapter',
    file: 'env',
    args: [
      ...[`KUBECONFIG=${config}`, 'POD_NAMESPACE=keda', 'WATCH_NAMESPACE='],
      join(PROGRAMS, 'adapter'),
      ...['--kubeconfig', config, '--lister-kubeconfig', config],
      ...['--authentication-kubeconfig', config, '--authorization-kubeconfig', config],
      ...[`--secure-port=${ports.secure}`, '--bind-address=127.0.0.1', '--port=0'],
      `--metrics-service-address=localhost:${ports.link}`,
      ...['--client-ca-file', join(folder, 'ca.crt'), '--cert-dir', folder],
      ...['--tls-cert-file', join(folder, 'tls.crt')],
      ...['--tls-private-key-file', join(folder, 'tls.key')],
    ],
    log: join(folder, 'adapter.log'),
    isReady: async () => true,
  });
}

async function register(plane: ControlPlane, folder: string, port: number): Promise<void> {
  const caBundle = (await mustRun('base64', ['-w0', join(folder, 'ca.crt')])).trim();
  const service = { name: 'keda-metrics-apiserver', namespace: 'keda' };
  await plane.apply(
    ...serviceOfHere(service, port),
    metricsRegistry({ ...service, port }, { caBundle }),
  );
}

async function makeCertificates(folder: string): Promise<void> {
  const at = (name: string) => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const authority = [
    '-days',
    '30',
    '-subj',
    '/CN=bench',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
  ];
  await mustRun('openssl', ['req', '-x509', ...key, ...authority]);
  const request = ['-subj', '/CN=keda-operator', '-keyout', at('tls.key'), '-out', at('tls.csr')];
  await mustRun('openssl', ['req', ...key, ...request]);
  const names = NAMES.map((name) => `DNS:${name}`).join(',');
  await writeFile(at('ext'), `subjectAltName=${names}\nextendedKeyUsage=clientAuth,serverAuth\n`);
  const signing = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '30'];
  const files = ['-in', at('tls.csr'), '-out', at('tls.crt'), '-extfile', at('ext')];
  await mustRun('openssl', ['x509', '-req', ...signing, ...files]);
}

async function answers(url: string): Promise<boolean> {
  return (await fetch(url).catch(() => undefined))?.ok === true;
}
