/** What a process with the role `metrics` has, in the process of the test. */
import { type Clock, systemClock } from '../../../src/kubernetes/clock.ts';
import type { Lifetimes } from '../../../src/scaler/certificates/make.ts';
import type { TlsCredentials } from '../../../src/scaler/certificates/material.ts';
import { openCredentials } from '../../../src/scaler/certificates/open.ts';
import type { Changing } from '../../../src/scaler/changing.ts';
import type { AnswerMetric } from '../../../src/scaler/web/metrics-api.ts';
import { startMetricsRole } from '../../../src/scaler/web/metrics-role.ts';
import type { RunningServer } from '../../../src/scaler/web/server.ts';
import { freePort } from '../free-port.ts';
import type { ControlPlane } from './control-plane.ts';
import {
  certificateSource,
  connectAs,
  metricsRegistration,
  metricsRights,
  metricsService,
  untilMetricsServed,
} from './metrics-service.ts';

/** The label of the HPA's selector that names the ScaledObject. */
export const SCALED_OBJECT_LABEL = 'scaledobject.scaler.tsprov.dev/name';

/** Makes the Service of the metrics API and the rights of its user. Gives the port that the Service leads to. */
export async function installMetrics(plane: ControlPlane): Promise<number> {
  const port = await freePort();
  await plane.apply(...metricsService(port), ...metricsRights());
  return port;
}

export interface MetricsProcessOptions {
  /** Of what is done to the certificates. */
  readonly clock?: Clock;
  readonly lifetimes?: Lifetimes;
}

/** A process that has the certificates, and may serve. */
export interface MetricsProcess {
  readonly credentials: Changing<TlsCredentials>;
  /** What it has complained of. */
  readonly problems: readonly unknown[];
  /** Serves the metrics API, and waits until the API server hands on to it. */
  serve(answer: AnswerMetric): Promise<void>;
  close(): Promise<void>;
}

/** Makes or finds the certificates, and keeps them and the registration until it is closed. */
export async function openMetricsProcess(
  plane: ControlPlane,
  port: number,
  { clock = systemClock, lifetimes }: MetricsProcessOptions = {},
): Promise<MetricsProcess> {
  const client = await connectAs(plane);
  const end = new AbortController();
  const problems: unknown[] = [];
  const onProblem = (problem: unknown) => problems.push(problem);
  const source = certificateSource(lifetimes);
  const registration = metricsRegistration(port);
  const opening = { client, source, registration, clock, onProblem };
  const credentials = await openCredentials(opening, end.signal);
  let server: RunningServer | undefined;
  return {
    credentials,
    problems,
    async serve(answer) {
      const settings = {
        health: { live: [], ready: [] },
        scaledObjectLabel: SCALED_OBJECT_LABEL,
        version: '1.2.3',
      };
      server = await startMetricsRole(
        { ...settings, client, credentials, clock: systemClock, onProblem, answer },
        { port },
      );
      await untilMetricsServed(plane, () => problems);
    },
    async close() {
      end.abort();
      await server?.close();
      await client.close();
    },
  };
}
