/** `--list-hosts`, `--list-tasks` and `--list-tags`: what a run would be about. */

import { TemplateError } from '../engine/jinja/errors.ts';
import { enclosing, type Play, type Task } from '../engine/playbook/model.ts';
import { textOf } from '../engine/playbook/source.ts';
import { allTasks } from '../engine/playbook/validate-tasks.ts';
import type { RunOptions, RunServices } from '../engine/run/run-state.ts';
import { isSelected, tagsOf } from '../engine/run/selection.ts';
import type { LoadedPlaybook } from '../engine/run-playbook.ts';
import type { Dict, Value } from '../engine/values.ts';

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

function playText(play: Play, number: number, listing: ListingOf): string {
  const { services, options, flags } = listing;
  const hosts =
    textOf(play.hosts) ?? (Array.isArray(play.hosts) ? play.hosts.map(String).join(',') : '');
  const tags = play.keywords.get('tags') ?? [];
  const own = (Array.isArray(tags) ? tags : [tags]).map((tag) => textOf(tag) ?? '');
  const lines = [
    `\n  play #${number} (${hosts}): ${textOf(play.name) || hosts}\tTAGS: [${own.join(',')}]`,
  ];
  if (flags.listHosts === true) lines.push(...hostLines(hosts, services, options.limit));
  const tasks = tasksOf(play)
    .map((task) => ({ task, tags: listedTags(task, listing) }))
    .filter((each) => isSelected(each.tags, options.tags, options.skipTags));
  if (flags.listTasks === true) lines.push('    tasks:', ...tasks.map(taskLine));
  if (flags.listTags === true) {
    const all = [...new Set(tasks.flatMap((each) => each.tags))].sort();
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

/** The tags of a task, rendered as far as variables are known before hosts are. */
function listedTags(task: Task, { services, options }: ListingOf): string[] {
  const known = knownVariables(task, options.extraVars);
  return tagsOf(task, (tag) => {
    try {
      return services.loader.render(tag, known);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return textOf(tag) ?? '';
    }
  });
}

function knownVariables(task: Task, extraVars: Dict): Dict {
  const { role } = task.parent;
  const around = [...enclosing(task.parent)].toReversed();
  return new Map<string, Value>([
    ...(role?.defaults ?? []),
    ...around.flatMap(({ kind, vars }) => (kind === 'play' ? [...vars] : [])),
    ...(role?.vars ?? []),
    ...around.flatMap(({ kind, vars }) => (kind === 'play' ? [] : [...vars])),
    ...task.vars,
    ...extraVars,
  ]);
}

function taskLine({ task, tags }: { task: Task; tags: string[] }): string {
  const role = task.parent.role?.name;
  const name = textOf(task.name) || task.action;
  return `      ${role === undefined ? '' : `${role} : `}${name}\tTAGS: [${tags.toSorted().join(', ')}]`;
}
