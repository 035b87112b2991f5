/** `--list-hosts`, `--list-tasks` and `--list-tags`: what a run would be about. */

import { TemplateError } from '../engine/jinja/errors.ts';
import { enclosing, type Node, type Play, type Task } from '../engine/playbook/model.ts';
import { textOf } from '../engine/playbook/source.ts';
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
  const known = new Map([...play.vars, ...promptDefaults(play), ...options.extraVars]);
  const hosts = textsOf(renderKnown(play.hosts, known, listing));
  const name = textsOf(renderKnown(play.name, known, listing)).join(',') || hosts.join(',');
  const ownTags = play.keywords.get('tags') ?? [];
  const lines = [
    `\n  play #${number} (${hosts.join(',')}): ${name}\tTAGS: [${textsOf(ownTags).join(',')}]`,
  ];
  if (flags.listHosts === true) lines.push(...hostLines(hosts, services, options.limit));
  const tasks = tasksOf(play)
    .map((task) => ({ task, tags: listedTags(task, listing) }))
    .filter((each) => isListed(each.tags, listing));
  if (flags.listTasks === true) lines.push('    tasks:', ...tasks.map(taskLine));
  if (flags.listTags === true) {
    const playTags = textsOf(renderKnown(ownTags, known, listing));
    const all = new Set([...playTags, ...tasks.flatMap((each) => each.tags)]);
    lines.push(`      TASK TAGS: [${[...all].toSorted().join(', ')}]`);
  }
  return `${lines.join('\n')}\n`;
}

/** Nobody is asked where nothing runs. */
function promptDefaults({ prompts }: Play): [string, Value][] {
  return prompts.flatMap(({ name, options }) => {
    const value = options.get('default') ?? null;
    return value === null ? [] : [[name, value]];
  });
}

/** As a run would select them; where tags are listed and none is asked for, `never` is listed with them. */
function isListed(tags: readonly string[], { options, flags }: ListingOf): boolean {
  const isOpen = options.skipTags.length === 0 && options.tags.every((tag) => tag === 'all');
  return (flags.listTags === true && isOpen) || isSelected(tags, options.tags, options.skipTags);
}

function textsOf(value: Value): string[] {
  const each = Array.isArray(value) ? value : value === null || value === '' ? [] : [value];
  return each.map((one) => textOf(one) ?? String(one));
}

function hostLines(
  patterns: readonly string[],
  { inventory }: RunServices,
  limit: string | undefined,
): string[] {
  const within = limit === undefined ? undefined : new Set(inventory.select(limit));
  const selected = inventory.select(patterns.join(','));
  const hosts = selected.filter((host) => within?.has(host) !== false);
  return [
    `    pattern: [${patterns.map((pattern) => `'${pattern}'`).join(', ')}]`,
    `    hosts (${hosts.length}):`,
    ...hosts.map((host) => `      ${host}`),
  ];
}

/** The tasks that a run comes to when nothing fails. */
function tasksOf(play: Play): Task[] {
  return tasksIn([...play.preTasks, ...play.roles, ...play.tasks, ...play.postTasks]);
}

function tasksIn(nodes: readonly Node[]): Task[] {
  const tasks = nodes.flatMap((node) => (node.node === 'task' ? [node] : tasksIn(node.block)));
  return tasks.filter(({ implicit }) => implicit !== true);
}

/** The tags of a task, rendered as far as variables are known before hosts are. */
function listedTags(task: Task, listing: ListingOf): string[] {
  const known = knownVariables(task, listing.options.extraVars);
  return tagsOf(task, (tag) => renderKnown(tag, known, listing));
}

/** A value as the known variables render it, or as it is written where they do not suffice. */
function renderKnown(value: Value, known: Dict, { services }: ListingOf): Value {
  try {
    return services.loader.render(value, known);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return textOf(value) ?? '';
  }
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
  const name = textOf(task.name);
  const role = task.parent.role?.name;
  const shown = name && role !== undefined ? `${role} : ${name}` : name || task.action;
  return `      ${shown}\tTAGS: [${tags.toSorted().join(', ')}]`;
}
