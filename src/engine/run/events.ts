/** What a run reports while it goes on. Outputs listen; nothing else depends on them. */
import type { Diff } from '../module.ts';
import type { Dict, Position, Value } from '../values.ts';

export type Status = 'ok' | 'changed' | 'skipped' | 'failed' | 'unreachable';

export interface TaskInfo {
  /** Rendered name, with `role : ` before it inside a role. */
  readonly title: string;
  readonly action: string;
  readonly module: string;
  readonly position: Position;
  readonly handler: boolean;
  readonly role: string | undefined;
  readonly tags: readonly string[];
  readonly checkMode: boolean;
}

/** What one task, or one item of its loop, came to on one host. */
export interface ResultInfo {
  readonly host: string;
  /** The host it was delegated to, with its address where that differs. */
  readonly delegate: string | undefined;
  readonly status: Status;
  /** The registered value; already censored under no_log. */
  readonly result: Dict;
  readonly ignored: boolean;
  /** What ran; undefined where the task failed before. */
  readonly ran: 'Module' | 'Action' | undefined;
  /** The label of a loop item, as text; undefined where the task does not loop. */
  readonly label: string | undefined;
  readonly diffs: readonly Diff[];
  /** Shown in full even without -v (debug, a failed assert). */
  readonly alwaysVerbose: boolean;
  /** In a check run: what the answer depends on, where it cannot be known. */
  readonly unknown: string | undefined;
  /** The steps that were or would be carried out, as data with secrets masked. */
  readonly plan: unknown;
  readonly durationMs: number;
}

export interface HostStats {
  ok: number;
  changed: number;
  unreachable: number;
  failed: number;
  skipped: number;
  rescued: number;
  ignored: number;
}

export type RunEvent =
  | { readonly type: 'playbook-start'; readonly file: string; readonly plays: number }
  | {
      readonly type: 'play-start';
      readonly name: string;
      readonly hosts: readonly string[];
      readonly position: Position;
      readonly checkMode: boolean;
    }
  | { readonly type: 'no-hosts-matched' }
  | { readonly type: 'no-hosts-left' }
  | {
      readonly type: 'task-start';
      readonly task: TaskInfo;
      readonly hosts: readonly string[];
      /** Whether the host goes by itself: what others do comes in between. */
      readonly isAlone: boolean;
    }
  | { readonly type: 'item'; readonly task: TaskInfo; readonly info: ResultInfo }
  | {
      readonly type: 'result';
      readonly task: TaskInfo;
      readonly info: ResultInfo;
      readonly looped: boolean;
    }
  | {
      readonly type: 'retry';
      readonly task: TaskInfo;
      readonly host: string;
      readonly left: number;
      readonly result: Dict;
    }
  | {
      readonly type: 'included';
      readonly what: string;
      readonly hosts: readonly string[];
      readonly label: string | undefined;
    }
  | { readonly type: 'message'; readonly text: string }
  /** What only those want to see who ask with so many `-v`. */
  | { readonly type: 'detail'; readonly verbosity: number; readonly text: string }
  | { readonly type: 'warning'; readonly text: string; readonly position?: Position | undefined }
  | {
      readonly type: 'recap';
      readonly stats: ReadonlyMap<string, HostStats>;
      readonly durationMs: number;
      readonly frames: ReadonlyMap<string, number>;
    };

export type Emit = (event: RunEvent) => void;

export function emptyStats(): HostStats {
  return { ok: 0, changed: 0, unreachable: 0, failed: 0, skipped: 0, rescued: 0, ignored: 0 };
}

/** The stub that stands for a result hidden by no_log. */
export function censored(changed: Value | undefined): Dict {
  const text =
    "the output has been hidden due to the fact that 'no_log: true' was specified for this result";
  return new Map<string, Value>([
    ['censored', text],
    ['changed', changed ?? false],
  ]);
}
