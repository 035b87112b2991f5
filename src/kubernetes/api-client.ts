import { ApiUnreachable, isNotFound } from './api-error.ts';
import { type KubeList, type KubeObject, type ObjectPath, renderPath } from './objects.ts';
import { type ClientOptions, type RequestOptions, type Sending, Transport } from './transport.ts';

export type { ClientOptions, Query, RequestOptions } from './transport.ts';

/**
 * `json` is a list of operations, `merge` an object in which null removes, `strategic` the same with lists merged by the
 * keys of their types (none for custom resources), `apply` what our field manager wants.
 */
export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply';

export interface DeleteOptions extends RequestOptions {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** Nothing is deleted. In the body: API servers do not look at the query where there is one. */
  readonly isDryRun?: boolean | undefined;
}

const CONTENT_TYPES: Readonly<Record<PatchKind, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/**
 * Requests to the API server. Errors are `ApiError` (it answered with one) and `ApiUnreachable`. "Too many requests" and
 * "unavailable, come back after…" are waited for; reads are sent again when their connection breaks.
 */
export class ApiClient {
  readonly #transport: Transport;
  readonly #guard: (() => void) | undefined;

  /** @param connection What a client has that is there already, or what to make it with. */
  constructor(connection: ClientOptions | Transport, guard?: () => void) {
    this.#transport = connection instanceof Transport ? connection : new Transport(connection);
    this.#guard = guard;
  }

  /** This client for somebody who may not always write: each write asks first, and fails with what `guard` throws. */
  guarded(guard: () => void): ApiClient {
    return new ApiClient(this.#transport, guard);
  }

  /** One object, or what stands at a subresource. */
  get<T>(path: ObjectPath, options: RequestOptions = {}): Promise<T> {
    return this.#json({ ...options, method: 'GET', path: renderPath(path) });
  }

  /** As `get`, but undefined where there is none. */
  async find<T>(path: ObjectPath, options: RequestOptions = {}): Promise<T | undefined> {
    try {
      return await this.get<T>(path, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** One page of objects (all of them, unless the query limits it). */
  list<T>(path: ObjectPath, options: RequestOptions = {}): Promise<KubeList<T>> {
    return this.#json({ ...options, method: 'GET', path: renderPath(path) });
  }

  /** Makes an object (or posts to a subresource) and gives it as it is stored. */
  create<T = KubeObject>(
    path: ObjectPath,
    body: unknown,
    options: RequestOptions = {},
  ): Promise<T> {
    return this.#json({ ...options, method: 'POST', path: renderPath(path), body });
  }

  /** Writes a whole object; with a resource version in it, only where nobody has written since. */
  replace<T = KubeObject>(
    path: ObjectPath,
    body: unknown,
    options: RequestOptions = {},
  ): Promise<T> {
    return this.#json({ ...options, method: 'PUT', path: renderPath(path), body });
  }

  patch<T = KubeObject>(
    path: ObjectPath,
    kind: PatchKind,
    body: unknown,
    options: RequestOptions = {},
  ): Promise<T> {
    const contentType = CONTENT_TYPES[kind];
    return this.#json({ ...options, method: 'PATCH', path: renderPath(path), body, contentType });
  }

  /**
   * Asks for the end of an object, or of all that a query selects.
   * @returns what the server says of it: a Status, or what is still there for a while; undefined where there was nothing.
   */
  async delete<T = KubeObject>(
    path: ObjectPath,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const { propagationPolicy, preconditions, gracePeriodSeconds, isDryRun, ...request } = options;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy,
      preconditions,
      gracePeriodSeconds,
      dryRun: isDryRun === true ? ['All'] : undefined,
    };
    try {
      return await this.#json({ ...request, method: 'DELETE', path: renderPath(path), body });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Whatever stands at a path of the server, such as `/apis` or `/version`. */
  getRaw<T>(path: string, options: RequestOptions & { readonly accept?: string } = {}): Promise<T> {
    return this.#json({ ...options, method: 'GET', path });
  }

  /**
   * Opens a stream of what happens and gives its bytes. The time limit is only for the answer to begin; the stream ends
   * with the server or with the signal.
   */
  async watch(path: ObjectPath, options: RequestOptions): Promise<AsyncIterable<Buffer>> {
    const query = { ...options.query, watch: true };
    const sending: Sending = { ...options, query, method: 'GET', path: renderPath(path) };
    return this.#transport.send(sending, 'watch', async (body) => body);
  }

  /** Lets requests that go on end, and closes the connections. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #json<T>(sending: Sending): Promise<T> {
    const guard = () => {
      if (sending.method !== 'GET') this.#guard?.();
      sending.guard?.();
    };
    return this.#transport.send({ ...sending, guard }, 'request', async (body) =>
      parseAnswer<T>(sending, await body.text()),
    );
  }
}

function parseAnswer<T>({ method, path }: Sending, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new ApiUnreachable(`${method} ${path} was answered with something that is no JSON`, {
      cause,
    });
  }
}
