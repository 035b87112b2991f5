/** What the queues held over time, and what the operators made of it according to the audit log. */
import type { AuditEvent } from './audit.ts';
import type { QueueServer } from './queue-server.ts';

/** A write of the number of replicas by an operator that the API server has accepted. */
export interface ScaleWrite {
  readonly name: string;
  readonly replicas: number;
  readonly atMs: number;
}

/** Sets the lengths of queues and remembers when. */
export class QueueHistory {
  readonly #queues: QueueServer;
  readonly #changes = new Map<string, { readonly atMs: number; readonly length: number }[]>();

  constructor(queues: QueueServer) {
    this.#queues = queues;
  }

  set(name: string, length: number, queues = this.#queues): void {
    const changes = this.#changes.get(name) ?? [];
    this.#changes.set(name, [...changes, { atMs: Date.now(), length }]);
    queues.lengths.set(name, length);
  }

  /** Whether there was work in the queue. */
  isBusy(name: string, atMs: number): boolean {
    return this.#busySpans(name).some(([fromMs, toMs]) => fromMs <= atMs && atMs < toMs);
  }

  /** For how long there was work without a break between two times, at most; in milliseconds. */
  longestWork(name: string, fromMs: number, toMs: number): number {
    const spans = this.#busySpans(name);
    return Math.max(0, ...spans.map(([from, to]) => Math.min(to, toMs) - Math.max(from, fromMs)));
  }

  /** When the queue was changed between two times. */
  changesBetween(name: string, fromMs: number, toMs: number): readonly number[] {
    const times = (this.#changes.get(name) ?? []).map(({ atMs }) => atMs);
    return times.filter((atMs) => fromMs <= atMs && atMs <= toMs);
  }

  #busySpans(name: string): readonly (readonly [fromMs: number, toMs: number])[] {
    const changes = this.#changes.get(name) ?? [];
    return changes.flatMap(({ atMs, length }, index) => {
      const isBegin = length > 0 && (changes[index - 1]?.length ?? 0) === 0;
      if (!isBegin) return [];
      const end = changes.find((change, later) => later > index && change.length === 0);
      return [[atMs, end?.atMs ?? Number.POSITIVE_INFINITY] as const];
    });
  }
}

/** In the order of the log. */
export function scaleWritesOf(log: readonly AuditEvent[]): readonly ScaleWrite[] {
  return log.filter(isScaleWrite).map((event) => ({
    name: event.objectRef?.name ?? '',
    replicas: (event.requestObject as { spec?: { replicas?: number } }).spec?.replicas ?? 0,
    atMs: Date.parse(event.requestReceivedTimestamp),
  }));
}

/** Writes of operators to what they scale, their HPAs, Jobs and their own kinds, whether accepted or not. */
export function operatorWritesOf(log: readonly AuditEvent[]): readonly AuditEvent[] {
  const groups = new Set(['apps', 'autoscaling', 'batch', 'scaler.tsprov.dev']);
  return log.filter((event) => isOfOperator(event) && groups.has(event.objectRef?.apiGroup ?? ''));
}

function isScaleWrite(event: AuditEvent): boolean {
  const { objectRef, responseStatus, verb } = event;
  return (
    isOfOperator(event) &&
    objectRef?.subresource === 'scale' &&
    verb === 'update' &&
    responseStatus.code === 200
  );
}

function isOfOperator({ userAgent }: AuditEvent): boolean {
  return userAgent?.startsWith('scaler-operator/') === true;
}
