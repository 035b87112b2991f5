/** Serves the external metrics API, and the link between the roles where they are two processes. */
import type { Logger } from 'pino';
import type { ApiClient } from '../../kubernetes/api-client.ts';
import { systemClock } from '../../kubernetes/clock.ts';
import type { TlsCredentials } from '../certificates/material.ts';
import { type CertificateSource, openCredentials, serviceNames } from '../certificates/open.ts';
import type { Changing } from '../changing.ts';
import { keysOf } from '../names.ts';
import type { Health } from '../web/health.ts';
import { answerWithLeader } from '../web/leader-link.ts';
import { startLink } from '../web/link.ts';
import { connectLink, type LinkClient } from '../web/link-client.ts';
import type { AnswerMetric } from '../web/metrics-api.ts';
import { startMetricsRole } from '../web/metrics-role.ts';
import type { ScalerMetrics } from '../web/scaler-metrics.ts';
import type { RunningServer } from '../web/server.ts';
import type { Leadership } from './leadership.ts';
import { addressTowards, formatAddress } from './own-address.ts';
import type { OperatorSettings } from './settings.ts';

export interface Serving {
  readonly settings: OperatorSettings;
  readonly client: ApiClient;
  readonly apiServer: URL;
  readonly answer: AnswerMetric;
  readonly metrics: ScalerMetrics;
  readonly health: Health;
  readonly leadership: Leadership;
  /** Why others should ask another process now; undefined where this one leads. */
  readonly unavailable: () => string | undefined;
  readonly log: Logger;
  readonly onProblem: (error: unknown) => void;
}

/** Starts what the roles ask for. @throws {Error} where a port or the certificates cannot be had. */
export async function startServing(
  serving: Serving,
  signal: AbortSignal,
): Promise<readonly Pick<RunningServer, 'close'>[]> {
  const { settings, client, log, onProblem } = serving;
  const { roles, link } = settings;
  const isLinked = roles.has('operator') && link !== undefined;
  if (!roles.has('metrics') && !isLinked) return [];
  const { service, isKept } = settings.certificates.registration;
  const registration =
    isKept && roles.has('metrics') ? registrationOf(settings, service) : undefined;
  const source = sourceOf(settings);
  const opening = { client, source, registration, clock: systemClock, onProblem };
  const credentials = await openCredentials(opening, signal);
  const servers: Pick<RunningServer, 'close'>[] = [];
  if (isLinked) {
    const server = await serveLink(serving, credentials, link);
    const host = settings.linkHost ?? link.host ?? (await addressTowards(serving.apiServer));
    serving.leadership.advertise(formatAddress(host, server.port));
    log.info({ host, port: server.port }, 'The link for other processes is served');
    servers.push(server);
  }
  if (roles.has('metrics')) servers.push(...(await serveApi(serving, credentials)));
  return servers;
}

async function serveApi(
  serving: Serving,
  credentials: Changing<TlsCredentials>,
): Promise<readonly Pick<RunningServer, 'close'>[]> {
  const { settings, client, metrics, health, log, onProblem } = serving;
  const link = connectOperator(serving, credentials);
  const server = await startMetricsRole(
    {
      client,
      credentials,
      answer: link.answer,
      health,
      scaledObjectLabel: keysOf(settings.names).scaledObjectName,
      version: settings.version,
      clock: systemClock,
      onAnswer: (code, seconds) => metrics.recordAnswer(code, seconds),
      onProblem,
    },
    settings.metricsApi,
  );
  log.info({ port: server.port }, 'The external metrics API is served');
  return [server, link];
}

/** Whoever has the values: the operator's process or, among its replicas, the one that leads. */
function connectOperator(
  { settings, answer: own, leadership }: Serving,
  credentials: Changing<TlsCredentials>,
): LinkClient {
  const { roles, operatorUrl, certificates, namespace } = settings;
  if (!roles.has('operator')) return connectLink({ url: operatorUrl, credentials });
  const serverName = `${certificates.operatorService}.${namespace}.svc`;
  const leaderAddress = () => leadership.leaderAddress();
  const steadyMs = systemClock.monotonicMs;
  return answerWithLeader({ own, leaderAddress, serverName, credentials, steadyMs });
}

function serveLink(
  { settings, answer, unavailable }: Serving,
  credentials: Changing<TlsCredentials>,
  address: NonNullable<OperatorSettings['link']>,
): Promise<RunningServer> {
  const clientNames = namesOf(settings);
  return startLink({ answer, credentials, clientNames, unavailable }, address);
}

function sourceOf(settings: OperatorSettings): CertificateSource {
  const { certificates, names, namespace } = settings;
  if (certificates.files !== undefined) return { kind: 'files', files: certificates.files };
  const secret = { namespace, name: certificates.secretName, manager: names.manager };
  return { kind: 'secret', secret, names: namesOf(settings) };
}

function registrationOf(
  { names, namespace }: OperatorSettings,
  { name, port }: { readonly name: string; readonly port: number },
) {
  return { service: { namespace, name, port }, manager: names.manager };
}

/** Every name under which the Services may be asked for. */
function namesOf({ certificates, namespace }: OperatorSettings): readonly string[] {
  const { registration, operatorService, clusterDomain } = certificates;
  return [registration.service.name, operatorService].flatMap((service) =>
    serviceNames(service, namespace, clusterDomain),
  );
}
