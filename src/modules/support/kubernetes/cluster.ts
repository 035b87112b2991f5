import type { Controller } from '../../../engine/module.ts';
import type { ApiClient } from '../../../kubernetes/api-client.ts';
import type { ClusterAccess } from '../../../kubernetes/credentials.ts';
import type { Discovery } from '../../../kubernetes/discovery.ts';

import type { ClusterHost } from './cluster-host.ts';

/** A cluster as tasks see it: one for the same server and credentials, for the whole run. */
export interface Cluster {
  /** Where its API server is, as messages name it. */
  readonly server: string;
  /** Where the credentials are from, as messages name it. */
  readonly origin: string;
  /** From where it is looked at. */
  readonly host: ClusterHost;
  readonly access: ClusterAccess;
  readonly client: ApiClient;
  readonly discovery: Discovery;
}

/** The clusters that a run has opened, by everything that tells them apart. */
export class Clusters {
  readonly #open = new Map<string, Promise<Cluster>>();

  /** The clusters of the run that a task belongs to; they are closed at its end. */
  static of({ notes }: Pick<Controller, 'notes'>): Clusters {
    const known = notes.get(NAME) as Clusters | undefined; // Nobody else uses the name.
    if (known !== undefined) return known;
    const clusters = new Clusters();
    notes.set(NAME, clusters);
    return clusters;
  }

  /** The cluster with this key, opened where it is not yet. One that cannot be opened is tried again. */
  obtain(key: string, open: () => Promise<Cluster>): Promise<Cluster> {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opening = open();
    this.#open.set(key, opening);
    opening.catch(() => this.#open.delete(key));
    return opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    this.#open.clear();
    await Promise.all(
      opened.map(async (each) => {
        if (each.status === 'fulfilled') await each.value.client.close();
      }),
    );
  }
}

const NAME = 'clusters';
