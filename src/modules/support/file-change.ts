/** Pieces of the file module's plans: attributes of what exists, attributes of what is new, and how they add up. */
import {
  type AttributeFacts,
  chmodCommand,
  diffOwnership,
  type Effect,
  type FileAttributes,
  fileResult,
  flagCommands,
  type Ownership,
  ownershipCommands,
  type PathState,
  type Plan,
  resolveAttributes,
  type Step,
  stateName,
  TaskError,
  together,
} from '../../engine/module.ts';
import { type Command, sh } from '../../shared/shell.ts';
import type { FileNow } from './file-task.ts';
import { timeSteps, timesAfter } from './file-times.ts';

/** A part of a plan. */
export interface Change {
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
  /** What differs, for the diff. */
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  /** Where it is made, when that is not the path of the task but what a link there points to. */
  readonly at?: string;
  /** What is at the path afterwards. */
  readonly state: PathState | undefined;
}

/** A failure of the task, with what is at the path in its result. */
export function refuse(
  { path, here }: FileNow,
  message: string,
  names: Readonly<Record<string, string>> = { path },
): TaskError {
  const found = here === undefined ? { state: 'absent' } : fileResult(here);
  return new TaskError(message, { result: { ...names, ...found } });
}

/** What is at the path, in the file module's words. */
export function wasState({ here }: FileNow): string {
  return here === undefined ? 'absent' : stateName(here);
}

/** Attributes and times of something that exists, at `path`. */
export function settle(
  now: FileNow,
  target: PathState,
  path: string,
  wanted: FileAttributes,
): Change {
  const reached = resolveAttributes(target.type, target, wanted, now.facts);
  const commands = [
    ...ownershipCommands(path, target.type, target, reached),
    ...flagCommands(path, wanted, now.facts, { isNew: false }),
  ];
  const steps = [...together(commands), ...timeSteps(path, target, now.times)];
  const times = timesAfter(target, now.times);
  const [before, after] = diffOwnership(target, reached);
  const state = { ...target, ...reached };
  return {
    steps,
    effects: steps.length > 0 ? [{ kind: 'path', name: path, state: { ...state, path } }] : [],
    before: { ...before, ...timesOf(target, times) },
    after: { ...after, ...times },
    state,
  };
}

/** The old values of the times that change. */
function timesOf(from: PathState, changed: object): object {
  const { atime, mtime } = from;
  return { ...('atime' in changed && { atime }), ...('mtime' in changed && { mtime }) };
}

/** A new file, directory or link, and its attributes as far as they are given. */
export function make(
  facts: AttributeFacts,
  made: Pick<PathState, 'path' | 'type'> & Pick<Partial<PathState>, 'target' | 'size'>,
  maker: Command,
  wanted: FileAttributes,
): Change {
  const { path, type } = made;
  const reached = resolveAttributes(type, undefined, wanted, facts);
  const flags = flagCommands(path, wanted, facts, { isNew: true });
  const state: PathState = {
    ...{ size: 0, inode: 0, device: 0, links: 1, atime: 0, mtime: 0, ctime: 0 },
    ...made,
    ...reached,
    ...(type === 'link' && { mode: 0o777 }),
    ...(type === 'file' && { content: Buffer.alloc(0) }),
  };
  return {
    steps: together([maker, ...givenCommands(path, type, wanted, reached), ...flags]),
    effects: [{ kind: 'path', name: path, state }],
    before: {},
    after: {},
    state,
  };
}

/** Directories, topmost first, each with the attributes. One that has meanwhile appeared is welcome. */
export function makeDirectories(
  facts: AttributeFacts,
  paths: readonly string[],
  wanted: FileAttributes,
): Change[] {
  return paths.map((path) =>
    make(facts, { path, type: 'directory' }, sh`mkdir -p -- ${path}`, wanted),
  );
}

/** What is given is always set: the directory above may have put a group, setgid or an ACL on what is new. */
function givenCommands(
  path: string,
  type: PathState['type'],
  { owner, group, mode }: FileAttributes,
  reached: Ownership,
): Command[] {
  const commands = [
    owner !== undefined && sh`chown -h ${reached.uid} -- ${path}`,
    group !== undefined && sh`chgrp -h ${reached.gid} -- ${path}`,
    mode !== undefined && type !== 'link' && chmodCommand(path, type, reached.mode),
  ];
  return commands.filter((command) => command !== false);
}

/** Several changes one after the other; the state is that of the last. */
export function sequence(...changes: readonly Change[]): Change {
  return {
    steps: changes.flatMap(({ steps }) => steps),
    effects: changes.flatMap(({ effects }) => effects),
    before: Object.assign({}, ...changes.map(({ before }) => before)),
    after: Object.assign({}, ...changes.map(({ after }) => after)),
    state: changes.at(-1)?.state,
  };
}

/** The plan of a change that brings the path to a state. The diff names the path where it is made. */
export function planOf(
  now: FileNow,
  state: string,
  change: Change,
  warnings: readonly string[] = [],
): Plan<FileNow> {
  const was = wasState(now);
  const moves = was !== state && !(was === 'hard' && state === 'file');
  const path = change.at ?? now.path;
  return {
    before: now,
    after: { ...now, here: change.state, there: change.state },
    steps: change.steps,
    effects: change.effects,
    diff: {
      before: { path, ...(moves && { state: was }), ...change.before },
      after: { path, ...(moves && { state }), ...change.after },
    },
    ...(warnings.length > 0 && { warnings }),
  };
}
