/** Which roles have come to their end on a host: the same role does not run there again. */
import type { Role } from '../playbook/model.ts';

export class RoleRuns {
  readonly #busy = new Set<string>();
  readonly #done = new Set<string>();

  /** A task of the role was not skipped. */
  worked(host: string, role: Role): void {
    this.#busy.add(key(host, role));
  }

  /** The host has come to the end of the role. One whose tasks were all skipped has not run. */
  ended(host: string, role: Role): void {
    if (this.#busy.has(key(host, role))) this.#done.add(key(host, role));
  }

  /** Whether the role would run a second time. */
  isRepeated(host: string, role: Role): boolean {
    return !role.allowDuplicates && this.#done.has(key(host, role));
  }
}

function key(host: string, { identity }: Role): string {
  return JSON.stringify([host, identity]);
}
