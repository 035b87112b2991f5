import type { ApiClient } from './api-client.ts';
import { isNotFound } from './api-error.ts';
import { retryOnConflict } from './conflict.ts';
import { mergePatch } from './merge-patch.ts';
import type { KubeObject, ObjectPath } from './objects.ts';

type NamedPath = ObjectPath & { readonly name: string };
type Mapping = Readonly<Record<string, unknown>>;

/** Writes to the cluster as one field manager, and only where something differs. */
export class Writer {
  readonly #client: ApiClient;
  readonly #fieldManager: string;

  constructor(client: ApiClient, fieldManager: string) {
    this.#client = client;
    this.#fieldManager = fieldManager;
  }

  /**
   * Makes the fields of an object ours and gives them these values (server-side apply); fields that we had and no
   * longer name go. The object names its apiVersion, kind and name.
   * @param isForced Takes fields from other managers; else they are a conflict, an ApiError of 409 that names them.
   */
  apply<T extends KubeObject>(
    path: NamedPath,
    object: KubeObject,
    { isForced = true, signal }: { isForced?: boolean; signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    const query = { fieldManager: this.#fieldManager, force: isForced };
    return this.#client.patch<T>(path, 'apply', object, { signal, query });
  }

  /**
   * Brings the status of an object from what it is to what it should be, sending only what differs.
   * @returns whether anything differed.
   */
  async writeStatus(
    path: NamedPath,
    from: Mapping | undefined,
    to: Mapping,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const status = mergePatch(from ?? {}, to);
    if (status === undefined) return false;
    const query = { fieldManager: this.#fieldManager };
    await this.#client.patch(
      { ...path, subresource: 'status' },
      'merge',
      { status },
      { signal, query },
    );
    return true;
  }

  /** Changes an object by a merge patch, whatever others write. */
  patch<T extends KubeObject>(path: NamedPath, patch: Mapping, signal?: AbortSignal): Promise<T> {
    const query = { fieldManager: this.#fieldManager };
    return this.#client.patch<T>(path, 'merge', patch, { signal, query });
  }

  /** Sees that an object has a finalizer. One that is being deleted gets no new one. */
  addFinalizer(path: NamedPath, finalizer: string, signal?: AbortSignal): Promise<void> {
    return this.#editFinalizers(path, signal, (finalizers, isDeleting) =>
      isDeleting || finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer],
    );
  }

  /** Sees that an object has no such finalizer. An object that is gone has none. */
  async removeFinalizer(path: NamedPath, finalizer: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.#editFinalizers(path, signal, (finalizers) =>
        finalizers.includes(finalizer)
          ? finalizers.filter((each) => each !== finalizer)
          : finalizers,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #editFinalizers(
    path: NamedPath,
    signal: AbortSignal | undefined,
    edit: (finalizers: readonly string[], isDeleting: boolean) => readonly string[],
  ): Promise<void> {
    return retryOnConflict(async () => {
      const { metadata } = await this.#client.get<KubeObject>(path, { signal });
      const { resourceVersion, deletionTimestamp, finalizers: old = [] } = metadata;
      const finalizers = edit(old, deletionTimestamp !== undefined);
      if (finalizers === old) return;
      // With the version: a list is replaced whole, and another controller's finalizer must not be lost.
      await this.patch(path, { metadata: { resourceVersion, finalizers } }, signal);
    });
  }
}
