import type { RunSummary } from '../engine/run-playbook.ts';

/** Exit codes, as ansible-playbook has them, and one of our own. */
export const EXIT = {
  ok: 0,
  error: 1,
  failed: 2,
  /** A command line that cannot be read. */
  usage: 2,
  /** Only with --detailed-exitcode. */
  pendingChanges: 3,
  unreachable: 4,
  /** Files that cannot be read as playbooks, inventories or variables. */
  malformed: 4,
  badOptions: 5,
  interrupted: 99,
  fault: 250,
} as const;

/** The exit code of a run: an unreachable host weighs more than a failed one. */
export function exitCodeOf({ failed, unreachable }: RunSummary): number {
  if (unreachable.size > 0) return EXIT.unreachable;
  return failed.size > 0 ? EXIT.failed : EXIT.ok;
}
