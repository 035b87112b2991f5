/** Playbooks that are looked over: what refuses them, and what they are warned of. */
import type { LookOver } from '../../support/look-over.ts';

export interface SurveyCase extends LookOver {
  readonly title: string;
  readonly refused?: readonly string[];
  readonly warned?: readonly string[];
}

/** A play of some tasks on this machine. */
export function tasks(...lines: readonly string[]): Record<string, string> {
  const head = ['- hosts: localhost', '  gather_facts: false', '  tasks:'];
  return { 'play.yaml': `${[...head, ...lines.map((line) => `    ${line}`)].join('\n')}\n` };
}
