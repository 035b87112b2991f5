/** The operator as a process of its own, as users run it, on a control plane of the test's. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Compatibility } from '../../../src/scaler/names.ts';
import { freePort } from '../free-port.ts';
import { mustRun } from '../run-command.ts';
import type { ControlPlane } from './control-plane.ts';
import { SCALER_NAMESPACE } from './manifests.ts';
import { metricsRegistration, metricsRegistry, metricsService } from './metrics-service.ts';
import { type RoleVariables, renderRights, rightsRecord } from './rights.ts';
import { ServerProcess } from './server-process.ts';

const PROGRAM = 'bin/tsprov-scaler.js';
/** Its service account. */
export const OPERATOR_ACCOUNT = 'scaler-operator';

export interface OperatorOptions {
  /** More options for `tsprov-scaler run`. */
  readonly args?: readonly string[];
  /** Beside that of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: that of its service account. */
  readonly kubeconfig?: string;
  /** Variables of the role that declares its rights, where they are not the usual ones. */
  readonly rights?: RoleVariables;
  /** Whose names it has; default: our own. */
  readonly compatibility?: Compatibility;
}

/**
 * Makes what the operator needs: the kinds of the scaler, its namespace, its Service with the registration of the metrics API,
 * and its rights, as the role declares them.
 */
export async function installScaler(
  plane: ControlPlane,
  port: number,
  { compatibility = 'tsprov', rights = {} }: Pick<OperatorOptions, 'compatibility' | 'rights'> = {},
): Promise<void> {
  const words = [PROGRAM, 'crds', '--compat', compatibility];
  const [definitions, roles] = await Promise.all([
    mustRun(process.execPath, words),
    renderRights({ ...ROLE, scaler_compat: compatibility, ...rights }),
  ]);
  await plane.apply(
    definitions,
    ...metricsService(port, plane.address),
    metricsRegistry(metricsRegistration(port).service),
    ...roles,
  );
  const names = ['-o', 'jsonpath={.items[*].metadata.name}'];
  await plane.untilServed(...(await plane.kubectl('get', 'crd', ...names)).split(' '));
  plane.afterwards((log) => rightsRecord.add(roles, log));
}

/** What the role is told; the rest is as users have it who say nothing. */
const ROLE = {
  scaler_namespace: SCALER_NAMESPACE,
  scaler_metrics_service: 'scaler-metrics',
  scaler_secret_access: 'cluster',
};

export class Operator {
  readonly process: ServerProcess;
  /** Where metrics and probes are served. */
  readonly url: URL;
  readonly #folder: string;
  readonly #log: string;

  private constructor(process: ServerProcess, url: URL, folder: string, log: string) {
    this.process = process;
    this.url = url;
    this.#folder = folder;
    this.#log = log;
  }

  /** Installs what the operator needs and starts it. */
  static async start(plane: ControlPlane, options: OperatorOptions = {}): Promise<Operator> {
    const port = await freePort();
    await installScaler(plane, port, options);
    const operator = await Operator.another(plane, port, options);
    await operator.process.start();
    return operator;
  }

  /** One more, not started yet, for the same Service port; its own servers have ports of their own unless it is alone. */
  static async another(
    plane: ControlPlane,
    securePort: number,
    { args = [], env = {}, kubeconfig, compatibility = 'tsprov' }: OperatorOptions = {},
  ): Promise<Operator> {
    const folder = await mkdtemp(join(tmpdir(), 'operator-'));
    const metricsPort = await freePort();
    const url = new URL(`http://127.0.0.1:${metricsPort}`);
    const log = join(folder, 'operator.log');
    const access =
      kubeconfig ?? (await plane.kubeconfigForAccount(SCALER_NAMESPACE, OPERATOR_ACCOUNT));
    const words = [
      ...['run', '--kubeconfig', access, '--log-level', 'debug'],
      ...['--compat', compatibility],
      ...['--namespace', SCALER_NAMESPACE, '--metrics-service', 'scaler-metrics'],
      ...['--metrics-service-port', String(securePort)],
      ...['--secure-address', `${plane.address ?? '127.0.0.1'}:${securePort}`],
      ...['--metrics-address', `127.0.0.1:${metricsPort}`],
    ];
    const process_ = new ServerProcess({
      name: 'tsprov-scaler',
      file: process.execPath,
      args: [PROGRAM, ...words, ...args],
      env,
      log,
      isReady: async () => {
        const answer = await fetch(new URL('/readyz', url)).catch(() => undefined);
        return answer?.ok === true;
      },
    });
    return new Operator(process_, url, folder, log);
  }

  /** Everything that it has logged. */
  log(): Promise<string> {
    return readFile(this.#log, 'utf8');
  }

  /** What Prometheus would read. */
  async metrics(): Promise<string> {
    return (await fetch(new URL('/metrics', this.url))).text();
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
