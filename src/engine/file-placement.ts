/** Planning a regular file with a given content and attributes: what copy, template, lineinfile and others share. */
import { createHash } from 'node:crypto';
import { TaskError } from '../shared/errors.ts';
import { type Command, joinCommands } from '../shared/shell.ts';
import {
  type AttributeFacts,
  diffOwnership,
  type FileAttributes,
  type Ownership,
  ownershipCommands,
  resolveAttributes,
} from './file-attributes.ts';
import { contentDiff } from './file-diff.ts';
import { flagCommands } from './file-flags.ts';
import type { Content, Diff, Effect, PathState, Step, WriteStep } from './host-contract.ts';
import { run, write } from './host-contract.ts';

/** A content with what has to be known to compare it. */
export interface KnownContent {
  readonly content: Content;
  readonly sizeBytes: number;
  readonly sha1: string;
  /** The bytes, where they are at hand: for diffs, and for later tasks of a check run. */
  readonly bytes?: Buffer;
}

export interface FileWish {
  readonly path: string;
  readonly attributes: FileAttributes;
  /** Absent: the content stays as it is. */
  readonly content?: KnownContent | undefined;
  /**
   * A file of the host of which a new content makes a copy: with its ACL and extended attributes, and in place of a
   * file that is there with its mode, but as a file of the task's user.
   */
  readonly copyOf?: Pick<PathState, 'path' | 'mode'> | undefined;
  readonly backup?: boolean;
  readonly validate?: string | undefined;
  /** What the diff calls the new text; the path unless given. */
  readonly source?: string | undefined;
}

export interface Placement {
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
  /** The file as it will be. */
  readonly state: PathState;
  readonly diff: readonly Diff[];
  readonly contentChanges: boolean;
}

/** Text as content to write. */
function textContent(text: string): KnownContent {
  return { ...bytesContent(Buffer.from(text)), content: { kind: 'text', text } };
}

/** Bytes as content to write. */
export function bytesContent(bytes: Buffer): KnownContent {
  const sha1 = createHash('sha1').update(bytes).digest('hex');
  const content: Content = { kind: 'base64', base64: bytes.toString('base64') };
  return { content, sizeBytes: bytes.length, sha1, bytes };
}

/**
 * Plans a file: its content is written when it differs from the content or SHA-1 in `current`, else only the
 * attributes that differ are set. Without `current` the file is new, and a wish without content makes it empty.
 * Throws TaskError where a directory is in the way.
 */
export function planFile(
  current: PathState | undefined,
  facts: AttributeFacts,
  wish: FileWish,
): Placement {
  const content = wish.content ?? (current === undefined ? textContent('') : undefined);
  if (content !== undefined && sha1Of(current) !== content.sha1) {
    return planWrite(current, facts, wish, content);
  }
  if (current === undefined) throw new TypeError('an absent file has no SHA-1');
  return planAttributes(current, facts, wish);
}

/** Plans only the attributes of something that exists: file, directory or link. */
export function planAttributes(
  current: PathState,
  facts: AttributeFacts,
  { path, attributes }: Pick<FileWish, 'path' | 'attributes'>,
): Placement {
  const reached = resolveAttributes(current.type, current, attributes, facts);
  const commands = [
    ...ownershipCommands(path, current.type, current, reached),
    ...flagCommands(path, attributes, facts, { isNew: false }),
  ];
  const state = { ...current, ...reached };
  const effects: Effect[] = [{ kind: 'path', name: path, state }];
  return {
    steps: together(commands),
    effects: commands.length > 0 ? effects : [],
    state,
    diff: commands.length > 0 ? [attributeDiff(path, current, reached)] : [],
    contentChanges: false,
  };
}

function planWrite(
  current: PathState | undefined,
  facts: AttributeFacts,
  wish: FileWish,
  content: KnownContent,
): Placement {
  const { path, attributes } = wish;
  if (current?.type === 'directory') throw new TaskError(`"${path}" is a directory`);
  const file = current?.type === 'file' ? current : undefined;
  const reached = resolveAttributes('file', madeFrom(file, facts, wish), attributes, facts);
  const flags = flagCommands(path, attributes, facts, { isNew: true });
  const state = predictFile(path, file, reached, content);
  const isMoved = file !== undefined && ownershipCommands(path, 'file', file, reached).length > 0;
  return {
    steps: [write(writeStep(wish, content, reached)), ...together(flags)],
    effects: [{ kind: 'path', name: path, state }],
    state,
    diff: [
      contentDiff(path, file, content, wish.source),
      ...(isMoved ? [attributeDiff(path, file, reached)] : []),
    ],
    contentChanges: true,
  };
}

/** What a file has before the attributes are set that are asked for. */
function madeFrom(
  file: PathState | undefined,
  { maker }: AttributeFacts,
  { copyOf }: FileWish,
): Ownership | undefined {
  if (copyOf === undefined || file === undefined) return file;
  return { ...maker, mode: copyOf.mode };
}

/** One step, and so one round trip, for commands that belong together; none where there are none. */
export function together(commands: readonly Command[]): Step[] {
  return commands.length === 0 ? [] : [run(joinCommands(commands, ' && '))];
}

function writeStep(
  { path, attributes, copyOf, backup, validate }: FileWish,
  { content }: KnownContent,
  { mode, uid, gid }: Ownership,
): Omit<WriteStep, 'kind'> {
  const { owner, group } = attributes;
  const copied = copyOf && { attributesOf: copyOf.path, mode, owner: `${uid}`, group: `${gid}` };
  return {
    path,
    content,
    ...(attributes.mode !== undefined && { mode }),
    ...copied,
    ...(owner !== undefined && { owner }),
    ...(group !== undefined && { group }),
    ...(backup === true && { backup }),
    ...(validate !== undefined && { validate }),
    ...(attributes.unsafe_writes === true && { unsafeWrites: true }),
  };
}

/** A written file as later tasks of a check run see it. Inode 0 says that it is not yet on any disk. */
function predictFile(
  path: string,
  file: PathState | undefined,
  reached: Ownership,
  { sizeBytes, sha1, bytes }: KnownContent,
): PathState {
  const { atime = 0, mtime = 0, ctime = 0 } = file ?? {};
  const { mode, uid, gid, owner, group } = reached;
  return {
    ...{ path, type: 'file', mode, uid, gid, owner, group, size: sizeBytes, inode: 0, device: 0 },
    ...{ links: 1, atime, mtime, ctime, checksum: sha1 },
    ...(bytes !== undefined && { content: bytes }),
  };
}

function sha1Of(state: PathState | undefined): string | undefined {
  if (state?.type !== 'file') return undefined;
  if (state.content === undefined) return state.checksum;
  return createHash('sha1').update(state.content).digest('hex');
}

function attributeDiff(path: string, from: Ownership, to: Ownership): Diff {
  const [before, after] = diffOwnership(from, to);
  return { before: { path, ...before }, after: { path, ...after } };
}
