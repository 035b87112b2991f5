import type { ApiClient, RequestOptions } from './api-client.ts';
import { retryOnConflict } from './conflict.ts';
import type { KubeObject, ObjectPath, Resource } from './objects.ts';

/** An object that has the subresource `scale`. */
export interface ScaleTarget extends Resource {
  readonly namespace: string;
  readonly name: string;
}

/** What `scale` says of an object. */
export interface Scale {
  /** Wanted; 0 where the object names no number. */
  readonly replicas: number;
  /** There. */
  readonly statusReplicas: number;
  /** A label selector for its pods; empty where the object tells none. */
  readonly selector: string;
}

interface ScaleObject extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** Reads and writes how many replicas an object of any kind has. */
export class ScaleClient {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  async get(target: ScaleTarget, signal?: AbortSignal): Promise<Scale> {
    return parseScale(await this.#read(target, signal));
  }

  /**
   * Writes the number that `decide` gives for what stands there; undefined, or what is there already, writes nothing.
   * When somebody writes meanwhile, it is asked again with what they wrote.
   * @param options `guard` is asked before the writing, not before the reading.
   * @returns what stands there now, and whether we wrote it.
   */
  update(
    target: ScaleTarget,
    decide: (current: Scale) => number | undefined,
    { signal, guard }: Pick<RequestOptions, 'signal' | 'guard'> = {},
  ): Promise<Scale & { readonly isWritten: boolean }> {
    return retryOnConflict(async () => {
      const current = await this.#read(target, signal);
      const scale = parseScale(current);
      const replicas = decide(scale);
      if (replicas === undefined || replicas === scale.replicas)
        return { ...scale, isWritten: false };
      const body = { ...current, spec: { ...current.spec, replicas } };
      const written = await this.#client.replace<ScaleObject>(pathOf(target), body, {
        signal,
        guard,
      });
      return { ...parseScale(written), isWritten: true };
    });
  }

  #read(target: ScaleTarget, signal: AbortSignal | undefined): Promise<ScaleObject> {
    return this.#client.get<ScaleObject>(pathOf(target), { signal });
  }
}

function pathOf({ group, version, resource, namespace, name }: ScaleTarget): ObjectPath {
  return { group, version, resource, namespace, name, subresource: 'scale' };
}

function parseScale({ spec, status }: ScaleObject): Scale {
  return {
    replicas: spec?.replicas ?? 0,
    statusReplicas: status?.replicas ?? 0,
    selector: status?.selector ?? '',
  };
}
