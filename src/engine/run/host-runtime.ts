import type { Become, ConnectionSettings } from '../connection/connection.ts';
import { PredictedState } from '../host/predicted.ts';
import type { Memory } from '../host/reader.ts';

/** How and as whom a task works on the host. */
interface Reach {
  readonly connection: ConnectionSettings;
  readonly become: Become | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

/** What a run knows of a host as a machine, whatever the play. */
export class HostRuntime {
  /** In check runs: what earlier tasks would have done. */
  readonly predicted = new PredictedState();
  /** Grows whenever something on the host may have changed: what was read before is not trusted after. */
  #epoch = 0;
  readonly #memory = new Map<string, Promise<unknown>>();

  get epoch(): number {
    return this.#epoch;
  }

  changed(): void {
    this.#epoch += 1;
    this.#memory.clear();
  }

  /** What tasks with the same user and environment have read of the host since it was last changed. */
  memoryFor({ connection, become, environment }: Reach): Memory {
    const scope = [connection.address, connection.user, become?.user, environment];
    return { recall: (name, read) => this.#recall(JSON.stringify([scope, name]), read) };
  }

  #recall<T>(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#memory.get(key) as Promise<T> | undefined; // Whoever names it knows what it is.
    if (known !== undefined) return known;
    const answer = read();
    this.#memory.set(key, answer);
    answer.catch(() => {
      if (this.#memory.get(key) === answer) this.#memory.delete(key);
    });
    return answer;
  }
}
