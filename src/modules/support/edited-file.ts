/** Changing the text of a file in place: what lineinfile and blockinfile share. */
import { posix } from 'node:path';
import {
  type AttributeFacts,
  bytesContent,
  type Diff,
  type Effect,
  type FileAttributes,
  type Ownership,
  type PathState,
  type Plan,
  planAttributes,
  planFile,
  probeAttributes,
  type Reader,
  resolveAttributes,
  run,
  type Step,
  TaskError,
} from '../../engine/module.ts';
import { RegexSyntaxError } from '../../shared/python-regex.ts';
import { sh } from '../../shared/shell.ts';
import { probeParents } from './parents.ts';

/** A file, and after the plan what was done to it. */
export interface EditedFile {
  /** Where the bytes are: links are followed, so that a link stays one. */
  readonly path: string;
  readonly file: PathState | undefined;
  /** Parents that are not there, topmost first. */
  readonly missingParents: readonly string[];
  readonly facts: AttributeFacts;
  readonly done?: EditReport;
}

export interface EditReport {
  /** Ansible's words for the change. */
  readonly message: string;
  readonly found?: number;
}

export interface Edit extends EditReport {
  /** The new text, latin1. */
  readonly text: string;
}

interface EditWish {
  readonly attributes: FileAttributes;
  readonly backup: boolean;
  readonly validate: string | undefined;
  /** The edit of a text; must be pure. */
  readonly edit: (text: string) => Edit;
}

/** As many links as Linux follows. */
const LINK_LIMIT = 40;

/** Reads a file that is to be edited. Throws TaskError where it is a directory or too large. */
export async function probeEditedFile(
  host: Reader,
  path: string,
  attributes: FileAttributes,
): Promise<EditedFile> {
  let at = path;
  let [file, facts] = await look(host, at, attributes);
  for (let links = 0; file?.type === 'link' && links < LINK_LIMIT; links++) {
    at = posix.resolve(posix.dirname(at), file.target ?? '');
    [file, facts] = await look(host, at, attributes);
  }
  if (file === undefined) {
    return { path: at, file, facts, missingParents: await findMissing(host, at) };
  }
  return { path: at, file: { ...file, path: at }, facts, missingParents: [] };
}

function look(host: Reader, path: string, attributes: FileAttributes) {
  return Promise.all([host.path(path, { content: true }), probeAttributes(host, path, attributes)]);
}

/** Directories above a path that are not there, topmost first. Throws TaskError where something else is in the way. */
async function findMissing(host: Reader, path: string): Promise<readonly string[]> {
  const { missing, obstacle } = await probeParents(host, path);
  if (obstacle === undefined) return missing;
  throw new TaskError(`${obstacle} is in the way of ${path}: it is not a directory`);
}

/** The file's text as latin1, empty where there is none. Throws TaskError where it cannot be edited. */
export function editableText({ path, file }: EditedFile): string {
  if (file === undefined) return '';
  if (file.type === 'directory') {
    throw new TaskError(`Path ${path} is a directory !`, { result: { rc: 256 } });
  }
  if (file.content === undefined) {
    throw new TaskError(`"${path}" cannot be edited: it is not a readable file of at most 16 MiB`);
  }
  return file.content.toString('latin1');
}

/** Plans an edit and the attributes. Throws TaskError where a pattern is malformed. */
export function planEdit(current: EditedFile, wish: EditWish): Plan<EditedFile> {
  const text = editableText(current);
  const { text: edited, ...report } = tried(() => wish.edit(text));
  const { path, file, facts } = current;
  const settled = edited === text || tried(() => wish.edit(edited)).text === edited;
  if (file === undefined && edited === '')
    return { ...unchanged(current), after: { ...current, done: report } };
  const placement =
    edited === text && file !== undefined
      ? planAttributes(file, facts, { path, attributes: wish.attributes })
      : planFile(file, facts, {
          ...{ path, attributes: wish.attributes },
          content: bytesContent(Buffer.from(edited, 'latin1')),
          ...{ backup: wish.backup, validate: wish.validate },
        });
  const parents = file === undefined ? current.missingParents : [];
  const moved = differs(file, placement.state, facts);
  return {
    before: current,
    after: { ...current, file: placement.state, missingParents: [], done: withMove(report, moved) },
    steps: [...makeParents(parents), ...placement.steps.map((step) => marked(step, settled))],
    effects: [...parents.map((parent) => directoryEffect(parent, facts)), ...placement.effects],
    diff: placement.diff.map((each) => withHeaders(each, path)),
    warnings: settled ? [] : [UNSETTLED],
  };
}

const UNSETTLED = 'the task changes the file at every run: what it writes is not what it looks for';

function tried<T>(edit: () => T): T {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw new TaskError(error.message, { cause: error });
  }
}

function unchanged(current: EditedFile): Plan<EditedFile> {
  return { before: current, after: current, steps: [], effects: [] };
}

function marked(step: Step, settled: boolean): Step {
  return settled ? step : { ...step, always: true };
}

function makeParents(parents: readonly string[]): Step[] {
  const last = parents.at(-1);
  return last === undefined ? [] : [run(sh`mkdir -p -- ${last}`)];
}

function directoryEffect(path: string, facts: AttributeFacts): Effect {
  const ownership = resolveAttributes('directory', undefined, {}, facts);
  const state: PathState = {
    ...{ path, type: 'directory', ...ownership, size: 0, inode: 0, device: 0, links: 2 },
    ...{ atime: 0, mtime: 0, ctime: 0 },
  };
  return { kind: 'path', name: path, state };
}

/** Whether ownership or mode become other than they would by themselves. */
function differs(file: PathState | undefined, reached: Ownership, facts: AttributeFacts): boolean {
  const base = file ?? resolveAttributes('file', undefined, {}, facts);
  return base.mode !== reached.mode || base.uid !== reached.uid || base.gid !== reached.gid;
}

function withMove(report: EditReport, moved: boolean): EditReport {
  const words = [report.message, moved ? 'ownership, perms or SE linux context changed' : ''];
  return { ...report, message: words.filter((each) => each !== '').join(' and ') };
}

function withHeaders(diff: Diff, path: string): Diff {
  if (!('before' in diff) || typeof diff.before !== 'string') return diff;
  return { ...diff, beforeHeader: `${path} (content)`, afterHeader: `${path} (content)` };
}
