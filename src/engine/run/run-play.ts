/** Runs one play: chooses its hosts, cuts them into batches, walks every host through. */
import { InvalidInput } from '../../shared/errors.ts';
import type { Play, Task } from '../playbook/model.ts';
import { readVariableFile } from '../playbook/role-files.ts';
import { Source, textOf } from '../playbook/source.ts';
import { type Strategy, strategyOf, strategyProblem } from '../playbook/strategy.ts';
import { allTasks } from '../playbook/validate-tasks.ts';
import { asBoolean, toBoolean } from '../to-boolean.ts';
import { type Dict, OMIT, type Value } from '../values.ts';
import { LayeredScope } from '../vars/task-scope.ts';
import { Batch } from './batch.ts';
import { batchSizes, orderHosts } from './batch-sizes.ts';
import { HostWalk, sectionsOf } from './host-walk.ts';
import { PlayContext } from './play-context.ts';
import { checkPlayKeywords } from './play-keywords.ts';
import { withAnswers } from './prompted.ts';
import type { RunState } from './run-state.ts';
import { matchesGlob } from './start-at.ts';
import { runTurn } from './turn.ts';
import { VarsFiles } from './vars-files.ts';

/** Runs a play. False when nothing may come after it. */
export async function runPlay(run: RunState, written: Play): Promise<boolean> {
  const play = await withAnswers(run, written);
  if (play === undefined) return false;
  const varsFiles = openVarsFiles(run, play);
  const planned = new PlayContext(run, play, { all: [], batch: [], varsFiles });
  checkPlayKeywords(planned);
  const strategy = playStrategy(planned);
  const all = hostsOf(run, planned);
  const { emit } = run.services;
  const start = { type: 'play-start', ...announced(planned) } as const;
  const present = all.filter((host) => !run.isLost(host));
  if (all.length > 0) run.hasMatched = true;
  if (present.length === 0) {
    emit({ ...start, hosts: [] });
    if (all.length === 0) emit({ type: 'no-hosts-matched' });
    return true;
  }
  const startAt = findStart(run, play);
  for (const batch of batchesOf(planned, present)) {
    emit({ ...start, hosts: batch });
    if (startAt === 'elsewhere') continue;
    const context = new PlayContext(run, play, { all, batch, varsFiles });
    const stop = await runBatch(new Batch(context, { startAt, strategy }, runTurn));
    if (endsRun(run, batch, stop)) return false;
    if (stop.play) break;
  }
  return true;
}

/** What the heading of a play tells. */
function announced(context: PlayContext) {
  const { play, run } = context;
  return {
    name: nameOf(context),
    position: play.position,
    checkMode: asBoolean(play.keywords.get('check_mode') ?? null) ?? run.options.check,
  };
}

function endsRun(run: RunState, batch: readonly string[], stop: Batch['stop']): boolean {
  if (stop.run) run.services.emit({ type: 'no-hosts-left' });
  return stop.run || batch.every((host) => run.isLost(host));
}

/** Throws InvalidInput on an unknown one: a template could not be checked when the play was loaded. */
function playStrategy(context: PlayContext): Strategy {
  const name = textOf(keyword(context, 'strategy')) ?? context.run.options.strategy;
  const unknown = strategyProblem(name, context.play.position);
  if (unknown !== undefined) throw new InvalidInput([unknown]);
  return strategyOf(name) ?? 'linear';
}

async function runBatch(batch: Batch): Promise<Batch['stop']> {
  const { context } = batch;
  const sections = sectionsOf(context.play, gatherTask(context));
  const walks = context.batch.map(async (host) => {
    try {
      await new HostWalk(batch, host).walk(sections);
    } finally {
      batch.leave(host);
    }
  });
  const ends = await Promise.allSettled(walks);
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return batch.stop;
}

function openVarsFiles(run: RunState, play: Play): VarsFiles {
  const { jinja, loader } = run.services;
  const scope = new LayeredScope([run.options.extraVars, play.vars]);
  const world = { searchPath: [play.playbookDir] };
  return new VarsFiles(play.varsFiles, play.playbookDir, {
    load: (file) => loadVariables(new Source(loader), file),
    render: (name) => jinja.renderValue(name, scope, world),
  });
}

function loadVariables(source: Source, file: string): Dict {
  const variables = readVariableFile(source, file);
  source.throwProblems();
  return variables;
}

function nameOf(context: PlayContext): string {
  const { name, hosts } = context.play;
  const shown = context.renderForPlay(name === '' || name === null ? hosts : name);
  return Array.isArray(shown) ? shown.map(String).join(',') : String(shown);
}

/** The play's hosts within --limit, in the order that the play asks for. */
function hostsOf(run: RunState, context: PlayContext): string[] {
  const { inventory } = run.services;
  const hosts = context.renderForPlay(context.play.hosts);
  const pattern = (Array.isArray(hosts) ? hosts.map(String) : [String(hosts)]).join(',');
  const selected = inventory.select(pattern);
  const within =
    run.options.limit === undefined ? undefined : new Set(inventory.select(run.options.limit));
  const limited = within === undefined ? selected : selected.filter((host) => within.has(host));
  return orderHosts(limited, textOf(keyword(context, 'order')) ?? 'inventory');
}

function keyword(context: PlayContext, name: string): Value | undefined {
  const raw = context.play.keywords.get(name);
  const value = raw === undefined || raw === null ? undefined : context.renderForPlay(raw);
  return value === OMIT ? undefined : value;
}

function batchesOf(context: PlayContext, hosts: readonly string[]): string[][] {
  const sizes = batchSizes(keyword(context, 'serial'), hosts.length);
  const batches: string[][] = [];
  for (let at = 0, i = 0; at < hosts.length; i++) {
    const size = sizes[Math.min(i, sizes.length - 1)] ?? hosts.length;
    batches.push(hosts.slice(at, at + size));
    at += size;
  }
  return batches;
}

/** The implicit task that gathers facts, unless the play or the configuration says no. */
function gatherTask(context: PlayContext): Task[] {
  const { play, run } = context;
  const asked = keyword(context, 'gather_facts');
  const gathers = asked === undefined ? run.options.gathering !== 'explicit' : toBoolean(asked);
  if (!gathers) return [];
  const tags = play.keywords.has('tags') ? [] : ['always'];
  const args = new Map<string, Value>();
  for (const name of ['gather_subset', 'gather_timeout', 'fact_path']) {
    const value = keyword(context, name);
    if (value !== undefined) args.set(name, value);
  }
  return [
    {
      node: 'task',
      parent: play,
      position: play.position,
      file: play.position.file,
      name: 'Gathering Facts',
      action: 'gather_facts',
      module: 'setup',
      args,
      argsTemplates: [],
      argPositions: new Map(),
      // Hosts differ also where one of them speaks for all.
      keywords: new Map<string, Value>([
        ['tags', tags],
        ['run_once', false],
      ]),
      vars: new Map(),
      loop: undefined,
      isHandler: false,
      implicit: true,
    },
  ];
}

/** The names of a task that --start-at-task may give: its own, and as headings show it, unrendered. */
function namesOf(task: Task): string[] {
  const own = textOf(task.name) ?? '';
  const shown = own || task.action;
  const role = task.parent.role?.name;
  return [own, role === undefined ? shown : `${role} : ${shown}`];
}

/** The task that --start-at-task names, undefined without it, or `elsewhere` when this play does not have it. */
function findStart(run: RunState, play: Play): Task | undefined | 'elsewhere' {
  const wanted = run.pendingStart();
  if (wanted === undefined) return undefined;
  const nodes = [...play.preTasks, ...play.roles, ...play.tasks, ...play.postTasks];
  const found = allTasks(nodes).find((task) =>
    namesOf(task).some((name) => matchesGlob(name, wanted)),
  );
  if (found === undefined) return 'elsewhere';
  run.started();
  return found;
}
