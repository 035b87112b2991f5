/** The file module's arguments, and what it reads of a host before it plans. */
import { type AttributeFacts, fileAttributes, type PathState } from '../../engine/module.ts';
import {
  boolean,
  choice,
  type Infer,
  object,
  optional,
  path,
  string,
} from '../../shared/schema.ts';
import type { Times } from './file-times.ts';

const TIME_FORMAT = '%Y%m%d%H%M.%S';

export const fileArgs = object({
  path: path('What to manage.', { aliases: ['dest', 'name'] }),
  state: optional(
    choice(
      ['absent', 'directory', 'file', 'hard', 'link', 'touch'],
      'What it should be. Without it, what it is already, or a file (which must exist).',
    ),
  ),
  src: optional(path('What a link points to; for `link` it is kept as it is written.')),
  recurse: boolean('Set the attributes of everything below a directory too.', { default: false }),
  force: boolean('Make links to what does not exist, and let links replace files.', {
    default: false,
  }),
  follow: boolean('Where the path is a link, manage what it points to.', { default: true }),
  modification_time: optional(string('`preserve`, `now`, or a time in the format below.')),
  modification_time_format: string('How `modification_time` is written, as for strftime.', {
    default: TIME_FORMAT,
  }),
  access_time: optional(string('`preserve`, `now`, or a time in the format below.')),
  access_time_format: string('How `access_time` is written, as for strftime.', {
    default: TIME_FORMAT,
  }),
  ...fileAttributes,
});

export type FileArgs = Infer<typeof fileArgs>;

/** Something below a directory. */
export type TreeEntry = Omit<PathState, 'target' | 'realPath' | 'checksum' | 'content'>;

/** What the file module knows of a host. */
export interface FileNow {
  /** The path to manage: the argument's, or below it where that is a directory to link into. */
  readonly path: string;
  /** What is at the path itself. */
  readonly here: PathState | undefined;
  /** What a link there points to; without a link, the same as `here`. */
  readonly there: PathState | undefined;
  /** Directories above the path that are not there, topmost first. */
  readonly missing: readonly string[];
  /** What is above the path and is not a directory. */
  readonly obstacle: string | undefined;
  readonly facts: AttributeFacts;
  /** What `src` names. */
  readonly source: PathState | undefined;
  /** All that is below a directory, where the task has to know. */
  readonly tree: readonly TreeEntry[];
  readonly times: Times;
}
