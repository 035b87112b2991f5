/** Plans for placing sources on a host. */
import { posix } from 'node:path';
import {
  type Diff,
  type Effect,
  type FileAttributes,
  type Plan,
  planAttributes,
  planFile,
  run,
  type Step,
  TaskError,
} from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import type { CopyNow, CopyWish, Placed } from './copy-task.ts';
import { makeDirectories } from './file-change.ts';

interface Piece {
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
  readonly diff: readonly Diff[];
  readonly placed: readonly Placed[];
}

/** Steps that make what is missing above the sources, then each source in its turn. */
export function planPlaces(now: CopyNow, wish: CopyWish): Plan<CopyNow> {
  checkSources(wish);
  const pieces = [planParents(now, wish), ...now.placed.map((each) => planPlace(now, wish, each))];
  const diff = pieces.flatMap((piece) => piece.diff);
  return {
    before: now,
    after: { ...now, placed: pieces.flatMap(({ placed }) => placed) },
    steps: pieces.flatMap(({ steps }) => steps),
    effects: pieces.flatMap(({ effects }) => effects),
    ...(diff.length > 0 && { diff }),
  };
}

function checkSources({ source, checksum }: CopyWish): void {
  const [content] = source.entries.map((entry) => entry.content);
  if (checksum === undefined || content === undefined || source.isTree) return;
  if (content.sha1 === checksum) return;
  throw new TaskError('Copied file does not match the expected checksum. Transfer failed.', {
    result: { checksum: content.sha1, expected_checksum: checksum },
  });
}

/** Only a destination that is said to be a directory is made where it is missing. */
function planParents({ missing, facts }: CopyNow, wish: CopyWish): Piece {
  const [first] = missing;
  if (first !== undefined && !wish.source.isTree && !wish.dest.endsWith('/')) {
    const directory = posix.dirname(wish.dest);
    throw new TaskError(`Destination directory ${directory} does not exist`, {
      hint: 'create it first, or end dest with "/"',
    });
  }
  const changes = makeDirectories(facts, missing, directoryAttributes(wish));
  return {
    steps: changes.flatMap(({ steps }) => steps),
    effects: changes.flatMap(({ effects }) => effects),
    diff: [],
    placed: [],
  };
}

function directoryAttributes({ attributes, directoryMode }: CopyWish): FileAttributes {
  const { mode: _, ...others } = attributes;
  return { ...others, ...(directoryMode !== undefined && { mode: directoryMode }) };
}

function planPlace(now: CopyNow, wish: CopyWish, place: Placed): Piece {
  switch (place.source.type) {
    case 'directory':
      return planDirectory(now, wish, place);
    case 'link':
      return planLink(place);
    case 'file':
      return planOneFile(now, wish, place);
  }
}

function planDirectory({ facts }: CopyNow, wish: CopyWish, place: Placed): Piece {
  const { path, current } = place;
  const attributes = directoryAttributes(wish);
  if (current !== undefined && current.type !== 'directory') {
    throw new TaskError(`${path} is in the way: a directory goes there`);
  }
  if (current !== undefined) {
    const { steps, effects, diff, state } = planAttributes(current, facts, { path, attributes });
    return { steps, effects, diff, placed: [{ ...place, current: state }] };
  }
  const [made] = makeDirectories(facts, [path], attributes);
  const { steps = [], effects = [], state } = made ?? {};
  return { steps, effects, diff: [], placed: [{ ...place, current: state }] };
}

function planLink(place: Placed): Piece {
  const { path, current, source } = place;
  const target = source.target ?? '';
  const isThere = current?.type === 'link' && current.target === target;
  return {
    steps: isThere ? [] : [run(sh`ln -sfn -- ${target} ${path}`)],
    effects: [],
    diff: [],
    placed: [place],
  };
}

function planOneFile({ facts }: CopyNow, wish: CopyWish, place: Placed): Piece {
  const { path, current, source } = place;
  const isKept = !wish.force && current !== undefined;
  if (isKept) return { steps: [], effects: [], diff: [], placed: [place] };
  const mode = wish.preservesMode ? source.mode : wish.attributes.mode;
  const { steps, effects, diff, state } = planFile(current, facts, {
    path,
    attributes: { ...wish.attributes, ...(mode !== undefined && { mode }) },
    content: source.content,
    backup: wish.backup,
    validate: wish.validate,
    source: wish.source.path && posix.join(wish.source.path, source.relative),
  });
  return { steps, effects, diff, placed: [{ ...place, current: state }] };
}
