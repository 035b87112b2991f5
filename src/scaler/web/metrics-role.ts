/** The role `metrics`: the external metrics API with its access control, wired to a cluster. */

import type { ApiClient } from '../../kubernetes/api-client.ts';
import { Changing } from '../changing.ts';
import { makeAuthenticate } from './authenticate.ts';
import {
  followAuthenticationSettings,
  readAuthenticationSettings,
} from './authentication-config.ts';
import { makeAuthorize } from './authorize.ts';
import { makeClusterReviews } from './cluster-reviews.ts';
import { type MetricsApiOptions, startMetricsApi } from './metrics-api.ts';
import type { ListenAddress, RunningServer } from './server.ts';

export interface MetricsRoleOptions
  extends Pick<
    MetricsApiOptions,
    | 'answer'
    | 'health'
    | 'scaledObjectLabel'
    | 'version'
    | 'onAnswer'
    | 'timeoutMs'
    | 'floor'
    | 'credentials'
    | 'clock'
  > {
  readonly client: ApiClient;
  /** Told what goes wrong while it runs; it mends itself. */
  readonly onProblem: (error: unknown) => void;
}

/** Starts to serve. Rejects where the cluster does not say whom to believe, or the address is taken. */
export async function startMetricsRole(
  options: MetricsRoleOptions,
  address: ListenAddress,
): Promise<RunningServer> {
  const { client, clock, onProblem } = options;
  const end = new AbortController();
  const settings = new Changing(await readAuthenticationSettings(client, end.signal));
  const reviews = makeClusterReviews(client);
  const authenticate = makeAuthenticate({ settings, reviews, clock });
  const authorize = makeAuthorize({ reviews, clock });
  const server = await startMetricsApi({ ...options, settings, authenticate, authorize }, address);
  const following = followAuthenticationSettings(client, settings, onProblem, end.signal);
  return {
    port: server.port,
    async close() {
      end.abort();
      await Promise.all([server.close(), following]);
    },
  };
}
