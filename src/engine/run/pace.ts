/** How the hosts of a batch wait for each other: they call `arrive` at each step. */

/** Where a host stands in its play: compared element by element, so that order is the order of the play. */
export type Path = readonly number[];

/** Runs one step for the members that are at it; gives the outcome of each. */
export type Turn<Member, Step, Outcome> = (
  step: Step,
  members: readonly Member[],
) => Promise<ReadonlyMap<Member, Outcome>>;

/** Who goes on when. */
export interface Pace<Member, Step, Outcome> {
  /** Waits for the turn of this step and gives its outcome for the member. */
  arrive(member: Member, path: Path, step: Step): Promise<Outcome>;
  /** The member has finished or given up and takes no more turns. */
  leave(member: Member): void;
  /** A member that has left takes turns again. */
  join(member: Member): void;
}

/**
 * Ansible's strategies free and host_pinned: every member takes its turns by itself. With `places` at most so many
 * are on their way; the next one starts when one of them leaves.
 */
export class FreePace<Member, Step, Outcome> implements Pace<Member, Step, Outcome> {
  readonly #turn: Turn<Member, Step, Outcome>;
  readonly #places: number;
  readonly #walking = new Set<Member>();
  readonly #waiting: (() => void)[] = [];

  constructor(turn: Turn<Member, Step, Outcome>, places = Number.POSITIVE_INFINITY) {
    this.#turn = turn;
    this.#places = places;
  }

  async arrive(member: Member, _path: Path, step: Step): Promise<Outcome> {
    if (!this.#walking.has(member)) await this.#enter(member);
    const outcome = (await this.#turn(step, [member])).get(member);
    if (outcome === undefined) throw new Error('a turn gave no outcome for its member');
    return outcome;
  }

  async #enter(member: Member): Promise<void> {
    while (this.#walking.size >= this.#places) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#walking.add(member);
  }

  leave(member: Member): void {
    this.#walking.delete(member);
    this.#waiting.shift()?.();
  }

  join(member: Member): void {
    this.#walking.add(member);
  }
}
