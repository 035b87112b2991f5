/** `--list-hosts`, `--list-tasks` and `--list-tags`: what a run would be about. */

import { inheritedBy } from '../engine/playbook/inherited.ts';
import type { Play, Task } from '../engine/playbook/model.ts';
import { textOf } from '../engine/playbook/source.ts';
import { allTasks } from '../engine/playbook/validate-tasks.ts';
import type { RunOptions, RunServices } from '../engine/run/run-state.ts';
import { isSelected } from '../engine/run/selection.ts';
import type { LoadedPlaybook } from '../engine/run-playbook.ts';

export interface Listing {
  readonly listHosts?: boolean;
  readonly listTasks?: boolean;
  readonly listTags?: boolean;
}

interface ListingOf {
  readonly services: RunServices;
  readonly options: Pick<RunOptions, 'tags' | 'skipTags' | 'limit' | 'extraVars'>;
  readonly flags: Listing;
}

/** Prints what was asked for; false when nothing was. */
export function listPlaybook(playbooks: readonly LoadedPlaybook[], listing: ListingOf): boolean {
  const { listHosts, listTasks, listTags } = listing.flags;
  if (listHosts !== true && listTasks !== true && listTags !== true) return false;
  for (const { file, plays } of playbooks) {
    process.stdout.write(`\nplaybook: ${file}\n`);
    for (const [i, play] of plays.entries()) process.stdout.write(playText(play, i + 1, listing));
  }
  return true;
}

function playText(play: Play, number: number, { services, options, flags }: ListingOf): string {
  const hosts =
    textOf(play.hosts) ?? (Array.isArray(play.hosts) ? play.hosts.map(String).join(',') : '');
  const tags = (play.keywords.get('tags') ?? []) as unknown;
  const own = Array.isArray(tags) ? tags.map(String) : [String(tags)];
  const lines = [
    `\n  play #${number} (${hosts}): ${textOf(play.name) || hosts}\tTAGS: [${own.join(',')}]`,
  ];
  if (flags.listHosts === true) lines.push(...hostLines(hosts, services, options.limit));
  const tasks = tasksOf(play).filter((task) =>
    isSelected(tagsOf(task), options.tags, options.skipTags),
  );
  if (flags.listTasks === true) lines.push('    tasks:', ...tasks.map(taskLine));
  if (flags.listTags === true) {
    const all = [...new Set(tasks.flatMap(tagsOf))].sort();
    lines.push(`      TASK TAGS: [${all.join(', ')}]`);
  }
  return `${lines.join('\n')}\n`;
}

function hostLines(
  pattern: string,
  { inventory }: RunServices,
  limit: string | undefined,
): string[] {
  const within = limit === undefined ? undefined : new Set(inventory.select(limit));
  const hosts = inventory.select(pattern).filter((host) => within?.has(host) !== false);
  return [
    `    pattern: ['${pattern}']`,
    `    hosts (${hosts.length}):`,
    ...hosts.map((host) => `      ${host}`),
  ];
}

function tasksOf(play: Play): Task[] {
  return allTasks([...play.preTasks, ...play.roles, ...play.tasks, ...play.postTasks]).filter(
    ({ implicit }) => implicit !== true,
  );
}

function tagsOf(task: Task): string[] {
  return [...new Set(inheritedBy(task).tags.map((tag) => textOf(tag) ?? ''))];
}

function taskLine(task: Task): string {
  const role = task.parent.role?.name;
  const name = textOf(task.name) || task.action;
  return `      ${role === undefined ? '' : `${role} : `}${name}\tTAGS: [${tagsOf(task).sort().join(', ')}]`;
}
