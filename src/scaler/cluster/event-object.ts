import { Buffer } from 'node:buffer';
import { renderMicroTime } from './micro-time.ts';

/** The object that an event is about. */
export interface EventTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid?: string | undefined;
}

/** Something that happened to an object, for people. */
export interface Happening {
  readonly regarding: EventTarget;
  readonly type: 'Normal' | 'Warning';
  /** One word in camel case. */
  readonly reason: string;
  /** What was done or tried; default: the reason. */
  readonly action?: string | undefined;
  /** One sentence; cut after 1024 bytes. */
  readonly note: string;
  readonly related?: EventTarget | undefined;
}

/** A happening, and how often it has come. */
export interface Seen {
  readonly happening: Happening;
  /** Of the event. */
  readonly name: string;
  readonly firstWallMs: number;
  lastWallMs: number;
  /** By the clock that does not jump. */
  lastMs: number;
  count: number;
  /** What the cluster has been told; 0: nothing yet. */
  writtenCount: number;
  /** Its series will be written in a while. */
  isDue: boolean;
}

/** Where events about objects without a namespace go. */
export const CLUSTER_NAMESPACE = 'default';
const NOTE_BYTES = 1024;
const WORD_LENGTH = 128;

/** The object of events.k8s.io/v1. */
export function renderEvent(
  { happening, name, firstWallMs, lastWallMs, count }: Seen,
  reporter: { readonly reportingController: string; readonly reportingInstance: string },
): Readonly<Record<string, unknown>> {
  const { regarding, type, reason, action = reason, note, related } = happening;
  const { reportingController, reportingInstance } = reporter;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace: regarding.namespace ?? CLUSTER_NAMESPACE },
    eventTime: renderMicroTime(firstWallMs),
    reportingController,
    reportingInstance: reportingInstance.slice(0, WORD_LENGTH),
    regarding,
    related,
    type,
    reason: reason.slice(0, WORD_LENGTH),
    action: action.slice(0, WORD_LENGTH),
    note: cut(note),
    series: count > 1 ? renderSeries(count, lastWallMs) : undefined,
  };
}

/** The part of an event that says how often it has come, and when last. */
export function renderSeries(count: number, lastWallMs: number) {
  return { count, lastObservedTime: renderMicroTime(lastWallMs) };
}

/** Not in the middle of a character. */
function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= NOTE_BYTES) return note;
  return `${bytes
    .subarray(0, NOTE_BYTES - 4)
    .toString()
    .replace(/\uFFFD+$/, '')}…`;
}
