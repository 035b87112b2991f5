/** Runs playbooks: loads and checks everything first, then plays, then tells the recap. */
import { loadPlaybook } from './playbook/load-playbook.ts';
import type { Play } from './playbook/model.ts';
import { Source } from './playbook/source.ts';
import { validateTasks } from './playbook/validate-tasks.ts';
import { runPlay } from './run/run-play.ts';
import { type RunOptions, type RunServices, RunState } from './run/run-state.ts';

/** A playbook file, loaded and found right. */
export interface LoadedPlaybook {
  readonly file: string;
  readonly plays: readonly Play[];
}

/** How a run ended. */
export interface RunSummary {
  readonly failed: ReadonlySet<string>;
  readonly unreachable: ReadonlySet<string>;
  readonly stats: RunState['stats'];
  /** No play matched any host. */
  readonly isEmpty: boolean;
}

/**
 * Loads playbooks and checks every argument of every task; what is odd but not wrong goes to `emit`. Throws
 * InvalidInput with all problems at once.
 */
export async function loadPlaybooks(
  files: readonly string[],
  services: Pick<RunServices, 'loader' | 'catalogue'> & Partial<Pick<RunServices, 'emit'>>,
): Promise<LoadedPlaybook[]> {
  const source = new Source(services.loader);
  const loaded = files.map((file) => ({ file, plays: loadPlaybook(source, file) }));
  const plays = loaded.flatMap(({ plays: each }) => each);
  for (const play of plays) await validateTasks(source, nodesOf(play), services.catalogue);
  source.throwProblems();
  for (const { message, place } of source.warnings)
    services.emit?.({ type: 'warning', text: message, position: place });
  return loaded;
}

function nodesOf(play: Play) {
  return [
    ...play.preTasks,
    ...play.roles,
    ...play.tasks,
    ...play.postTasks,
    ...play.handlers.flat(),
  ];
}

/** Runs loaded playbooks one after the other. Failures of tasks are in the summary, never thrown. */
export async function runPlaybooks(
  playbooks: readonly LoadedPlaybook[],
  services: RunServices,
  options: RunOptions,
): Promise<RunSummary> {
  const run = new RunState(services, options);
  const started = performance.now();
  try {
    for (const { file, plays } of playbooks) {
      services.emit({ type: 'playbook-start', file, plays: plays.length });
      if (!(await runPlays(run, plays))) break;
    }
    if (run.pendingStart() !== undefined)
      run.warn(`no task matches --start-at-task "${run.pendingStart()}"`);
  } finally {
    const frames = await services.sessions.frames();
    const durationMs = performance.now() - started;
    services.emit({ type: 'recap', stats: run.stats, durationMs, frames });
    await run.forget();
    await services.sessions.closeAll();
  }
  const { failed, unreachable, stats } = run;
  return { failed, unreachable, stats, isEmpty: !run.hasMatched };
}

async function runPlays(run: RunState, plays: readonly Play[]): Promise<boolean> {
  for (const play of plays) {
    if (run.services.signal.aborted) return false;
    if (!(await runPlay(run, play))) return false;
  }
  return true;
}
