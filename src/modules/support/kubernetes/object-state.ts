/** What a probe finds out about one object of a task. */
import { TaskError } from '../../../engine/module.ts';
import type { Json } from './json.ts';
import type { NamedTarget, Target } from './target.ts';
import type { Method } from './write-object.ts';

/** What would become of an object. */
export type Forecast =
  /** It is as it should be, or there is nothing to do with it. */
  | { readonly kind: 'same' }
  /**
   * It would be changed. `isSure`: the API server has said so; else it cannot say, for want of what is written before
   * it or because something does not support dry runs, and this is what can be told here.
   */
  | { readonly kind: 'change'; readonly isSure: boolean }
  | {
      readonly kind: 'failure';
      readonly message: string;
      readonly hint: string | undefined;
      readonly result: Json;
    };

type Failure = Extract<Forecast, { kind: 'failure' }>;

/** An error as data. */
export function failureFrom({ message, hint, result }: TaskError): Failure {
  return { kind: 'failure', message, hint, result };
}

/** The error again. */
export function errorOf({ message, hint, result }: Failure): TaskError {
  return new TaskError(message, { hint, result: { ...result } });
}

/** One object: what is wanted, what is there, and what would become of it. */
export interface ObjectState {
  readonly definition: Json;
  readonly target: Target;
  /** Absent: nothing is sent for it. */
  readonly method?: Method;
  readonly existing?: Json | undefined;
  /** To be deleted; several where labels select them. */
  readonly deletions?: readonly NamedTarget[];
  readonly forecast: Forecast;
  /** The object as it would be; undefined: gone, or never there. */
  readonly after?: Json | undefined;
  /** What the API server answers to a deletion, or would. */
  readonly answer?: Json | readonly Json[];
  readonly warnings: readonly string[];
  /** Why it is passed over. */
  readonly message?: string;
}

/** What has become of one object. */
export interface Done {
  readonly method: Method;
  readonly changed: boolean;
  readonly answer: Json | readonly Json[];
  readonly warnings: readonly string[];
}
