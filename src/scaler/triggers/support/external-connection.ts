/** Connections to external scalers, one for all triggers with the same address and TLS. */
import { createHash } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import type { Client, ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import type {
  GetMetricSpecResponse,
  GetMetricsRequest,
  GetMetricsResponse,
  IsActiveResponse,
  ScaledObjectRef,
} from './external-protocol.ts';

export interface ExternalScaler {
  isActive(who: ScaledObjectRef, signal: AbortSignal): Promise<IsActiveResponse>;
  getMetricSpec(who: ScaledObjectRef, signal: AbortSignal): Promise<GetMetricSpecResponse>;
  getMetrics(request: GetMetricsRequest, signal: AbortSignal): Promise<GetMetricsResponse>;
  /** Each message as it comes; throws where the stream breaks, ends where the scaler ends it. */
  streamIsActive(who: ScaledObjectRef, signal: AbortSignal): AsyncIterable<IsActiveResponse>;
  streamMetricSpec(who: ScaledObjectRef, signal: AbortSignal): AsyncIterable<GetMetricSpecResponse>;
  /** Gives the connection back; the last one to do so ends it. May be called more than once. */
  release(): void;
}

interface Pooled {
  readonly client: Client;
  users: number;
}

const pool = new Map<string, Pooled>();

/** Whether a call failed because the scaler does not have it. */
export function isUnimplemented(error: unknown): boolean {
  return (error as Partial<ServiceError> | undefined)?.code === 12;
}

/** Never fails for a scaler that is away: the first call tells. */
export async function connectExternalScaler(
  address: string,
  tls: ConnectionOptions | undefined,
): Promise<ExternalScaler> {
  const key = createHash('sha256')
    .update(JSON.stringify([address, tls]))
    .digest('hex');
  const { createExternalClient } = await import('./external-client.ts');
  const pooled = pool.get(key) ?? { client: createExternalClient(address, tls), users: 0 };
  pool.set(key, pooled);
  pooled.users += 1;
  return callsOf(pooled.client, () => {
    pooled.users -= 1;
    if (pooled.users > 0) return;
    pool.delete(key);
    pooled.client.close();
  });
}

type Unary = (
  request: object,
  done: (error: ServiceError | null, answer: unknown) => void,
) => { cancel(): void };
type Streaming = (request: object) => ClientReadableStream<unknown>;

function callsOf(client: Client, release: () => void): ExternalScaler {
  const methods = client as unknown as Readonly<Record<string, Unary & Streaming>>;
  const unary =
    <Request extends object, Answer>(method: string) =>
    (request: Request, signal: AbortSignal) =>
      callUnary<Answer>(methods[method]?.bind(client) as Unary, request, signal);
  const streaming =
    <Answer>(method: string) =>
    (request: ScaledObjectRef, signal: AbortSignal) =>
      messagesOf<Answer>(methods[method]?.bind(client) as Streaming, request, signal);
  let isReleased = false;
  return {
    isActive: unary('IsActive'),
    getMetricSpec: unary('GetMetricSpec'),
    getMetrics: unary('GetMetrics'),
    streamIsActive: streaming('StreamIsActive'),
    streamMetricSpec: streaming('StreamMetricSpec'),
    release() {
      if (!isReleased) release();
      isReleased = true;
    },
  };
}

function callUnary<Answer>(method: Unary, request: object, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = method(request, (error, answer) => {
      signal.removeEventListener('abort', cancel);
      if (error === null) resolve(answer as Answer);
      else reject(error);
    });
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
  });
}

async function* messagesOf<Answer>(
  method: Streaming,
  request: object,
  signal: AbortSignal,
): AsyncIterable<Answer> {
  const call = method(request);
  const cancel = () => call.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of call) yield message as Answer;
  } finally {
    signal.removeEventListener('abort', cancel);
    call.cancel();
  }
}
