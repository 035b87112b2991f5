/** `tsprov-scaler run`: the operator. */
import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Command, InvalidArgumentError, Option } from 'commander';
import { pino } from 'pino';
import { ApiError, ApiUnreachable } from '../../../kubernetes/api-error.ts';
import { parseDuration } from '../../../shared/duration.ts';
import { InvalidInput } from '../../../shared/errors.ts';
import { type Names, namesFor } from '../../names.ts';
import { runOperator } from '../../operator/operator.ts';
import type { OperatorSettings, Role } from '../../operator/settings.ts';
import { triggers } from '../../triggers/registry.ts';
import { version } from '../../version.ts';
import type { ListenAddress } from '../../web/server.ts';
import { addCompatibility, type CompatibilityFlags } from '../options.ts';

interface Flags extends CompatibilityFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly serve: readonly Role[];
  readonly namespace?: string;
  readonly watchNamespace: readonly string[];
  readonly watchLabelSelector?: string;
  readonly leaderElect: boolean;
  readonly lease?: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly kubeApiQps: number;
  readonly kubeApiBurst: number;
  readonly secureAddress: ListenAddress;
  readonly metricsAddress: ListenAddress;
  readonly linkAddress?: ListenAddress;
  readonly linkHost?: string;
  readonly operatorUrl?: URL;
  readonly certSecret?: string;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly tlsCaFile?: string;
  readonly apiservice: boolean;
  readonly metricsService?: string;
  readonly metricsServicePort: number;
  readonly operatorService?: string;
  readonly clusterDomain: string;
  readonly filepathAuthRootPath?: string;
  readonly caDir: readonly string[];
  readonly clusterObjectNamespace?: string;
  readonly restrictSecretAccess: boolean;
  readonly secretNamespace: readonly string[];
  readonly tokenExpiry: number;
  readonly logLevel: string;
}

const ROLES: readonly Role[] = ['operator', 'metrics'];
const LINK_PORT = 9666;

export function runCommand(): Command {
  const command = new Command()
    .description('Run the operator: controllers, scale loops and the external metrics API.')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: KUBECONFIG, else the pod)')
    .option('--context <name>', 'context of the kubeconfig')
    .addOption(
      setting('--serve <roles>', 'operator, metrics or both', parseRoles, 'operator,metrics'),
    )
    .addOption(new Option('--namespace <name>', 'where our own objects are').env('POD_NAMESPACE'))
    .addOption(
      new Option('--watch-namespace <names>', 'namespaces between commas')
        .env('WATCH_NAMESPACE')
        .argParser(parseList)
        .default([], 'all'),
    )
    .addOption(
      new Option('--watch-label-selector <selector>', 'only objects with these labels').env(
        'WATCH_LABEL_SELECTOR',
      ),
    );
  addElection(command);
  addServers(command);
  addCertificates(command);
  addCredentials(command);
  return addCompatibility(command).action(run);
}

function addElection(command: Command): void {
  command
    .option('--no-leader-elect', 'lead without asking: only one process may run then')
    .option('--lease <name>', 'name of the Lease')
    .addOption(
      setting('--lease-duration <time>', 'how long others wait for a leader', parseTime, '15s'),
    )
    .addOption(
      setting('--renew-deadline <time>', 'how long a leader tries to renew', parseTime, '10s'),
    )
    .addOption(
      setting('--retry-period <time>', 'how often the lease is looked at', parseTime, '2s'),
    )
    .option('--kube-api-qps <number>', 'requests per second to the API server', parsePositive, 300)
    .option('--kube-api-burst <number>', 'requests at once', parsePositive, 600);
}

function addServers(command: Command): void {
  command
    .addOption(setting('--secure-address <address>', 'external metrics API', parseAddress, ':6443'))
    .addOption(setting('--metrics-address <address>', 'metrics and probes', parseAddress, ':8080'))
    .option(
      '--link-address <address>',
      `where processes with the role metrics alone, and replicas that do not lead, ask the operator (default: :${LINK_PORT} without the role metrics, else any free port)`,
      parseAddress,
    )
    .option(
      '--link-host <host>',
      'where replicas find this process (default: its address towards the API server)',
    )
    .option('--operator-url <url>', 'where such a process finds the operator', parseUrl);
}

function addCertificates(command: Command): void {
  command
    .option('--cert-secret <name>', 'Secret in which certificates are kept')
    .option('--tls-cert-file <file>', 'certificate of somebody else’s; none are made then')
    .option('--tls-private-key-file <file>', 'its key')
    .option('--tls-ca-file <file>', 'the authorities that have signed it')
    .option('--no-apiservice', 'leave the APIService alone')
    .option('--metrics-service <name>', 'Service of the external metrics API')
    .option('--metrics-service-port <port>', 'its port', parsePositive, 443)
    .option('--operator-service <name>', 'Service of the operator')
    .option('--cluster-domain <name>', 'domain of the Services', 'cluster.local');
}

function addCredentials(command: Command): void {
  command
    .option('--filepath-auth-root-path <folder>', 'where the files of `filePath` are')
    .option('--ca-dir <folder>', 'further authorities for sources; may be repeated', collect, [])
    .option('--cluster-object-namespace <name>', 'where ClusterTriggerAuthentications find Secrets')
    .option('--restrict-secret-access', 'read Secrets of that namespace only', false)
    .option(
      '--secret-namespace <names>',
      'read Secrets of these namespaces too, between commas, and of no others',
      parseList,
      [],
    )
    .addOption(setting('--token-expiry <time>', 'life of service account tokens', parseTime, '1h'))
    .addOption(
      new Option('--log-level <level>', 'what is logged')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    );
}

async function run(flags: Flags): Promise<void> {
  // The heap grows by a third of what lives in it before it is collected, and not to a multiple: nodes are small.
  setFlagsFromString('--heap-growing-percent=33');
  const log = pino({ level: flags.logLevel });
  const ending = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      log.info({ signal: name }, 'Ending was asked for');
      ending.abort();
    });
  }
  try {
    await runOperator(settingsOf(flags), triggers, log, ending.signal);
  } catch (error) {
    if (error instanceof ApiError || error instanceof ApiUnreachable) {
      throw new InvalidInput([{ message: error.message }], { cause: error });
    }
    throw error;
  }
  log.info('Everything has ended');
}

function settingsOf(flags: Flags): OperatorSettings {
  const names = namesFor(flags.compat);
  const { namespace = names.namespace, watchNamespace, kubeconfig, context } = flags;
  const roles = new Set(flags.serve);
  const operatorService = flags.operatorService ?? names.operatorService;
  const link = flags.linkAddress ?? { port: roles.has('metrics') ? 0 : LINK_PORT };
  const url = `https://${operatorService}.${namespace}.svc.${flags.clusterDomain}:${LINK_PORT}`;
  return {
    access: { kubeconfig, context },
    names,
    version: version(),
    roles,
    namespace,
    watchedNamespaces: watchNamespace.length > 0 ? watchNamespace : undefined,
    labelSelector: flags.watchLabelSelector,
    election: flags.leaderElect ? electionOf(flags, names) : undefined,
    requests: { qps: flags.kubeApiQps, burst: flags.kubeApiBurst },
    metricsApi: flags.secureAddress,
    observability: flags.metricsAddress,
    link: flags.leaderElect || !roles.has('metrics') ? link : undefined,
    linkHost: flags.linkHost,
    operatorUrl: flags.operatorUrl ?? new URL(url),
    certificates: certificatesOf(flags, names, operatorService),
    credentials: {
      clusterNamespace: flags.clusterObjectNamespace ?? namespace,
      fileRoot: flags.filepathAuthRootPath,
      secretNamespaces: secretNamespacesOf(flags, flags.clusterObjectNamespace ?? namespace),
      vaultToken: process.env['VAULT_TOKEN'],
    },
    tokenSeconds: flags.tokenExpiry / 1000,
    authorityFolders: flags.caDir,
  };
}

/** Undefined: all. */
function secretNamespacesOf(
  { restrictSecretAccess, secretNamespace }: Flags,
  own: string,
): readonly string[] | undefined {
  const isRestricted = restrictSecretAccess || secretNamespace.length > 0;
  return isRestricted ? [...new Set([own, ...secretNamespace])] : undefined;
}

function electionOf({ lease, leaseDuration, renewDeadline, retryPeriod }: Flags, names: Names) {
  return {
    lease: lease ?? names.lease,
    identity: `${hostname()}_${process.pid}_${Math.random().toString(36).slice(2, 8)}`,
    leaseDurationMs: leaseDuration,
    renewDeadlineMs: renewDeadline,
    retryPeriodMs: retryPeriod,
  };
}

function certificatesOf(flags: Flags, names: Names, operatorService: string) {
  const { tlsCertFile: cert, tlsPrivateKeyFile: key, tlsCaFile: ca } = flags;
  if ((cert === undefined) !== (key === undefined)) {
    throw new InvalidArgumentError('--tls-cert-file and --tls-private-key-file belong together');
  }
  return {
    secretName: flags.certSecret ?? names.certificateSecret,
    registration: {
      service: {
        name: flags.metricsService ?? names.metricsService,
        port: flags.metricsServicePort,
      },
      isKept: flags.apiservice,
    },
    operatorService,
    clusterDomain: flags.clusterDomain,
    files: cert === undefined || key === undefined ? undefined : { cert, key, ca },
  };
}

/** An option whose default is written as users write it. */
function setting<T>(
  flags: string,
  description: string,
  parse: (text: string) => T,
  fallback: string,
): Option {
  return new Option(flags, description).argParser(parse).default(parse(fallback), fallback);
}

function parseRoles(text: string): readonly Role[] {
  const roles = parseList(text);
  const isRole = (role: string): role is Role => ROLES.some((known) => known === role);
  if (roles.length > 0 && roles.every(isRole)) return roles;
  throw new InvalidArgumentError(`roles are ${ROLES.join(' and ')}`);
}

function parseList(text: string): readonly string[] {
  return text.split(',').flatMap((part) => part.trim() || []);
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

/** `:8080`, `8080`, `127.0.0.1:8080` or `[::1]:8080`. */
function parseAddress(text: string): ListenAddress {
  const [, host = '', port] = /^(?:(.*):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new InvalidArgumentError('an address is host:port or :port');
  }
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return { ...(bare !== '' && { host: bare }), port: Number(port) };
}

function parseUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new InvalidArgumentError('that is no URL');
}

function parseTime(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError('a time is written as 500ms, 15s or 1h');
}

function parsePositive(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError('that is no number above 0');
}
