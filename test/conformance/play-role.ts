import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type CommandOptions, type CommandResult, runCommand } from '../support/run-command.ts';
import { type Fault, readFaults, readShown, type Shown } from './read-output.ts';
import type { Site } from './site.ts';
import type { Target } from './targets.ts';

/** What one round of a target has come to. */
export interface Round {
  readonly shown: Shown;
  /** What stopped it, by task: it can be taken out to see what comes after. */
  readonly faults: readonly Fault[];
  /** What went wrong besides, for example a line of a script that failed. */
  readonly others: readonly Fault[];
  /** The commands that a script called, with their exit codes. */
  readonly calls: readonly CallEnd[];
  readonly output: string;
}

/** How a call of a command ended. */
export interface CallEnd {
  /** Its words, and which of the calls with these words it is. */
  readonly command: string;
  readonly code: number;
}

/** Runs a command; it and what it started are ended when time is up. */
export function runWithin(
  seconds: number,
  command: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  return runCommand('timeout', ['-k', '10', `${seconds}`, ...command], options);
}

/** Plays a target that is a role, as ansible-test does. */
export async function playRole(target: Target, site: Site, seconds: number): Promise<Round> {
  const playbook = `${target.name}-play.yml`;
  const play = {
    hosts: 'testhost',
    gather_facts: target.gatherFacts,
    vars: { output_dir: join(site.folder, 'output') },
    roles: [target.name],
  };
  await writeFile(join(site.integration, playbook), stringify([play]));
  const env = {
    ...site.env,
    ANSIBLE_ROLES_PATH: join(site.integration, 'targets'),
    ANSIBLE_PLAYBOOK_DIR: site.integration,
  };
  const command = [join(site.folder, 'bin/ansible-playbook'), playbook, '-i', 'inventory', '-vv'];
  const ended = await runWithin(seconds, command, { cwd: site.integration, env });
  const output = `${ended.stdout}\n${ended.stderr}`;
  const faults = ended.code === 0 ? [] : readFaults(output, site.integration);
  const isLost = ended.code !== 0 && faults.length === 0;
  const end: Fault = {
    file: join(site.integration, playbook),
    line: 0,
    message: `ended with ${ended.code}: ${output.slice(-1500)}`,
  };
  const others = isLost ? [end] : [];
  return { shown: readShown(ended.stdout), faults, others, calls: [], output };
}
