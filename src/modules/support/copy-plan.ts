/** Plans for placing sources on a host. */
import { posix } from 'node:path';
import {
  type AttributeFacts,
  type Diff,
  type Effect,
  type FileAttributes,
  type Plan,
  planAttributes,
  planFile,
  type Step,
  TaskError,
} from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import type { CopyNow, CopyWish, Placed } from './copy-task.ts';
import { make, makeDirectories } from './file-change.ts';

interface Piece {
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
  readonly diff: readonly Diff[];
  readonly placed: readonly Placed[];
}

/** Steps that make what is missing above the sources, then each source in its turn. */
export function planPlaces(now: CopyNow, wish: CopyWish): Plan<CopyNow> {
  checkSources(wish);
  const { steps, effects, diff, placed } = [
    planParents(now, wish),
    ...now.placed.map((each) => planPlace(now, wish, each)),
    planTop(now, wish),
  ].reduce(joined);
  const after = { ...now, placed };
  return { before: now, after, steps, effects, ...(diff.length > 0 && { diff }) };
}

function checkSources({ source, checksum }: CopyWish): void {
  const [content] = source.entries.map((entry) => entry.content);
  if (checksum === undefined || content === undefined || source.isTree) return;
  if (content.sha1 === checksum) return;
  throw new TaskError('Copied file does not match the expected checksum. Transfer failed.', {
    result: { checksum: content.sha1, expected_checksum: checksum },
  });
}

const NOTHING: Piece = { steps: [], effects: [], diff: [], placed: [] };

/** Only a destination that is said to be a directory is made where it is missing. */
function planParents({ missing, obstacle, facts }: CopyNow, wish: CopyWish): Piece {
  if (obstacle !== undefined) {
    throw new TaskError(`${obstacle} is in the way of ${wish.dest}: it is not a directory`);
  }
  const [first] = missing;
  if (first !== undefined && !wish.source.isTree && !wish.dest.endsWith('/')) {
    const directory = posix.dirname(wish.dest);
    throw new TaskError(`Destination directory ${directory} does not exist`, {
      hint: 'create it first, or end dest with "/"',
    });
  }
  return missing.map((path) => planNewDirectory(facts, wish, path)).reduce(joined, NOTHING);
}

function joined(all: Piece, next: Piece): Piece {
  return {
    steps: [...all.steps, ...next.steps],
    effects: [...all.effects, ...next.effects],
    diff: [...all.diff, ...next.diff],
    placed: [...all.placed, ...next.placed],
  };
}

function planNewDirectory(facts: AttributeFacts, wish: CopyWish, path: string): Piece {
  const isTop = path === bare(wish.dest);
  const attributes = directoryAttributes(wish, isTop ? wish.attributes.mode : undefined);
  const [made] = makeDirectories(facts, [path], attributes);
  return { ...NOTHING, steps: made?.steps ?? [], effects: made?.effects ?? [] };
}

function bare(path: string): string {
  return path.replace(/(.)\/+$/, '$1');
}

/**
 * A tree that is copied on the host keeps its own modes, and the mode of the task is that of the destination
 * itself; in one from the controller, `directory_mode` is that of all directories.
 */
function directoryAttributes(
  { source, attributes, directoryMode }: CopyWish,
  own: unknown,
): FileAttributes {
  const { mode: _, ...others } = attributes;
  const mode = source.isRemote && source.isTree ? own : directoryMode;
  return { ...others, ...(mode !== undefined && { mode }) };
}

/** The mode of a destination that is there already and gets a tree of the host's own. */
function planTop({ facts, top }: CopyNow, wish: CopyWish): Piece {
  const { mode } = wish.attributes;
  if (!wish.source.isTree || !wish.source.isRemote || top === undefined) return NOTHING;
  const path = bare(wish.dest);
  const { steps, effects, diff } = planAttributes(top, facts, { path, attributes: { mode } });
  return { steps, effects, diff, placed: [] };
}

function planPlace(now: CopyNow, wish: CopyWish, place: Placed): Piece {
  switch (place.source.type) {
    case 'directory':
      return planDirectory(now, wish, place);
    case 'link':
      return planLink(now, wish, place);
    case 'file':
      return planOneFile(now, wish, place);
  }
}

function planDirectory({ facts }: CopyNow, wish: CopyWish, place: Placed): Piece {
  const { path, current, source } = place;
  if (current === undefined) {
    const [made] = makeDirectories(facts, [path], directoryAttributes(wish, source.mode));
    const { steps = [], effects = [], state } = made ?? {};
    return { steps, effects, diff: [], placed: [{ ...place, current: state }] };
  }
  if (current.type !== 'directory') {
    throw new TaskError(`${path} is in the way: a directory goes there`);
  }
  const attributes = directoryAttributes(wish, undefined);
  const { steps, effects, diff, state } = planAttributes(current, facts, { path, attributes });
  return { steps, effects, diff, placed: [{ ...place, current: state }] };
}

function planLink({ facts }: CopyNow, wish: CopyWish, place: Placed): Piece {
  const { path, current, source } = place;
  const { owner, group } = wish.attributes;
  const attributes = {
    ...(owner !== undefined && { owner }),
    ...(group !== undefined && { group }),
  };
  const target = source.target ?? '';
  if (current?.type === 'link' && current.target === target) {
    const { steps, effects, diff, state } = planAttributes(current, facts, { path, attributes });
    return { steps, effects, diff, placed: [{ ...place, current: state }] };
  }
  const link = { path, type: 'link', target } as const;
  const { steps, state } = make(facts, link, sh`ln -sfn -- ${target} ${path}`, attributes);
  return { ...NOTHING, steps, placed: [{ ...place, current: state }] };
}

function planOneFile({ facts }: CopyNow, wish: CopyWish, place: Placed): Piece {
  const { path, current, source } = place;
  if (!wish.force && current !== undefined) return { ...NOTHING, placed: [place] };
  const { steps, effects, diff, state } = planFile(current, facts, {
    path,
    attributes: { ...wish.attributes, mode: modeOf(wish, place) },
    content: source.content,
    copyOf: copyOf(wish, place),
    backup: wish.backup,
    validate: wish.validate,
    source: wish.source.path && posix.join(wish.source.path, source.relative),
  });
  return { steps, effects, diff, placed: [{ ...place, current: state }] };
}

/** What is copied on the host is a copy with all that belongs to it; a file that a tree finds in place stays itself. */
function copyOf({ source: { isTree } }: CopyWish, { source, current }: Placed) {
  const content = source.content?.content;
  if (content?.kind !== 'remote' || (isTree && current !== undefined)) return undefined;
  return { path: content.path, mode: source.mode };
}

function modeOf(wish: CopyWish, { source, current }: Placed): unknown {
  if (wish.preservesMode) return source.mode;
  if (!wish.source.isTree || !wish.source.isRemote) return wish.attributes.mode;
  return current?.checksum === source.content?.sha1 ? undefined : source.mode;
}
