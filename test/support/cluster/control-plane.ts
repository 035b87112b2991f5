import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../free-port.ts';
import { mustRun } from '../run-command.ts';
import { until } from '../until.ts';
import { type AuditEvent, auditPolicy, isWrite, parseAuditLog } from './audit.ts';
import { kubeBinaries } from './kube-binaries.ts';
import { SCALER_NAMESPACE } from './manifests.ts';
import { Pki } from './pki.ts';
import { ServerProcess } from './server-process.ts';

export interface ControlPlaneOptions {
  /** How often the HPA controller looks; default 1s. */
  readonly hpaSyncPeriod?: string;
  /** An address of this machine at which nodes and pods reach the API server; without one it is on loopback alone. */
  readonly address?: string;
  /** More options for kube-apiserver. */
  readonly apiServerArgs?: readonly string[];
  /** More options for kube-controller-manager. */
  readonly controllerManagerArgs?: readonly string[];
}

interface Place {
  readonly folder: string;
  readonly binaries: string;
  readonly pki: Pki;
  readonly ports: {
    readonly etcd: number;
    readonly etcdPeer: number;
    readonly api: number;
    readonly controllerManager: number;
  };
}

/**
 * A real control plane on loopback: etcd, kube-apiserver with the aggregation layer and an audit log, and the controllers of
 * Kubernetes. There are no nodes: pods are made but never run (`PodCluster` has one).
 */
export class ControlPlane {
  readonly etcd: ServerProcess;
  readonly apiServer: ServerProcess;
  readonly controllerManager: ServerProcess;
  /** That of a cluster administrator. */
  readonly kubeconfigPath: string;
  readonly server: URL;
  /** As in the options: where others than this machine find what listens here. */
  readonly address: string | undefined;
  readonly #place: Place;
  readonly #looks: ((log: readonly AuditEvent[]) => void)[] = [];

  private constructor(
    place: Place,
    options: ControlPlaneOptions,
    kubeconfigs: { readonly admin: string; readonly controllerManager: string },
  ) {
    this.#place = place;
    this.kubeconfigPath = kubeconfigs.admin;
    this.server = new URL(serverOf(place));
    this.address = options.address;
    this.etcd = etcdOf(place, (...args) => this.etcdctl(...args));
    this.apiServer = apiServerOf(place, options, (...args) => this.kubectl(...args));
    this.controllerManager = controllerManagerOf(
      place,
      options,
      kubeconfigs.controllerManager,
      (...args) => this.kubectl(...args),
    );
  }

  /** Starts one and resolves when all of it is ready, in some five seconds (five minutes where it has to be built). */
  static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const binaries = await kubeBinaries();
    const folder = await mkdtemp(join(tmpdir(), 'control-plane-'));
    const [etcd = 0, etcdPeer = 0, api = 0, controllerManager = 0] = await freePorts(4);
    const pki = await Pki.create(folder, options.address ? [options.address] : []);
    const place = { folder, binaries, pki, ports: { etcd, etcdPeer, api, controllerManager } };
    await writeFile(join(folder, 'audit.yaml'), auditPolicy(SCALER_NAMESPACE));
    const plane = new ControlPlane(place, options, {
      admin: await pki.kubeconfig('admin', ['system:masters'], serverOf(place)),
      controllerManager: await pki.kubeconfig(
        'system:kube-controller-manager',
        [],
        serverOf(place),
      ),
    });
    await plane.#start();
    return plane;
  }

  /** Runs kubectl as administrator and gives what it prints; rejects with its error. */
  kubectl(...args: readonly string[]): Promise<string> {
    return this.#kubectl(args);
  }

  /** Creates or changes objects: manifests as YAML text, or as data. */
  apply(...manifests: readonly (string | object)[]): Promise<string> {
    const texts = manifests.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    return this.#kubectl(['apply', '--server-side', '-f', '-'], texts.join('\n---\n'));
  }

  /** Creates an object and gives it as the API server answers: reviews are answered and not kept. */
  async create<T>(manifest: object): Promise<T> {
    const words = ['create', '-o', 'json', '-f', '-'];
    return JSON.parse(await this.#kubectl(words, JSON.stringify(manifest))) as T;
  }

  #kubectl(args: readonly string[], input?: string): Promise<string> {
    const { binaries, folder } = this.#place;
    // Another plane may have had the port before, with other kinds.
    const cache = ['--cache-dir', join(folder, 'kubectl')];
    const words = ['--kubeconfig', this.kubeconfigPath, ...cache, ...args];
    return mustRun(join(binaries, 'kubectl'), words, { ...(input !== undefined && { input }) });
  }

  /** Waits until kubectl finds kinds, by the names of their definitions: they are established, and found a little later. */
  async untilServed(...definitions: readonly string[]): Promise<void> {
    let problem: unknown;
    const look = () =>
      this.kubectl('get', definitions.join(), '-A').then(
        () => true,
        (error: Error) => {
          problem = error.message;
          return false;
        },
      );
    await until(look, () => problem);
  }

  /** Runs etcdctl on the plane's store. */
  etcdctl(...args: readonly string[]): Promise<string> {
    const words = ['--endpoints', `http://127.0.0.1:${this.#place.ports.etcd}`, ...args];
    return mustRun('etcdctl', words, { env: { ...process.env, ETCDCTL_API: '3' } });
  }

  /** Forgets all versions of objects but the newest. */
  async compact(): Promise<void> {
    const [status] = JSON.parse(await this.etcdctl('endpoint', 'status', '-w', 'json'));
    await this.etcdctl('compaction', String(status.Status.header.revision));
  }

  /** Every request so far that changed something, or tried to. */
  async auditLog(): Promise<readonly AuditEvent[]> {
    return (await this.#wholeAuditLog()).filter(isWrite);
  }

  async #wholeAuditLog(): Promise<readonly AuditEvent[]> {
    return parseAuditLog(await readFile(join(this.#place.folder, 'audit.log'), 'utf8'));
  }

  /** Has somebody look at the audit log, reads of the scaler included, when all is over. */
  afterwards(look: (log: readonly AuditEvent[]) => void): void {
    this.#looks.push(look);
  }

  /** The certificate of the authority that signs those of users. */
  get authorityPath(): string {
    return this.#place.pki.path('ca.crt');
  }

  /** Writes a kubeconfig for another user (of at most one group) and gives its path. */
  kubeconfigFor(user: string, groups: readonly string[] = [], server = this.server.href) {
    return this.#place.pki.kubeconfig(user, groups, server);
  }

  /** A kubeconfig of a user whose certificate has expired yesterday. */
  expiredKubeconfig(user: string): Promise<string> {
    const yesterday = new Date(Date.now() - 86_400_000);
    return this.#place.pki.kubeconfig(user, [], this.server.href, yesterday);
  }

  /** Writes a kubeconfig for a service account, good for some hours, and gives its path. */
  async kubeconfigForAccount(namespace: string, account: string): Promise<string> {
    const words = ['create', 'token', account, '-n', namespace, '--duration=4h'];
    const token = (await this.kubectl(...words)).trim();
    return this.#place.pki.tokenKubeconfig(`${namespace}-${account}`, token, this.server.href);
  }

  /** Ends all of it and removes its files. */
  async stop(): Promise<void> {
    for (const part of [this.controllerManager, this.apiServer, this.etcd]) part.resume();
    // Nothing is kept: nobody has to wait for a graceful end.
    await Promise.all(
      [this.controllerManager, this.apiServer, this.etcd].map((part) => part.stop('SIGKILL')),
    );
    const log = this.#looks.length === 0 ? [] : await this.#wholeAuditLog();
    for (const look of this.#looks) look(log);
    await rm(this.#place.folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    try {
      await this.etcd.start();
      await this.apiServer.start();
      await this.controllerManager.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }
}

type Run = (...args: readonly string[]) => Promise<string>;

function serverOf({ ports }: Pick<Place, 'ports'>): string {
  return `https://127.0.0.1:${ports.api}`;
}

function etcdOf({ folder, ports }: Place, etcdctl: Run): ServerProcess {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return new ServerProcess({
    name: 'etcd',
    file: 'etcd',
    args: [
      `--data-dir=${join(folder, 'etcd')}`,
      '--unsafe-no-fsync',
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
    log: join(folder, 'etcd.log'),
    isReady: async () => (await etcdctl('endpoint', 'health')) !== undefined,
  });
}

function apiServerOf(
  { folder, binaries, pki, ports }: Place,
  { address, apiServerArgs = [] }: ControlPlaneOptions,
  kubectl: Run,
): ServerProcess {
  return new ServerProcess({
    name: 'kube-apiserver',
    file: join(binaries, 'kube-apiserver'),
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      // Only tests compact, so that they know what is still there.
      '--etcd-compaction-interval=0',
      ...(address === undefined
        ? ['--bind-address=127.0.0.1']
        : [
            ...['--bind-address=0.0.0.0', `--advertise-address=${address}`, '--allow-privileged'],
            // This machine reaches pods, and not the addresses of Services.
            '--enable-aggregator-routing',
          ]),
      `--secure-port=${ports.api}`,
      `--tls-cert-file=${pki.path('apiserver.crt')}`,
      `--tls-private-key-file=${pki.path('apiserver.key')}`,
      `--client-ca-file=${pki.path('ca.crt')}`,
      `--service-account-key-file=${pki.path('sa.key')}`,
      `--service-account-signing-key-file=${pki.path('sa.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--authorization-mode=Node,RBAC',
      // Whoever makes something that keeps its owner needs the right to change the owner's finalizers.
      '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
      `--requestheader-client-ca-file=${pki.path('front-ca.crt')}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${pki.path('front.crt')}`,
      `--proxy-client-key-file=${pki.path('front.key')}`,
      `--audit-policy-file=${join(folder, 'audit.yaml')}`,
      `--audit-log-path=${join(folder, 'audit.log')}`,
      `--kubelet-client-certificate=${pki.path('kubelet-client.crt')}`,
      `--kubelet-client-key=${pki.path('kubelet-client.key')}`,
      '--kubelet-preferred-address-types=InternalIP',
      // Else a graceful end waits a minute for whoever still watches.
      '--shutdown-watch-termination-grace-period=1s',
      ...apiServerArgs,
    ],
    log: join(folder, 'apiserver.log'),
    isReady: async () => (await kubectl('get', '--raw', '/readyz')) === 'ok',
  });
}

function controllerManagerOf(
  { folder, binaries, pki, ports }: Place,
  { hpaSyncPeriod = '1s', controllerManagerArgs = [] }: ControlPlaneOptions,
  kubeconfig: string,
  kubectl: Run,
): ServerProcess {
  const health = `https://127.0.0.1:${ports.controllerManager}/healthz`;
  return new ServerProcess({
    name: 'kube-controller-manager',
    file: join(binaries, 'kube-controller-manager'),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${pki.path('sa.key')}`,
      `--root-ca-file=${pki.path('ca.crt')}`,
      '--use-service-account-credentials',
      `--horizontal-pod-autoscaler-sync-period=${hpaSyncPeriod}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.controllerManager}`,
      ...controllerManagerArgs,
    ],
    log: join(folder, 'controller-manager.log'),
    isReady: async () => {
      // Made by it, in a namespace that the API server makes a little after it is ready.
      await kubectl('get', 'serviceaccount', 'default', '-n', 'default');
      return (await mustRun('curl', ['-fsSk', health])) === 'ok';
    },
  });
}
