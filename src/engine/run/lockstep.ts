/** Keeps the hosts of a batch together: all that are at the same task run it as one turn. */

import type { Pace, Path, Turn } from './pace.ts';

interface Arrival<Member, Step, Outcome> {
  readonly member: Member;
  readonly path: Path;
  readonly step: Step;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Ansible's linear strategy. Every member walks its own way through the play and calls `arrive` at each step.
 * When all members that have not left stand somewhere, the foremost step in the order of the play is run for
 * those that stand at it; the others wait.
 */
export class Lockstep<Member, Step, Outcome> implements Pace<Member, Step, Outcome> {
  readonly #turn: Turn<Member, Step, Outcome>;
  readonly #waiting: Arrival<Member, Step, Outcome>[] = [];
  #walking: number;

  constructor(members: number, turn: Turn<Member, Step, Outcome>) {
    this.#walking = members;
    this.#turn = turn;
  }

  arrive(member: Member, path: Path, step: Step): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ member, path, step, resolve, reject });
      this.#proceed();
    });
  }

  leave(): void {
    this.#walking -= 1;
    this.#proceed();
  }

  join(): void {
    this.#walking += 1;
  }

  #proceed(): void {
    if (this.#waiting.length === 0 || this.#waiting.length < this.#walking) return;
    const group = this.#foremost();
    const first = group[0];
    if (first === undefined) return;
    for (const arrival of group) this.#waiting.splice(this.#waiting.indexOf(arrival), 1);
    const members = group.map(({ member }) => member);
    this.#turn(first.step, members).then(
      (outcomes) => deliver(group, outcomes),
      (error: unknown) => {
        for (const { reject } of group) reject(error);
      },
    );
  }

  /** The arrivals at the first step in the order of the play. */
  #foremost(): Arrival<Member, Step, Outcome>[] {
    const first = this.#waiting.reduce((a, b) => (comparePaths(b.path, a.path) < 0 ? b : a));
    return this.#waiting.filter(
      ({ path, step }) => step === first.step && comparePaths(path, first.path) === 0,
    );
  }
}

function deliver<Member, Step, Outcome>(
  group: readonly Arrival<Member, Step, Outcome>[],
  outcomes: ReadonlyMap<Member, Outcome>,
): void {
  for (const { member, resolve, reject } of group) {
    const outcome = outcomes.get(member);
    if (outcome === undefined) reject(new Error('a turn gave no outcome for one of its members'));
    else resolve(outcome);
  }
}

/** Negative when `a` comes first; a path comes before those that it begins. */
export function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
