/** What the operator keeps of a ScaledObject between its reconciles. */
import type { Health } from '../decide/fallback.ts';
import { firstDelayMs } from '../decide/poll-times.ts';
import type { ScaledObject, ScaledObjectStatus } from '../resources/scaled-object.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { initialFindings } from './findings.ts';
import type { Prepared } from './prepare.ts';
import { withFindings } from './status.ts';

const POLLING_SECONDS = 30;

export interface Memory {
  readonly uid: string | undefined;
  /** When it is polled first, on the clock that never jumps. */
  readonly firstPollMs: number;
  /** What the preparation was made for; undefined: it has to be made anew. */
  fingerprint: string | undefined;
  prepared: Prepared | undefined;
  /** On the clock that never jumps. */
  nextPollMs: number;
  /** When the last poll began, on that clock. */
  polledAtMs: number | undefined;
  /** Last time that it was active, or may have been, on that clock; undefined where it never was. */
  activeAtMs: number | undefined;
  health: Readonly<Record<string, Health>>;
  /** Metrics whose sources have said that there is work since the last poll. */
  readonly pushed: Set<string>;
  /** As it is known here. */
  status: ScaledObjectStatus;
  /** As the API server has it; undefined before the first write. */
  written: ScaledObjectStatus | undefined;
}

type Clocks = Pick<ControllerDependencies, 'nowMs' | 'steadyMs'>;

export class Memories {
  readonly #known = new Map<string, Memory>();

  get size(): number {
    return this.#known.size;
  }

  get(key: string): Memory | undefined {
    return this.#known.get(key);
  }

  /** What is known of the object; of one that is new under its name, what its status says. */
  of(key: string, object: ScaledObject, clocks: Clocks): Memory {
    const known = this.#known.get(key);
    if (known !== undefined && known.uid === object.metadata.uid) return known;
    const memory = recall(object, clocks);
    this.#known.set(key, memory);
    return memory;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  clear(): void {
    this.#known.clear();
  }
}

function recall({ metadata, spec, status = {} }: ScaledObject, clocks: Clocks): Memory {
  const { health = {}, conditions = [] } = status;
  const context = { nowMs: clocks.nowMs(), generation: metadata.generation ?? 0 };
  const isRecorded = conditions.length > 0;
  return {
    uid: metadata.uid,
    firstPollMs: isRecorded
      ? clocks.steadyMs() + firstDelayMs(metadata.uid ?? '', pollingMs(spec))
      : 0,
    fingerprint: undefined,
    prepared: undefined,
    nextPollMs: 0,
    polledAtMs: undefined,
    // What came between the last word of another process and now, nobody has seen: only a cooldown that is watched from
    // its beginning shows that there is no work.
    activeAtMs: isRecorded ? clocks.steadyMs() : undefined,
    health,
    pushed: new Set(),
    status: isRecorded ? status : withFindings(status, initialFindings, context),
    written: isRecorded ? status : undefined,
  };
}

/** The time from one poll to the next. */
export function pollingMs({
  pollingInterval = POLLING_SECONDS,
}: Pick<ScaledObject['spec'], 'pollingInterval'>): number {
  return pollingInterval * 1000;
}

/** What the preparation depends on; changes of the status alone do not count. */
export function fingerprintOf({ metadata }: ScaledObject): string {
  const { uid, generation, labels, annotations } = metadata;
  return JSON.stringify([uid, generation, labels, annotations]);
}
