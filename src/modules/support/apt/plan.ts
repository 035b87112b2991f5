/** The plan of the apt module. Pure. */
import { type Effect, type Plan, run, type Step, TaskError } from '../../../engine/module.ts';
import { sh } from '../../../shared/shell.ts';
import type { AptArgs } from './args.ts';
import { type AptJob, aptGet, aptUpdate } from './command.ts';
import { hintFor } from './hints.ts';
import { jobsOf } from './jobs.ts';
import { type AptAction, parseActions, parseDiff, parseErrors } from './output.ts';
import { type AptState, PACKAGE_LISTS, type Rehearsal } from './probe.ts';
import { resolveInstall } from './resolve.ts';

interface PlannedJob {
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
  /** Packages of which nothing is known yet. */
  readonly blind: readonly string[];
}

/** Plans fetching the lists, then what apt-get said it would do. Throws TaskError where it cannot. */
export function planApt(state: AptState, args: AptArgs): Plan<AptState> {
  const jobs = jobsOf(args, state);
  const planned = jobs.map((job, i) => planJob(job, state.rehearsals[i], state, args));
  const steps = [
    ...(state.updateDue ? [updateStep(args)] : []),
    ...(args.clean ? [run(sh`apt-get clean`, { always: true })] : []),
    ...planned.flatMap((each) => each.steps),
    ...markManual(args, state),
  ];
  const refreshed: Effect[] = state.updateDue ? [{ kind: 'other', name: PACKAGE_LISTS }] : [];
  const diff = state.rehearsals.map(({ stdout }) => parseDiff(stdout)).join('\n');
  const changes = planned.some((each) => each.steps.length > 0);
  return {
    before: state,
    after: state,
    steps,
    effects: [...refreshed, ...planned.flatMap((each) => each.effects.map(withPolicy(args)))],
    warnings: planned.flatMap(({ blind }) => blind.map(blindWarning)),
    ...(changes && diff.trim() !== '' && { diff: { prepared: diff } }),
  };
}

/** Whether fetching the package lists is all that the task is for. */
export function isUpdateOnly({ name, deb, upgrade, state, ...flags }: AptArgs): boolean {
  const work = [flags.clean, flags.autoclean, flags.autoremove, state === 'fixed'];
  return name === undefined && deb === undefined && upgrade === 'no' && !work.includes(true);
}

function updateStep(args: AptArgs): Step {
  const quiet = !isUpdateOnly(args);
  // The time of the lists does not move when the sources have nothing new, so the proof may find them old again.
  return run(aptUpdate(args), { always: true, quiet, failure: 'Failed to update apt cache' });
}

function planJob(
  job: AptJob,
  rehearsal: Rehearsal | undefined,
  state: AptState,
  args: AptArgs,
): PlannedJob {
  const failed = rehearsal !== undefined && rehearsal.code !== 0;
  if (failed && !state.listsWillChange) throw refusal(job, rehearsal);
  const actions = failed ? [] : open(parseActions(rehearsal?.stdout ?? ''), state);
  const blind = failed ? job.words : (job.unknown ?? []);
  const guessed = [...blind.map(packageName), ...contradicted(job, actions, state)];
  if (actions.length === 0 && guessed.length === 0 && !failed)
    return { steps: [], effects: [], blind };
  return {
    steps: [run(aptGet(job, args), { failure: `'${said(job)}' failed` })],
    effects: [
      ...actions.flatMap(effectOf),
      ...guessed.map((name) => packageEffect(name, job.verb !== 'remove')),
    ],
    blind,
  };
}

function blindWarning(word: string): string {
  return `"${word}" is not in the package lists as they are now; whether it exists shows when they are fetched`;
}

/** Actions that earlier tasks of a check run have not brought about already. */
function open(actions: readonly AptAction[], { predicted }: AptState): AptAction[] {
  return actions.filter(({ kind, name }) => {
    const last = predicted.findLast((effect) => effect.name === name);
    return last === undefined || last.installed !== (kind === 'install');
  });
}

/** Packages that a job undoes of what earlier tasks of a check run foresee: apt-get finds nothing to do for them. */
function contradicted(
  { verb, words }: AptJob,
  actions: readonly AptAction[],
  { predicted }: AptState,
): string[] {
  return words.map(packageName).filter((name) => {
    const last = predicted.findLast((effect) => effect.name === name);
    return last?.installed === (verb === 'remove') && !actions.some((each) => each.name === name);
  });
}

function packageName(word: string): string {
  return word.replace(/[=/].*$/, '');
}

function effectOf({ kind, name, version }: AptAction): Effect[] {
  if (kind === 'remove') return [packageEffect(name, false)];
  return kind === 'install' ? [packageEffect(name, true, version)] : [];
}

function packageEffect(name: string, installed: boolean, version?: string): Effect {
  return { kind: 'package', name, installed, ...(version !== undefined && { version }) };
}

/** What a policy-rc.d that exits with this code forbids. */
const FORBIDDEN = 101;

function withPolicy({ policy_rc_d: code }: AptArgs): (effect: Effect) => Effect {
  return (effect) =>
    effect.kind === 'package' && code === FORBIDDEN ? { ...effect, startsServices: false } : effect;
}

function markManual(args: AptArgs, state: AptState): Step[] {
  const installs = args.state === 'present' || args.state === 'latest';
  const names = (args.name ?? []).filter((name) => name.trim() !== '*');
  if (!installs || names.length === 0) return [];
  const { manual } = resolveInstall(args, state);
  return manual.length === 0 ? [] : [run(sh`apt-mark manual ${[...manual]}`, { quiet: true })];
}

function refusal(job: AptJob, { code, stdout, stderr }: Rehearsal): TaskError {
  const hint = hintFor(`${stdout}\n${stderr}`);
  const errors = parseErrors(stderr).join(', ') || stderr.trim();
  return new TaskError(`'${said(job)}' failed: ${errors}`, {
    ...(hint !== undefined && { hint }),
    result: { rc: code, stdout, stderr },
  });
}

function said({ verb, words, deb }: AptJob): string {
  return ['apt-get', verb, ...words, ...(deb === undefined ? [] : [deb])].join(' ');
}
