import type { Position } from '../values.ts';

/** What an author must know about a template that cannot be evaluated. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** Where the failing place is, as exactly as the source of the text is known. */
  readonly position: Position | undefined;
  /** Whether an undefined value is the reason, so that `is defined` or `default` may forgive it. */
  readonly isUndefined: boolean;
  /** The undefined variable's name, where one name is to blame. */
  readonly variable: string | undefined;
  /** Whether the evaluation has used up what it may: nothing after that may go on. */
  readonly isLimit: boolean;

  constructor(message: string, details: TemplateErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.position = details.position;
    this.isUndefined = details.isUndefined ?? false;
    this.variable = details.variable;
    this.isLimit = details.isLimit ?? false;
  }
}

export interface TemplateErrorDetails {
  readonly position?: Position | undefined;
  readonly isUndefined?: boolean | undefined;
  readonly variable?: string | undefined;
  readonly isLimit?: boolean | undefined;
  readonly cause?: unknown;
}

/** A text that is no valid Jinja. `offset` counts UTF-16 units from the start of the text. */
export class SyntaxFault extends Error {
  override readonly name = 'SyntaxFault';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Thrown in speculative evaluation where a result would depend on more than the variables. */
export class NotSpeculable extends Error {
  override readonly name = 'NotSpeculable';

  constructor(what: string) {
    super(`${what} depends on more than variables`);
  }
}
