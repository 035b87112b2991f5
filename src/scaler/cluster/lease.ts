import type { ApiClient } from '../../kubernetes/api-client.ts';
import { isConflict, isNotFound } from '../../kubernetes/api-error.ts';
import type { Random } from '../../kubernetes/backoff.ts';
import { type Clock, sleep, systemClock } from '../../kubernetes/clock.ts';
import { Deadline } from '../../kubernetes/deadline.ts';
import type { ObjectPath } from '../../kubernetes/objects.ts';
import { claim, type Lease, release } from './lease-record.ts';

export interface ElectionOptions {
  readonly client: Pick<ApiClient, 'find' | 'create' | 'replace'>;
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Of this process; no other may have it. */
  readonly identity: string;
  /** How long the others wait after the last sign of life; default 15 s. */
  readonly leaseDurationMs?: number | undefined;
  /** How long the leader goes on without a successful renewal; default 10 s, less than the duration. */
  readonly renewDeadlineMs?: number | undefined;
  /** Default 2 s. */
  readonly retryPeriodMs?: number | undefined;
  /**
   * Begins the leader's work, which ends when the signal aborts. The lease is given back only after the promise resolves:
   * what is still being written then is written by the leader.
   */
  readonly onStartedLeading: (signal: AbortSignal) => Promise<void> | void;
  /** What the leader tells the others, as annotations of the Lease; read at every write. */
  readonly annotations?: () => Readonly<Record<string, string>>;
  /** The work has ended, wanted or not. */
  readonly onStoppedLeading?: () => void;
  /** Somebody, perhaps this process, holds the lease now. */
  readonly onNewLeader?: (identity: string) => void;
  readonly onProblem: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * Leads while it holds a Lease. Time is measured here and never read from the record: a lease is free when it has not
 * changed before our eyes for as long as it says, and a leader stops when its last renewal that began in time is too long ago.
 */
export class LeaderElector {
  readonly #options: ElectionOptions;
  readonly #durationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  readonly #path: ObjectPath;
  readonly #clock: Clock;
  readonly #random: Random;
  #lease: Lease | undefined;
  /** When the lease was last seen to change. */
  #seenAtMs = 0;
  /** When the last successful renewal was begun. */
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #leader: string | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#durationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2000;
    if (this.#durationMs <= this.#renewDeadlineMs || this.#renewDeadlineMs <= this.#retryPeriodMs) {
      throw new RangeError(
        `the lease duration (${this.#durationMs} ms) must be longer than the renew deadline (${this.#renewDeadlineMs} ms), and that longer than the retry period (${this.#retryPeriodMs} ms)`,
      );
    }
    const { namespace, name } = options;
    this.#path = {
      group: 'coordination.k8s.io',
      version: 'v1',
      resource: 'leases',
      namespace,
      name,
    };
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
  }

  /** Whether this process may act now: true only while nobody else can have taken the lease. */
  get isLeading(): boolean {
    return this.#leftMs() > 0;
  }

  /** Who held the lease when we last looked. */
  get leader(): string | undefined {
    return this.#leader;
  }

  /** What that process tells by an annotation of the lease. */
  told(annotation: string): string | undefined {
    if (this.#leader === undefined) return undefined;
    return this.#lease?.metadata.annotations?.[annotation];
  }

  /** Stands for election, leads, and stands again, until the signal aborts; gives the lease back then. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#try(signal, this.#renewDeadlineMs)) await this.#lead(signal);
      else await this.#pause(signal);
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { onStoppedLeading, onProblem } = this.#options;
    const leading = new Deadline(this.#clock, this.#leftMs(), signal);
    const work = this.#work(leading.signal).catch(onProblem);
    await this.#keep(leading);
    leading.end(new Error('the lease is lost'));
    await work;
    if (signal.aborted && this.isLeading) await this.#release();
    this.#renewedAtMs = Number.NEGATIVE_INFINITY;
    onStoppedLeading?.();
  }

  async #work(signal: AbortSignal): Promise<void> {
    await this.#options.onStartedLeading(signal);
  }

  /** How much longer we lead without a renewal. */
  #leftMs(): number {
    return this.#renewedAtMs + this.#renewDeadlineMs - this.#clock.monotonicMs();
  }

  /** Renews the lease until it is lost or the signal aborts. */
  async #keep(leading: Deadline): Promise<void> {
    for (;;) {
      await this.#pause(leading.signal);
      const leftMs = this.#leftMs();
      if (leading.signal.aborted || leftMs <= 0) return;
      const renewed = await this.#try(leading.signal, leftMs);
      if (renewed) leading.restart(this.#leftMs());
      else if (this.#isTaken()) return;
    }
  }

  /** Takes or renews the lease; false where that did not work or somebody else holds it. */
  async #try(signal: AbortSignal, timeoutMs: number): Promise<boolean> {
    const startedMs = this.#clock.monotonicMs();
    try {
      if (!this.#holds() || !(await this.#write(signal, timeoutMs))) {
        this.#observe(await this.#read(signal, timeoutMs));
        if (!this.#isFree() || !(await this.#write(signal, timeoutMs))) return false;
      }
      this.#renewedAtMs = startedMs;
      return true;
    } catch (error) {
      if (!signal.aborted) this.#options.onProblem(error);
      return false;
    }
  }

  #read(signal: AbortSignal, timeoutMs: number): Promise<Lease | undefined> {
    return this.#options.client.find<Lease>(this.#path, { signal, timeoutMs, isUrgent: true });
  }

  /** Writes our claim over the lease that we know; false where somebody has written or removed it meanwhile. */
  async #write(signal: AbortSignal, timeoutMs: number): Promise<boolean> {
    const { client, identity, namespace, name } = this.#options;
    const times = { durationMs: this.#durationMs, wallMs: this.#clock.wallMs() };
    const spec = claim(this.#lease?.spec, identity, times);
    const options = { signal, timeoutMs, isUrgent: true };
    const known = this.#lease?.metadata ?? { namespace, name };
    const annotations = { ...known.annotations, ...this.#options.annotations?.() };
    const metadata = { ...known, annotations };
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    try {
      this.#observe(
        this.#lease === undefined
          ? await client.create<Lease>({ ...this.#path, name: undefined }, body, options)
          : await client.replace<Lease>(this.#path, body, options),
      );
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  async #release(): Promise<void> {
    const spec = this.#lease?.spec;
    if (spec === undefined || !this.#holds()) return;
    const body = { ...this.#lease, spec: release(spec, this.#clock.wallMs()) };
    const options = { timeoutMs: this.#retryPeriodMs, isUrgent: true };
    try {
      this.#observe(await this.#options.client.replace<Lease>(this.#path, body, options));
    } catch (error) {
      this.#options.onProblem(error);
    }
  }

  #observe(lease: Lease | undefined): void {
    if (lease?.metadata.resourceVersion !== this.#lease?.metadata.resourceVersion) {
      this.#seenAtMs = this.#clock.monotonicMs();
    }
    this.#lease = lease;
    const holder = lease?.spec?.holderIdentity || undefined;
    if (holder !== undefined && holder !== this.#leader) this.#options.onNewLeader?.(holder);
    this.#leader = holder;
  }

  #holds(): boolean {
    return this.#lease?.spec?.holderIdentity === this.#options.identity;
  }

  /** Whether somebody else has it: without it we may lead on until the deadline. */
  #isTaken(): boolean {
    return Boolean(this.#lease?.spec?.holderIdentity) && !this.#holds();
  }

  #isFree(): boolean {
    const spec = this.#lease?.spec;
    if (!spec?.holderIdentity || this.#holds()) return true;
    const durationMs = (spec.leaseDurationSeconds ?? 0) * 1000;
    return this.#clock.monotonicMs() - this.#seenAtMs >= durationMs;
  }

  /** Candidates must not all ask at the same moment. */
  #pause(signal: AbortSignal): Promise<void> {
    const ms = this.#retryPeriodMs * (1 + this.#random() / 5);
    return sleep(this.#clock, ms, signal).catch(() => undefined);
  }
}
