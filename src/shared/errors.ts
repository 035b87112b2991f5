/** Errors for three readers: the author of a file, the operator of a run, and us. */
import { closest } from './closest.ts';

/** Where something was written. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing wrong in a file or on the command line. */
export interface Problem {
  readonly place?: Place | undefined;
  /** States the fact in the present tense and quotes the user's own value. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** It is encrypted, and no password opens it: nothing is wrong with the file. */
  readonly isLocked?: boolean;
}

/** What the author of a playbook, an inventory or a command line has to mend. Carries every problem found. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map(formatProblem).join('\n'), options);
    this.problems = problems;
  }

  /** An InvalidInput of one problem. */
  static at(place: Place | undefined, message: string, hint?: string): InvalidInput {
    return new InvalidInput([{ place, message, hint }]);
  }
}

/** A handler that nothing defines, found out when it is notified: the run ends where it is. */
export class MissingHandler extends InvalidInput {}

/** A task that failed on a host for a reason the operator can cure. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly hint: string | undefined;
  /** What the author of the playbook has to mend, where that is more exact than the task. */
  readonly place: Place | undefined;
  /** Members for the task's result beside `failed` and `msg`, e.g. `rc` and `stderr`. */
  readonly result: Readonly<Record<string, unknown>>;
  /** Nothing that an earlier task of a check run would have done could have prevented it. */
  readonly isCertain: boolean;

  constructor(
    message: string,
    {
      hint,
      place,
      result = {},
      cause,
      isCertain = false,
    }: {
      hint?: string | undefined;
      place?: Place | undefined;
      result?: Record<string, unknown>;
      cause?: unknown;
      isCertain?: boolean;
    } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
    this.place = place;
    this.result = result;
    this.isCertain = isCertain;
  }
}

/** A host that cannot be reached or no longer answers. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/** In a check run: something that cannot be known, because it depends on what an earlier task would have done. */
export class UnknownState extends Error {
  override readonly name = 'UnknownState';
  /** What it depends on, e.g. `package containerd`. */
  readonly dependsOn: string;

  constructor(dependsOn: string, options?: ErrorOptions) {
    super(`unknown (depends on: ${dependsOn})`, options);
    this.dependsOn = dependsOn;
  }
}

/** `file:line:col  message (hint)`, as every problem is shown. */
export function formatProblem({ place, message, hint }: Problem): string {
  const where = place === undefined ? '' : `${place.file}:${place.line}:${place.column}  `;
  return `${where}${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/** `did you mean "x"?`, or undefined where nothing is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const match = closest(word, candidates);
  return match === undefined ? undefined : `did you mean "${match}"?`;
}
