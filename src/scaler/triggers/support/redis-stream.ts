/** How far the consumers of a stream of Redis are behind, in three ways. */
import type { RedisConnection } from './redis-connection.ts';
import { requireCount } from './redis-length.ts';

/** `length`: entries of the stream; `pending`: delivered and not acknowledged; `lag`: not delivered yet. */
export type StreamMode = 'length' | 'pending' | 'lag';

export interface StreamQuestion {
  readonly mode: StreamMode;
  readonly stream: string;
  /** Given in the modes `pending` and `lag`. */
  readonly group: string;
}

/** Rejects where Redis cannot tell, as for the group of a mode `pending` that does not exist. */
export async function readStream(
  connection: RedisConnection,
  { mode, stream, group }: StreamQuestion,
): Promise<number> {
  if (mode === 'lag') return readLag(connection, stream, group);
  if (mode === 'length') return readStreamLength(connection, stream);
  const reply = await connection.call('XPENDING', stream, group);
  return requireCount(Array.isArray(reply) ? reply[0] : reply, 'the pending entries');
}

/** Rejects where the server is older than Redis 7, which was the first to count the lag of groups. */
export async function requireLag(connection: RedisConnection): Promise<void> {
  const info = String(await connection.call('INFO', 'server'));
  const [, version = 'unknown'] = /^redis_version:(\S+)/m.exec(info) ?? [];
  if (Number.parseInt(version, 10) >= 7) return;
  throw new Error(`lagCount needs Redis 7 or later, and this is version ${version}`);
}

/** 0 without the stream; the whole stream while nobody has made the group. */
async function readLag(
  connection: RedisConnection,
  stream: string,
  group: string,
): Promise<number> {
  const groups = await readGroups(connection, stream);
  if (groups === undefined) return 0;
  const found = groups.find((candidate) => candidate.get('name') === group);
  if (found === undefined) return readStreamLength(connection, stream);
  const lag = found.get('lag');
  if (lag !== null) return requireCount(lag, `the lag of group ${group}`);
  throw new Error(
    `the lag of group ${group} is unknown, as entries of ${stream} were deleted: use pendingEntriesCount or streamLength`,
  );
}

async function readStreamLength(connection: RedisConnection, stream: string): Promise<number> {
  return requireCount(await connection.call('XLEN', stream), 'the length of the stream');
}

/** Undefined without the stream. */
async function readGroups(
  connection: RedisConnection,
  stream: string,
): Promise<readonly ReadonlyMap<unknown, unknown>[] | undefined> {
  try {
    const reply = await connection.call('XINFO', 'GROUPS', stream);
    return (reply as unknown[][]).map(pairsOf);
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such key')) return undefined;
    throw error;
  }
}

/** `[name, value, name, value, …]`. */
function pairsOf(flat: readonly unknown[]): ReadonlyMap<unknown, unknown> {
  const names = flat.filter((_, index) => index % 2 === 0);
  return new Map(names.map((name, index) => [name, flat[2 * index + 1]]));
}
