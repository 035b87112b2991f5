/** Small configuration files that a module rewrites as a whole. */
import { posix } from 'node:path';
import {
  type Effect,
  type PathState,
  type Reader,
  type Step,
  TaskError,
  write,
} from '../../engine/module.ts';

/** A file's text, empty where there is none. */
export interface TextFile {
  /** Where the bytes are: a link leads to its target, so that it stays a link. */
  readonly path: string;
  readonly text: string;
  readonly state: PathState | null;
}

/** As many links as Linux follows. */
const LINK_LIMIT = 40;

/** Reads a file of text. Throws TaskError where it is something else, or too large. */
export async function readTextFile(host: Reader, path: string): Promise<TextFile> {
  let at = path;
  let state = await host.path(at, { content: true });
  for (let links = 0; state?.type === 'link' && links < LINK_LIMIT; links++) {
    at = posix.resolve(posix.dirname(at), state.target ?? '');
    state = await host.path(at, { content: true });
  }
  if (state === undefined) return { path: at, text: '', state: null };
  if (state.content === undefined) throw new TaskError(`"${at}" is not a readable file of text`);
  const { content, ...known } = state;
  return { path: at, text: content.toString(), state: known };
}

/** The file with another text, with the step and the effect that bring it about. */
export function rewritten(
  file: TextFile,
  text: string,
  marks: { readonly durable?: boolean } = {},
): {
  readonly file: TextFile;
  readonly step: Step;
  readonly effect: Effect;
} {
  const { path } = file;
  const mode = 0o644;
  const content = Buffer.from(text);
  const state: PathState = { ...(file.state ?? newFile(path, mode)), size: content.length };
  const isNew = file.state === null;
  return {
    file: { path, text, state },
    step: write({ path, content: { kind: 'text', text }, ...(isNew && { mode }), ...marks }),
    effect: { kind: 'path', name: path, state: { ...state, content } },
  };
}

function newFile(path: string, mode: number): PathState {
  const times = { atime: 0, mtime: 0, ctime: 0 };
  const numbers = { uid: 0, gid: 0, size: 0, inode: 0, device: 0, links: 1 };
  return { path, type: 'file', mode, owner: 'root', group: 'root', ...numbers, ...times };
}
