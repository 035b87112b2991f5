/** How a host leaves its way through a play. Thrown by a step, caught where the way goes on or ends. */

import type { Role, Task } from '../playbook/model.ts';
import type { Outcome } from './outcome.ts';

/** A task failed; a rescue may take over. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
  readonly task: Task;
  readonly outcome: Outcome;
  /** False when another host's failure is why this one stops (any_errors_fatal, run_once). */
  readonly isOwn: boolean;

  constructor(task: Task, outcome: Outcome, { isOwn }: { readonly isOwn: boolean }) {
    super('the task failed');
    this.task = task;
    this.outcome = outcome;
    this.isOwn = isOwn;
  }
}

/** The host cannot be reached: neither rescue nor always runs. */
export class HostLost extends Error {
  override readonly name = 'HostLost';
}

/** The host has finished early without failing (end_host, end_play, end_batch). */
export class HostEnded extends Error {
  override readonly name = 'HostEnded';
}

/** The host leaves a role (end_role). */
export class RoleEnded extends Error {
  override readonly name = 'RoleEnded';
  readonly role: Role | undefined;

  constructor(role: Role | undefined) {
    super('the role ended');
    this.role = role;
  }
}
