/** Runs playbooks: loads and checks everything first, then plays, then tells the recap. */
import { formatProblem } from '../shared/errors.ts';
import { EVERY_TASK, type Selection } from './playbook/certainty.ts';
import { loadPlaybook } from './playbook/load-playbook.ts';
import type { Play } from './playbook/model.ts';
import { Source } from './playbook/source.ts';
import { requireAnswers } from './run/prompted.ts';
import { runPlay } from './run/run-play.ts';
import { type RunOptions, type RunServices, RunState } from './run/run-state.ts';
import { survey } from './survey/survey.ts';

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

/** How closely playbooks are looked at before they run. */
export interface Look extends Partial<Selection> {
  /** Whether what tasks name is read too: included files and roles, templates, expressions. */
  readonly deep?: boolean | undefined;
  /** Whether tasks that may not run refuse the run as well. */
  readonly strict?: boolean | undefined;
  /** Whether what plays, and is hardly meant, is a problem too. */
  readonly thorough?: boolean | undefined;
  readonly limit?: string | undefined;
  /** Whether hosts are the controller unless something else is said (`--connection local`). */
  readonly isLocal?: boolean | undefined;
  /** Whether a notification that no handler hears ends the run, as `error_on_missing_handler` says. */
  readonly missingHandlersEnd?: boolean | undefined;
}

type LoadServices = Pick<RunServices, 'loader' | 'catalogue'> &
  Partial<Pick<RunServices, 'emit' | 'inventory' | 'jinja' | 'factCache'>>;

/**
 * Loads playbooks and looks them over; what is odd but not wrong, or wrong in tasks that may not run, goes to `emit`.
 * Throws InvalidInput with all problems at once.
 */
export async function loadPlaybooks(
  files: readonly string[],
  services: LoadServices,
  look: Look = {},
): Promise<LoadedPlaybook[]> {
  const source = new Source(services.loader);
  const loaded = files.map((file) => ({ file, plays: loadPlaybook(source, file) }));
  const plays = loaded.flatMap(({ plays: each }) => each);
  const findings = await survey(plays, {
    ...services,
    selection: { ...EVERY_TASK, ...look },
    deep: look.deep === true,
    missingHandlersEnd: look.missingHandlersEnd !== false,
    limit: look.limit,
    isLocal: look.isLocal === true,
  });
  source.problems.push(...findings.problems(look.strict === true));
  if (look.thorough === true) source.problems.push(...findings.advice());
  const warnings = [
    ...(look.strict === true ? [] : findings.warnings()),
    ...(look.thorough === true ? [] : findings.advice()),
  ];
  for (const { message, place } of source.warnings)
    services.emit?.({ type: 'warning', text: message, position: place });
  for (const { place: position, ...problem } of warnings)
    services.emit?.({ type: 'warning', text: formatProblem(problem), position });
  source.throwProblems();
  return loaded;
}

/**
 * Runs loaded playbooks one after the other, until one has lost a host. Failures of tasks are in the summary, never
 * thrown.
 */
export async function runPlaybooks(
  playbooks: readonly LoadedPlaybook[],
  services: RunServices,
  options: RunOptions,
): Promise<RunSummary> {
  requireAnswers(
    playbooks.flatMap(({ plays }) => plays),
    options,
  );
  const run = new RunState(services, options);
  const started = performance.now();
  try {
    for (const { file, plays } of playbooks) {
      services.emit({ type: 'playbook-start', file, plays: plays.length });
      if (!(await runPlays(run, plays)) || run.hasLost()) break;
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
