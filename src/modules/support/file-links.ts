/** Plans of the file module for symbolic and hard links. */
import {
  type FileAttributes,
  type PathState,
  type Plan,
  run,
  type Step,
} from '../../engine/module.ts';
import { joinCommands, sh } from '../../shared/shell.ts';
import { type Change, make, planOf, refuse, sequence, settle, wasState } from './file-change.ts';
import type { FileArgs, FileNow } from './file-task.ts';

const NO_TARGET =
  'Cannot set fs attributes on a non-existent symlink target. follow should be set to False to avoid this.';

/** A symbolic link; with `follow`, attributes are those of what it points to. */
export function planLink(now: FileNow, args: FileArgs): Plan<FileNow> {
  checkLink(now, args);
  const { path, here } = now;
  const src = args.src ?? (here?.type === 'link' ? here.target : undefined);
  if (src === undefined) throw refuse(now, 'src is required for creating new symlinks');
  checkPlace(now, { path, src });
  const isKept = here?.type === 'link' && here.target === src;
  if (args.follow) {
    const target = isKept ? now.there : now.source;
    return planTarget(now, args, isKept ? keep(here) : link(now, src, {}), target);
  }
  return planOf(now, 'link', isKept ? settle(now, here, now.path, args) : link(now, src, args));
}

function planTarget(
  now: FileNow,
  args: FileArgs,
  own: Change,
  target: PathState | undefined,
): Plan<FileNow> {
  if (target === undefined) return planOf(now, 'link', own, [NO_TARGET]);
  const settled = settle(now, target, target.realPath ?? target.path, args);
  return planOf(now, 'link', sequence(own, { ...settled, state: own.state }));
}

/** Throws TaskError where there is no directory to put a link into. */
function checkPlace(now: FileNow, names: Readonly<Record<string, string>>): void {
  const missing = now.obstacle ?? now.missing[0];
  if (now.here !== undefined || missing === undefined) return;
  const why = now.obstacle === undefined ? 'does not exist' : 'is not a directory';
  throw refuse(now, `Error while linking: ${missing} ${why}`, names);
}

function checkLink(now: FileNow, { src, force }: FileArgs): void {
  const { path, here, source, tree } = now;
  if (!force && src !== undefined && source === undefined) {
    throw refuse(
      now,
      `src file does not exist, use 'force=yes' if you really want to create the link: ${src}`,
      { path, src },
    );
  }
  if (here === undefined || here.type === 'link') return;
  if (!force) throw refuse(now, `refusing to convert from ${wasState(now)} to symlink for ${path}`);
  if (here.type === 'directory' && tree.length > 0) {
    throw refuse(now, `the directory ${path} is not empty, refusing to convert it`);
  }
}

function keep(state: PathState): Change {
  return { steps: [], effects: [], before: {}, after: {}, state };
}

function link(now: FileNow, src: string, attributes: FileAttributes): Change {
  const { path, here } = now;
  const made = make(
    now.facts,
    { path, type: 'link', target: src, size: Buffer.byteLength(src) },
    joinCommands([...clear(here), sh`ln -sfn -- ${src} ${path}`], ' && '),
    attributes,
  );
  if (here?.type !== 'link') return made;
  return { ...made, before: { src: here.target }, after: { src } };
}

/** An empty directory has to go before a link can take its place, unless it has meanwhile gone. */
function clear(here: PathState | undefined) {
  if (here?.type !== 'directory') return [];
  const { path } = here;
  return [sh`{ [ -L ${path} ] || [ ! -d ${path} ] || rmdir -- ${path}; }`];
}

/** A second name of a file. */
export function planHard(now: FileNow, args: FileArgs): Plan<FileNow> {
  const { path, here, source } = now;
  const was = wasState(now);
  if (args.src === undefined) {
    if (here === undefined || was !== 'hard') {
      throw refuse(now, 'src is required for creating new hardlinks');
    }
    return planOf(now, 'hard', settle(now, here, path, args));
  }
  const names = { dest: path, src: args.src };
  if (source === undefined) throw refuse(now, 'src does not exist', names);
  if (source.type === 'directory') {
    throw refuse(now, `Error while linking: ${args.src} is a directory`, names);
  }
  const isSame = here?.inode === source.inode && here.device === source.device;
  if (here !== undefined && isSame) return planOf(now, 'hard', settle(now, here, path, args));
  checkPlace(now, names);
  checkHard(now, names, args.force);
  const linked: Change = {
    ...keep({ ...source, path, links: source.links + 1 }),
    steps: [hardLink(now, source)],
    effects: [{ kind: 'path', name: path, state: { ...source, path } }],
    ...(here?.type === 'link' && { before: { src: here.target }, after: { src: args.src } }),
  };
  return planOf(now, 'hard', sequence(linked, settle(now, source, path, args)));
}

function checkHard(now: FileNow, names: { dest: string; src: string }, force: boolean): void {
  const was = wasState(now);
  if (force || was === 'absent' || was === 'link') return;
  if (was === 'hard') {
    throw refuse(now, 'Cannot link, different hard link exists at destination', names);
  }
  if (was === 'directory') {
    throw refuse(now, 'Cannot link: different hard link exists at destination', names);
  }
  throw refuse(now, `Cannot link, ${was} exists at destination`, names);
}

function hardLink({ path, here }: FileNow, source: PathState): Step {
  const from = source.realPath ?? source.path;
  return run(joinCommands([...clear(here), sh`ln -f -- ${from} ${path}`], ' && '));
}
