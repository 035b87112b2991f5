import type { ApiClient } from '../../kubernetes/api-client.ts';
import type { Discovery } from '../../kubernetes/discovery.ts';
import type { EventRecorder } from '../cluster/event-recorder.ts';
import type { Names } from '../names.ts';
import type { Http } from '../trigger.ts';
import type { Caches } from './caches.ts';

/** What the view of the cluster is made of. */
export interface KubeClusterDependencies {
  readonly client: ApiClient;
  /** For what only a leader may write. */
  readonly leader: ApiClient;
  readonly caches: Caches;
  readonly discovery: Discovery;
  readonly events: EventRecorder;
  readonly names: Names;
  readonly http: Http;
  /** Life of tokens that are asked for, in seconds. */
  readonly tokenSeconds: number;
  readonly nowMs: () => number;
}
