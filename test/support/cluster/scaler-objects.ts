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
  let seen: readonly Condition[] = [];
  const find = () => seen.find((each) => each.type === type);
  await until(
    async () => {
      seen = await conditions(plane, name, kind);
      return `${find()?.status} ${find()?.reason}` === wanted;
    },
    () => seen,
  );
  return find()?.message ?? '';
}

async function conditions(
  plane: ControlPlane,
  name: string,
  kind: string,
): Promise<readonly Condition[]> {
  const found = await read<ScaledObject>(plane, kind, name);
  return found?.status?.conditions ?? [];
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

interface RecordedEvent {
  readonly reason: string;
  readonly note: string;
  readonly metadata: { readonly name: string };
  readonly regarding: { readonly kind: string; readonly name: string };
}
