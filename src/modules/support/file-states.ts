/** Plans of the file module for files, directories, times and removal. */
import { type Plan, run, type TaskError } from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import {
  type Change,
  make,
  makeDirectories,
  planOf,
  refuse,
  sequence,
  settle,
  wasState,
} from './file-change.ts';
import type { FileArgs, FileNow } from './file-task.ts';
import { treeEffects, treeSteps } from './file-tree.ts';

/** The attributes of a file that must exist. */
export function planExisting(now: FileNow, args: FileArgs): Plan<FileNow> {
  const { path, here, there } = now;
  const target = args.follow ? there : here;
  const at = target?.realPath ?? path;
  if (target === undefined) throw refuse(now, `file (${path}) is absent, cannot continue`);
  if (target.type === 'directory' || target.type === 'link') {
    throw refuse(now, `file (${at}) is ${target.type}, cannot continue`);
  }
  return planOf(now, wasState(now), { ...settle(now, target, at, args), at });
}

/** A directory with all that is missing above it; with `recurse`, the attributes of all that is in it. */
export function planDirectory(now: FileNow, args: FileArgs): Plan<FileNow> {
  const { path, here, there, missing } = now;
  const target = args.follow ? there : here;
  if (target?.type === 'directory') return planKeptDirectory(now, args);
  if (here !== undefined) throw refuse(now, `${path} already exists as a ${wasState(now)}`);
  if (now.obstacle !== undefined) throw blocked(now);
  const made = makeDirectories(now.facts, [...missing, path], args);
  return planOf(now, 'directory', sequence(...made));
}

function blocked(now: FileNow): TaskError {
  return refuse(now, `${now.obstacle} is in the way of ${now.path}: it is not a directory`);
}

function planKeptDirectory(now: FileNow, args: FileArgs): Plan<FileNow> {
  const target = args.follow ? now.there : now.here;
  if (target === undefined) throw refuse(now, `${now.path} is absent`);
  const at = target.realPath ?? now.path;
  const own = settle(now, target, at, args);
  const steps = args.recurse ? treeSteps(now.tree, args, now.facts, now.times) : [];
  const effects = args.recurse ? treeEffects(now.tree, args, now.facts) : [];
  const below: Change = { steps, effects, before: {}, after: {}, state: own.state };
  return planOf(now, wasState(now), { ...sequence(own, below), at });
}

/** An empty file where there is none, else new times. */
export function planTouch(now: FileNow, args: FileArgs): Plan<FileNow> {
  const { path, here, there, missing, times } = now;
  if (here !== undefined) {
    const own = settle(now, there ?? here, there?.realPath ?? path, args);
    return planOf(now, 'touch', own);
  }
  const [absent] = missing;
  if (absent !== undefined) {
    throw refuse(now, `Error, could not touch target: ${absent} does not exist: ${path}`);
  }
  if (now.obstacle !== undefined) throw blocked(now);
  const made = orNothing(now, args);
  const set = made.state && settle({ ...now, times: given(times) }, made.state, path, {});
  return planOf(now, 'touch', set === undefined ? made : sequence(made, set));
}

/** A new file; none is left behind where it cannot be given its attributes. */
function orNothing({ path, facts }: FileNow, args: FileArgs): Change {
  const touch = sh`touch -- ${path}`;
  const made = make(facts, { path, type: 'file' }, touch, args);
  const undo = sh`{ _ts_c=$?; rm -f -- ${path}; ( exit "$_ts_c" ); }`;
  const steps = made.steps.map((step) =>
    step.kind === 'write' || step.command.line === touch.line
      ? step
      : { ...step, command: sh`${step.command} || ${undo}` },
  );
  return { ...made, steps };
}

/** The times that a new file does not have by itself. */
function given({ mtime, atime }: FileNow['times']): FileNow['times'] {
  return {
    ...(typeof mtime === 'number' && { mtime }),
    ...(typeof atime === 'number' && { atime }),
  };
}

/** Nothing at the path, nor below it. */
export function planAbsent(now: FileNow): Plan<FileNow> {
  const { path, here, tree } = now;
  const nothing: Change = { steps: [], effects: [], before: {}, after: {}, state: undefined };
  if (here === undefined) return planOf(now, 'absent', nothing);
  const isTree = here.type === 'directory';
  const names = (wanted: boolean) =>
    tree.flatMap((each) => ((each.type === 'directory') === wanted ? [each.path] : []));
  return planOf(now, 'absent', {
    ...nothing,
    steps: [run(isTree ? sh`rm -rf -- ${path}` : sh`rm -f -- ${path}`)],
    effects: [{ kind: 'path', name: path, state: undefined }],
    before: isTree ? { path_content: { directories: names(true), files: names(false) } } : {},
  });
}
