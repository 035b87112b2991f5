/** The way to a host over its jump hosts, and again after a failure that may pass. */
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionSettings } from './connection.ts';
import { ConnectFailure } from './ssh-failure.ts';
import { resolveJump, type SshTarget } from './ssh-target.ts';
import { openWay } from './ssh-way.ts';

const MAX_BACKOFF_S = 30;

/** A host that has been entered. */
export interface Hop {
  /** A stream to the next host, opened from this one. */
  forward(next: SshTarget): Promise<Duplex>;
  end(): void;
}

/** Enters one host over the stream that `open` gives. */
export type Enter<H extends Hop> = (target: SshTarget, open: () => Promise<Duplex>) => Promise<H>;

/** Waits 1, 3, 7 … seconds between attempts, 30 at most. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let n = 0; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (n >= retries || !(error instanceof ConnectFailure) || !error.again) throw error;
      await delay(
        Math.min(2 ** (n + 1) - 1, MAX_BACKOFF_S) * 1000,
        undefined,
        signal === undefined ? {} : { signal },
      );
    }
  }
}

/** One attempt to reach a host. */
export class Journey<H extends Hop> {
  readonly #settings: ConnectionSettings;
  readonly #enter: Enter<H>;
  readonly #hops: H[] = [];

  constructor(settings: ConnectionSettings, enter: Enter<H>) {
    this.#settings = settings;
    this.#enter = enter;
  }

  /** Goes to the host. Throws Unreachable, and leaves no hop behind. */
  async to(target: SshTarget): Promise<H> {
    try {
      return await this.#reach(target);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Leaves all hosts, the last one first. */
  end(): void {
    for (const hop of this.#hops.splice(0).reverse()) hop.end();
  }

  #reach(target: SshTarget): Promise<H> {
    const [first, ...others] = target.proxyJump;
    return this.#stop(target, () =>
      first === undefined ? openWay(target) : this.#jump(target, [first, ...others]),
    );
  }

  async #stop(target: SshTarget, open: () => Promise<Duplex>): Promise<H> {
    const hop = await this.#enter(target, open);
    this.#hops.push(hop);
    return hop;
  }

  /** Only the first jump host may have jump hosts of its own, and never itself. */
  async #jump(
    target: SshTarget,
    [first, ...others]: readonly [string, ...string[]],
  ): Promise<Duplex> {
    const start = await resolveJump(first, this.#settings);
    const own = start.proxyJump.filter((spec) => spec !== first);
    let hop = await this.#reach({ ...start, proxyJump: own });
    for (const spec of others) {
      const next = await resolveJump(spec, this.#settings);
      const from = hop;
      hop = await this.#stop({ ...next, proxyJump: [] }, () => from.forward(next));
    }
    return hop.forward(target);
  }
}
