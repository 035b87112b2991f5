/** The plain HTTP port of every role: metrics for Prometheus, probes of the kubelet. */
import type { Health } from './health.ts';
import type { ScalerMetrics } from './scaler-metrics.ts';
import {
  addHealthRoutes,
  type ListenAddress,
  listen,
  makeHttpServer,
  type RunningServer,
} from './server.ts';

export interface ObservabilityOptions {
  readonly metrics: ScalerMetrics;
  readonly health: Health;
}

/** Starts to serve `/metrics`, `/healthz`, `/livez` and `/readyz`. */
export function startObservability(
  { metrics, health }: ObservabilityOptions,
  address: ListenAddress,
): Promise<RunningServer> {
  const app = makeHttpServer();
  addHealthRoutes(app, health);
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
  return listen(app, address);
}
