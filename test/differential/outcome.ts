/** What a run showed, in one form for both engines. */

export interface TaskResult {
  readonly play: string;
  readonly task: string;
  readonly host: string;
  readonly item: string | undefined;
  readonly status: string;
  readonly ignored: boolean;
  readonly result: Record<string, unknown>;
}

export interface Outcome {
  readonly exitCode: number;
  readonly results: readonly TaskResult[];
  /** Counters of each host. */
  readonly recap: Record<string, Record<string, number>>;
  /** What the engine printed for people, shown when a case fails. */
  readonly output: string;
}

/** Lines of JSON as records. */
export function parseLines(text: string): Record<string, unknown>[] {
  // Both engines write one object per line.
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
