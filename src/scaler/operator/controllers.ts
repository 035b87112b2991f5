/** Runs the controllers: what the caches tell wakes a queue, and the queue reconciles. Only the leader does. */
import type { Logger } from 'pino';
import { exponentialBackoff } from '../../kubernetes/backoff.ts';
import { type KubeObject, keyOf } from '../../kubernetes/objects.ts';
import type { Change } from '../cluster/object-cache.ts';
import { type Reconcile, WorkQueue } from '../cluster/work-queue.ts';
import { reportAuthentication } from '../controller/authentication-events.ts';
import { authenticationsOf, recordUsers } from '../controller/authentication-users.ts';
import type { ControllerDependencies } from '../controller/dependencies.ts';
import { fingerprintOf } from '../controller/memory.ts';
import type { StoredHpa } from '../controller/ports.ts';
import { ScaledJobController } from '../controller/scaled-job.ts';
import { ScaledObjectController } from '../controller/scaled-object.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { TriggerAuthentication } from '../resources/trigger-authentication.ts';
import type { Caches } from './caches.ts';

/** How many objects are polled at once. They mostly wait for their sources. */
const WORKERS = 200;
const LEAST_BACKOFF_MS = 500;
/** The API server's clock, which says when an object was made, may be behind ours by so much. */
const CLOCK_SKEW_MS = 2000;
/** Little: when what was in the way is gone, work must not wait for long. */
const MOST_BACKOFF_MS = 15_000;

export interface Controllers {
  readonly scaledObjects: ScaledObjectController;
  readonly scaledJobs: ScaledJobController;
  /** Something that credentials or values were read from has changed. */
  refreshUsersOf(kind: string, namespace: string, name: string): void;
  /** Works until the signal aborts; resolves when the last reconcile has ended. */
  run(signal: AbortSignal): Promise<void>;
}

export function makeControllers(
  dependencies: ControllerDependencies,
  caches: Caches,
  log: Logger,
): Controllers {
  let queues: { readonly objects: WorkQueue; readonly jobs: WorkQueue } | undefined;
  const scaledObjects = new ScaledObjectController(dependencies, (key) => queues?.objects.add(key));
  const scaledJobs = new ScaledJobController(dependencies);

  // Whoever answers the HPA has gauges open, leader or not.
  caches.scaledObjects.onChange((change) => {
    if (change.kind === 'deleted')
      void dependencies.gauges.close('ScaledObject', keyOf(change.old));
  });

  return {
    scaledObjects,
    scaledJobs,
    refreshUsersOf(kind, namespace, name) {
      for (const user of dependencies.gauges.usersOf(kind, namespace, name)) {
        const [owner = '', ...key] = user.split('/');
        if (owner === 'ScaledObject') void scaledObjects.refresh(key.join('/'));
        else void scaledJobs.refresh(key.join('/')).then(() => queues?.jobs.add(key.join('/')));
      }
    },
    async run(signal) {
      const { cluster, names, nowMs } = dependencies;
      const sinceMs = nowMs() - CLOCK_SKEW_MS;
      const objects = queueOf(
        'ScaledObject',
        (key, stop) => scaledObjects.reconcile(key, stop),
        log,
      );
      const jobs = queueOf('ScaledJob', (key, stop) => scaledJobs.reconcile(key, stop), log);
      const users = queueOf(
        'TriggerAuthentication',
        (key, stop) => recordUsers(key, cluster, names, stop),
        log,
      );
      queues = { objects, jobs };
      const endings = [
        caches.scaledObjects.onChange((change) => {
          if (isNews(change)) objects.add(keyOfChange(change));
        }),
        caches.scaledJobs.onChange((change) => {
          if (isNews(change)) jobs.add(keyOfChange(change));
        }),
        caches.jobs.onChange((change) => scaledJobs.noticeJob(change.new ?? change.old)),
        ...[caches.scaledObjects, caches.scaledJobs].map((cache) =>
          cache.onChange((change: Change<ScaledObject | ScaledJob>) => {
            for (const key of changedUse(change)) users.add(key);
          }),
        ),
        ...[caches.authentications, caches.clusterAuthentications].map((cache) =>
          cache.onChange((change) => {
            users.add(authenticationKey(change));
            reportAuthentication(change, { cluster, names, sinceMs });
          }),
        ),
        caches.hpas.onChange((change) => {
          const owner = ownerOf(change, names.group);
          if (owner !== undefined && isHpaNews(change)) scaledObjects.invalidate(owner);
        }),
      ];
      await whenAborted(signal);
      for (const end of endings) end();
      queues = undefined;
      await Promise.all([objects.stop(), jobs.stop(), users.stop()]);
      await dependencies.gauges.closeAll();
      scaledObjects.forgetAll();
      scaledJobs.forgetAll();
    },
  };
}

function queueOf(kind: string, reconcile: Reconcile, log: Logger): WorkQueue {
  return new WorkQueue(reconcile, {
    workers: WORKERS,
    backoff: exponentialBackoff(LEAST_BACKOFF_MS, MOST_BACKOFF_MS, Math.random),
    onError: (key, error) => log.warn({ kind, key, error: messageOf(error) }, 'Reconcile failed'),
  });
}

/** Changes of the status, ours mostly, are no news. */
function isNews(change: Change<KubeObject>): boolean {
  if (change.kind !== 'changed') return true;
  return describeOurs(change.old) !== describeOurs(change.new);
}

/** With the finalizers: a ScaledJob that we have claimed differs in nothing else. */
function describeOurs(object: KubeObject): string {
  const { finalizers, deletionTimestamp } = object.metadata;
  return JSON.stringify([fingerprintOf(object as ScaledObject), finalizers, deletionTimestamp]);
}

function isHpaNews(change: Change<StoredHpa>): boolean {
  if (change.kind !== 'changed') return change.kind === 'deleted';
  return describeHpa(change.old) !== describeHpa(change.new);
}

function describeHpa({ metadata, spec }: StoredHpa): string {
  return JSON.stringify([spec, metadata.labels, metadata.annotations, metadata.ownerReferences]);
}

function ownerOf(change: Change<StoredHpa>, group: string): string | undefined {
  const { metadata } = change.new ?? change.old;
  const owner = metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'ScaledObject' && apiVersion.startsWith(`${group}/`),
  );
  return owner && `${metadata.namespace ?? ''}/${owner.name}`;
}

/** Authentications that an object has begun or ceased to use. */
function changedUse({ old, new: now }: Change<ScaledObject | ScaledJob>): readonly string[] {
  const before = old === undefined ? [] : authenticationsOf(old);
  const after = now === undefined ? [] : authenticationsOf(now);
  return [
    ...before.filter((key) => !after.includes(key)),
    ...after.filter((key) => !before.includes(key)),
  ];
}

function authenticationKey(change: Change<TriggerAuthentication>): string {
  const { kind, metadata } = change.new ?? change.old;
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

function keyOfChange(change: Change<KubeObject>): string {
  return keyOf(change.new ?? change.old);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
