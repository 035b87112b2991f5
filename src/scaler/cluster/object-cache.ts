import type { ApiClient } from '../../kubernetes/api-client.ts';
import type { Random } from '../../kubernetes/backoff.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import { type KubeObject, keyOf, type Resource } from '../../kubernetes/objects.ts';
import { ListWatch } from './list-watch.ts';
import { ObjectIndex } from './object-index.ts';

/** What became of an object. Where only the uid differs, the old one is told as deleted and the new one as added. */
export type Change<T> =
  | { readonly kind: 'added'; readonly old: undefined; readonly new: T }
  | { readonly kind: 'changed'; readonly old: T; readonly new: T }
  | { readonly kind: 'deleted'; readonly old: T; readonly new: undefined };

export interface CacheOptions<T> {
  readonly client: ApiClient;
  readonly resource: Resource;
  /** Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Keeps what is needed of an object as the server sends it (lists leave apiVersion and kind out). Default: all but managedFields. */
  readonly trim?: (object: KubeObject) => T;
  /** By name: the values under which an object is found again. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
  /** Told of interruptions, which are mended without help, and of what listeners throw. */
  readonly onProblem: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** What is known of an object beside what is kept of it. */
interface Entry<T> {
  readonly key: string;
  readonly namespace: string;
  readonly uid: string | undefined;
  readonly version: string | undefined;
  readonly object: T;
}

/** A copy of the cluster's objects of one kind, kept current by watching. What it gives must not be changed. */
export class ObjectCache<T = KubeObject> {
  readonly #options: CacheOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #indexes: ReadonlyMap<string, ObjectIndex<T>>;
  readonly #listeners = new Set<(change: Change<T>) => void>();
  readonly #whenSynced: Promise<void>;
  #resolveSynced: () => void = () => undefined;
  #isSynced = false;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
    this.#whenSynced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
    const indexes = Object.entries(options.indexes ?? {});
    this.#indexes = new Map(indexes.map(([name, valuesOf]) => [name, new ObjectIndex(valuesOf)]));
  }

  /** Keeps the copy current until the signal aborts; resolves then. Call it once. */
  async start(signal: AbortSignal): Promise<void> {
    const { namespaces, resource, labelSelector, fieldSelector } = this.#options;
    const missing = new Set(namespaces ?? [undefined]);
    const watches = [...missing].map((namespace) => {
      const follower = {
        trim: (object: KubeObject) => this.#entryOf(object),
        onList: (entries: readonly Entry<T>[]) => {
          this.#replace(namespace, entries);
          missing.delete(namespace);
          if (missing.size === 0) this.#sync();
        },
        onEvent: (type: 'ADDED' | 'MODIFIED' | 'DELETED', entry: Entry<T>) =>
          type === 'DELETED' ? this.#remove(entry.key) : this.#put(entry),
      };
      const selection = { resource, namespace, labelSelector, fieldSelector };
      return new ListWatch(selection, follower, this.#options);
    });
    if (missing.size === 0) this.#sync();
    await Promise.all(watches.map((watch) => watch.run(signal)));
  }

  /** Resolves when every namespace has been listed once. */
  whenSynced(): Promise<void> {
    return this.#whenSynced;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param namespace Empty for kinds of the whole cluster. */
  get(namespace: string, name: string): T | undefined {
    return this.#entries.get(`${namespace}/${name}`)?.object;
  }

  /** All objects, or those of a namespace. */
  list(namespace?: string): readonly T[] {
    const all = [...this.#entries.values()];
    const inScope = all.filter((entry) => namespace === undefined || entry.namespace === namespace);
    return inScope.map(({ object }) => object);
  }

  /** The objects that an index of the options gives this value. */
  byIndex(index: string, value: string): readonly T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new TypeError(`there is no index "${index}"`);
    return found.get(value);
  }

  /** Calls the listener for what is there already, as added, and for every change. Gives what ends that. */
  onChange(listener: (change: Change<T>) => void): () => void {
    this.#listeners.add(listener);
    for (const { object } of this.#entries.values()) {
      this.#tell(listener, { kind: 'added', old: undefined, new: object });
    }
    return () => this.#listeners.delete(listener);
  }

  #sync(): void {
    this.#isSynced = true;
    this.#resolveSynced();
  }

  #entryOf(object: KubeObject): Entry<T> {
    const trim = this.#options.trim ?? withoutManagedFields<T>;
    const { namespace = '', uid, resourceVersion: version } = object.metadata;
    return { key: keyOf(object), namespace, uid, version, object: trim(object) };
  }

  #replace(scope: string | undefined, entries: readonly Entry<T>[]): void {
    const present = new Set(entries.map(({ key }) => key));
    for (const { key, namespace } of this.#entries.values()) {
      const isInScope = scope === undefined || namespace === scope;
      if (isInScope && !present.has(key)) this.#remove(key);
    }
    for (const entry of entries) this.#put(entry);
  }

  #put(entry: Entry<T>): void {
    const { key, object } = entry;
    const known = this.#entries.get(key);
    if (known?.uid !== entry.uid) this.#remove(key);
    else if (known?.version === entry.version) return;
    const old = this.#entries.get(key)?.object;
    this.#entries.set(key, entry);
    for (const index of this.#indexes.values()) index.replace(key, old, object);
    if (old === undefined) this.#tellAll({ kind: 'added', old: undefined, new: object });
    else this.#tellAll({ kind: 'changed', old, new: object });
  }

  #remove(key: string): void {
    const old = this.#entries.get(key)?.object;
    if (old === undefined) return;
    this.#entries.delete(key);
    for (const index of this.#indexes.values()) index.replace(key, old, undefined);
    this.#tellAll({ kind: 'deleted', old, new: undefined });
  }

  #tellAll(change: Change<T>): void {
    for (const listener of this.#listeners) this.#tell(listener, change);
  }

  #tell(listener: (change: Change<T>) => void, change: Change<T>): void {
    try {
      listener(change);
    } catch (error) {
      this.#options.onProblem(error);
    }
  }
}

/** Who wrote which field is often half of an object, and nobody here asks for it. */
function withoutManagedFields<T>(object: KubeObject): T {
  const { managedFields: _, ...metadata } = object.metadata as KubeObject['metadata'] & {
    managedFields?: unknown;
  };
  return { ...object, metadata } as T;
}
