/** Whether this process may act, of all those that run. */
import type { Logger } from 'pino';
import type { ApiClient } from '../../kubernetes/api-client.ts';
import { LeaderElector } from '../cluster/lease.ts';
import type { OperatorSettings } from './settings.ts';

/** Annotation of the Lease: where the leader answers the other replicas, as `host:port`. */
const LINK_ANNOTATION = 'scaler.tsprov.dev/link';

type Work = (signal: AbortSignal) => Promise<void>;

/** Something was about to be written by a process that does not lead, or not any more. */
export class NotLeading extends Error {
  override readonly name = 'NotLeading';
}

export class Leadership {
  readonly #elector: LeaderElector | undefined;
  #work: Work = async () => {};
  #linkAddress: string | undefined;

  constructor(
    { election, namespace }: Pick<OperatorSettings, 'election' | 'namespace'>,
    client: ApiClient,
    { log, onProblem }: { readonly log: Logger; readonly onProblem: (error: unknown) => void },
  ) {
    if (election === undefined) return;
    const { lease, ...timing } = election;
    this.#elector = new LeaderElector({
      client,
      namespace,
      name: lease,
      ...timing,
      annotations: () => ({ [LINK_ANNOTATION]: this.#linkAddress ?? '' }),
      onStartedLeading: (leading) => {
        log.info({ lease }, 'Leadership was taken');
        return this.#work(leading);
      },
      onStoppedLeading: () => log.info({ lease }, 'Leadership has ended'),
      onNewLeader: (leader) => log.info({ leader }, 'A leader was seen'),
      onProblem,
    });
  }

  /** From now on the others ask this process there, as soon as it leads. */
  advertise(linkAddress: string): void {
    this.#linkAddress = linkAddress;
  }

  /** Where the leader answers, as `host:port`; undefined where that is this process, or nobody is known. */
  leaderAddress(): string | undefined {
    if (this.whyNot() === undefined) return undefined;
    return this.#elector?.told(LINK_ANNOTATION) || undefined;
  }

  /** Why this process may not act now; undefined where it may. Without an election it always may. */
  whyNot(): string | undefined {
    if (this.#elector === undefined || this.#elector.isLeading) return undefined;
    const { leader } = this.#elector;
    return leader === undefined
      ? 'this process does not lead, and knows of none that does'
      : `this process does not lead; ${leader} was the last to do so`;
  }

  /**
   * For before each write: a process that stood still wakes with answers to work on before it hears that its lease is gone.
   * @throws {NotLeading}
   */
  readonly require = (): void => {
    const problem = this.whyNot();
    if (problem !== undefined) throw new NotLeading(`nothing is written: ${problem}`);
  };

  /** Works while this process leads, until the signal aborts. */
  async run(work: Work, signal: AbortSignal): Promise<void> {
    if (this.#elector === undefined) return work(signal);
    this.#work = work;
    await this.#elector.run(signal);
  }
}
