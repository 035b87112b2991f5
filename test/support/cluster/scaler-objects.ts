/** Objects of the scaler that tests make, and what is asked of them. */
import type { Condition } from '../../../src/scaler/resources/conditions.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';
import { until } from '../until.ts';
import type { ControlPlane } from './control-plane.ts';

type Spec = Readonly<Record<string, unknown>>;

/** A ScaledObject that is polled every second, for the Deployment of the same name. */
export function scaledObject(name: string, spec: Spec, metadata: object = {}) {
  return {
    apiVersion: 'scaler.tsprov.dev/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name, namespace: 'default', ...metadata },
    spec: { scaleTargetRef: { name }, pollingInterval: 1, cooldownPeriod: 2, ...spec },
  };
}

/** Reads an object as it is stored; undefined where there is none. */
export async function read<T>(
  plane: ControlPlane,
  kind: string,
  name: string,
): Promise<T | undefined> {
  const text = await plane.kubectl(
    'get',
    kind,
    name,
    '-n',
    'default',
    '-o',
    'json',
    '--ignore-not-found',
  );
  return text.trim() === '' ? undefined : (JSON.parse(text) as T);
}

export async function replicasOf(plane: ControlPlane, kind: string, name: string): Promise<number> {
  const found = await read<{ spec: { replicas?: number; size?: number } }>(plane, kind, name);
  return found?.spec.replicas ?? found?.spec.size ?? 0;
}

/** Waits until the workload has that many replicas. */
export async function untilReplicas(
  plane: ControlPlane,
  name: string,
  replicas: number,
  kind = 'deployment',
): Promise<void> {
  let seen: unknown;
  await until(
    async () => {
      seen = await replicasOf(plane, kind, name);
      return seen === replicas;
    },
    () => `${kind} ${name} has ${seen} replicas and not ${replicas}`,
  );
}

/** Waits for a condition, given as `<status> <reason>`; gives its message. */
export async function untilCondition(
  plane: ControlPlane,
  name: string,
  type: string,
  wanted: string,
  kind = 'scaledobject',
): Promise<string> {
  const { message } = await untilFound(
    plane,
    { name, kind },
    (each) => each.type === type && `${each.status} ${each.reason}` === wanted,
  );
  return message ?? '';
}

/** Waits until the object is not ready for that reason: it may be for another one first, as long as not all of it is seen. */
export async function untilNotReady(
  plane: ControlPlane,
  name: string,
  reason: string,
  message: RegExp | string,
  kind = 'scaledobject',
): Promise<void> {
  const isTold = (text = '') =>
    typeof message === 'string' ? text.includes(message) : message.test(text);
  await untilFound(
    plane,
    { name, kind },
    (each) =>
      each.type === 'Ready' &&
      each.status === 'False' &&
      each.reason === reason &&
      isTold(each.message),
  );
}

/** Waits until the operator has seen the spec as it is now. */
export async function untilObserved(
  plane: ControlPlane,
  name: string,
  kind = 'scaledobject',
): Promise<void> {
  const { metadata } = (await read<ScaledObject>(plane, kind, name)) ?? {};
  await untilFound(
    plane,
    { name, kind },
    (each) => each.type === 'Ready' && each.observedGeneration === metadata?.generation,
  );
}

async function untilFound(
  plane: ControlPlane,
  { name, kind }: { readonly name: string; readonly kind: string },
  isWanted: (condition: Condition) => boolean,
): Promise<Condition> {
  let seen: readonly Condition[] = [];
  let found: Condition | undefined;
  await until(
    async () => {
      seen = (await read<ScaledObject>(plane, kind, name))?.status?.conditions ?? [];
      found = seen.find(isWanted);
      return found !== undefined;
    },
    () => ({ name, seen }),
  );
  return found as Condition; // It was waited for.
}

/**
 * Waits until the HPA controller has seen that value of the only metric, by pod. It has seen the HPA as it was before the value,
 * too: the API server takes no status for an older one.
 */
export async function untilHpaSees(
  plane: ControlPlane,
  name: string,
  value: string,
): Promise<void> {
  const path = 'jsonpath={.status.currentMetrics[0].external.current.averageValue}';
  let seen = '';
  await until(
    async () => {
      seen = await plane.kubectl('get', 'hpa', name, '-o', path);
      return seen === value;
    },
    () => ({ name, seen, value }),
  );
}

/** What was told of an object. */
export async function eventsOf(
  plane: ControlPlane,
  kind: string,
  name: string,
): Promise<readonly RecordedEvent[]> {
  const text = await plane.kubectl('get', 'events.events.k8s.io', '-A', '-o', 'json');
  const { items } = JSON.parse(text) as { items: readonly RecordedEvent[] };
  return items.filter(({ regarding }) => regarding.kind === kind && regarding.name === name);
}

/** Waits until all of this was told of an object, by the reasons: events are written after what they are about. */
export async function untilTold(
  plane: ControlPlane,
  kind: string,
  name: string,
  ...reasons: readonly string[]
): Promise<readonly RecordedEvent[]> {
  let events: readonly RecordedEvent[] = [];
  await until(
    async () => {
      events = await eventsOf(plane, kind, name);
      return reasons.every((reason) => events.some((event) => event.reason === reason));
    },
    () => ({ reasons, events: events.map(({ reason, note }) => `${reason}: ${note}`) }),
  );
  return events;
}

interface RecordedEvent {
  readonly reason: string;
  readonly note: string;
  readonly metadata: { readonly name: string };
  readonly regarding: { readonly kind: string; readonly name: string };
}
