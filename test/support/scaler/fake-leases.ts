import type { ApiClient } from '../../../src/kubernetes/api-client.ts';
import { ApiError, ApiUnreachable } from '../../../src/kubernetes/api-error.ts';
import type { Lease, LeaseSpec } from '../../../src/scaler/cluster/lease-record.ts';

/** One Lease as the API server keeps it, with its versions. */
export class FakeLeases {
  lease: Lease | undefined;
  /** No request is answered as long as this is so. */
  isDown = false;
  #version = 0;

  /** What a candidate asks; its requests hang for ever where `isHanging` says so. */
  client(isHanging: () => boolean = () => false) {
    const reach = async () => {
      if (isHanging()) await new Promise(() => undefined);
      if (this.isDown) throw new ApiUnreachable('the API server is away');
    };
    return {
      find: async () => {
        await reach();
        return this.lease;
      },
      create: async (_path: unknown, body: Lease) => {
        await reach();
        if (this.lease !== undefined) throw new ApiError(409, 'AlreadyExists', 'is there');
        return this.store(body);
      },
      replace: async (_path: unknown, body: Lease) => {
        await reach();
        if (this.lease === undefined) throw new ApiError(404, 'NotFound', 'is not there');
        if (body.metadata.resourceVersion !== this.lease.metadata.resourceVersion) {
          throw new ApiError(409, 'Conflict', 'somebody wrote');
        }
        return this.store(body);
      },
    } as unknown as Pick<ApiClient, 'find' | 'create' | 'replace'>;
  }

  store(body: {
    readonly metadata: Lease['metadata'];
    readonly spec?: LeaseSpec | undefined;
  }): Lease {
    this.#version += 1;
    const metadata = { ...body.metadata, resourceVersion: String(this.#version) };
    this.lease = { metadata, spec: body.spec };
    return this.lease;
  }
}
