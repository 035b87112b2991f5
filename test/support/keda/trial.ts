/** The objects in a cluster, and what an operator makes of them: KEDA's when it is recorded, ours when it is compared. */
import { createServer, type Server } from 'node:http';
import type { ControlPlane } from '../cluster/control-plane.ts';
import { workload } from '../cluster/manifests.ts';
import { authentications, scaledJobs } from './jobs.ts';
import { SOURCE, scaledObjects } from './objects.ts';
import { answerAt } from './source.ts';

/** What an operator has made of one object. */
export interface Outcome {
  readonly kind: string;
  readonly name: string;
  readonly hpa?: {
    readonly metadata: {
      readonly name: string;
      readonly labels?: Texts;
      readonly annotations?: Texts;
    };
    readonly spec: Readonly<Record<string, unknown>>;
  };
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly conditions?: readonly OutcomeCondition[];
  };
  /** Each once, as `<type> <reason>: <note>`. */
  readonly events: readonly string[];
}

export interface OutcomeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

type Texts = Readonly<Record<string, string>>;

interface Stored {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Outcome['status'];
}

interface StoredEvent {
  readonly regarding: { readonly kind: string; readonly name: string };
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

/** Starts the sources that live. */
export async function startSource(): Promise<Server> {
  const source = createServer((request, response) => {
    const body = answerAt(new URL(request.url ?? '/', SOURCE).pathname);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  const port = Number(new URL(SOURCE).port);
  await new Promise<void>((resolve) => source.listen(port, '127.0.0.1', resolve));
  return source;
}

/** Makes all objects, each with its workload. */
export async function applyObjects(plane: ControlPlane): Promise<void> {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' } };
  await plane.apply({ ...secret, stringData: { password: 'p' } });
  const workloads = scaledObjects.map(({ metadata }) => workload('Deployment', metadata.name));
  await plane.apply(...workloads);
  await plane.apply(...authentications, ...scaledObjects, ...scaledJobs);
}

/** What has become of them. */
export async function lookAt(plane: ControlPlane): Promise<readonly Outcome[]> {
  const [hpas, objects, jobs, events] = await Promise.all([
    list<Stored>(plane, 'hpa'),
    list<Stored>(plane, 'scaledobjects'),
    list<Stored>(plane, 'scaledjobs'),
    list<StoredEvent>(plane, 'events.events.k8s.io'),
  ]);
  return [...objects, ...jobs].map(({ kind, metadata: { name }, status }) => {
    const hpa = hpas.find(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
    const told = events
      .filter(({ regarding }) => regarding.kind === kind && regarding.name === name)
      .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
    return {
      kind,
      name,
      ...(hpa && { hpa: outcomeOf(hpa) }),
      ...(status && { status }),
      events: [...new Set(told)].sort(),
    };
  });
}

/** The series of a scrape that have the names of KEDA, without their values. */
export function seriesOf(text: string): readonly string[] {
  const lines = text.split('\n').flatMap((line) => /^(keda_.*) \S+$/.exec(line)?.[1] ?? []);
  return lines.map(withSortedLabels).sort();
}

function withSortedLabels(series: string): string {
  const [, name, labels = ''] = /^(\w+)\{(.*)\}$/.exec(series) ?? [];
  if (name === undefined) return series;
  const sorted = [...labels.matchAll(/\w+="(?:[^"\\]|\\.)*"/g)].map(([label]) => label).sort();
  return `${name}{${sorted.join()}}`;
}

function outcomeOf({ metadata: { name, labels, annotations }, spec }: Stored) {
  const described = { ...(labels && { labels }), ...(annotations && { annotations }) };
  return { metadata: { name, ...described }, spec };
}

async function list<T>(plane: ControlPlane, resource: string): Promise<readonly T[]> {
  const text = await plane.kubectl('get', resource, '-n', 'default', '-o', 'json');
  return (JSON.parse(text) as { readonly items: readonly T[] }).items;
}
