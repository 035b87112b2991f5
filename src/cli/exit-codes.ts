import type { RunSummary } from '../engine/run-playbook.ts';

/** Exit codes, as ansible-playbook has them (ansible.md 4.3), and one of our own. */
export const EXIT = {
  ok: 0,
  error: 1,
  failed: 2,
  pendingChanges: 3,
  unreachable: 4,
  badOptions: 5,
  interrupted: 99,
  fault: 250,
} as const;

/** The exit code of a run: an unreachable host weighs more than a failed one. */
export function exitCodeOf({ stats, failed, unreachable }: RunSummary): number {
  if (unreachable.size > 0) return EXIT.unreachable;
  void stats;
  return failed.size > 0 ? EXIT.failed : EXIT.ok;
}
