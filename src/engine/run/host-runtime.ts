import { PredictedState } from '../host/predicted.ts';

/** What a run knows of a host as a machine, whatever the play. */
export class HostRuntime {
  /** In check runs: what earlier tasks would have done. */
  readonly predicted = new PredictedState();
  /** Grows whenever something on the host may have changed: what was read before is not trusted after. */
  #epoch = 0;

  get epoch(): number {
    return this.#epoch;
  }

  changed(): void {
    this.#epoch += 1;
  }
}
