import type { RedisConnection } from './redis-connection.ts';

/** One round trip and one moment for the kind of a key and its size. A key that is missing is an empty list. */
const LENGTH = `
local key = KEYS[1]
local kind = redis.call('TYPE', key)['ok']
local commands = { none = 'LLEN', list = 'LLEN', set = 'SCARD', zset = 'ZCARD', hash = 'HLEN' }
local command = commands[kind]
if not command then
  return redis.error_reply('ERR the key holds a ' .. kind .. ': it must be a list, set, sorted set or hash')
end
return redis.call(command, key)
`;

/** The elements of a list, set, sorted set or hash. Rejects where the key holds something else. */
export async function readLength(connection: RedisConnection, key: string): Promise<number> {
  return requireCount(await connection.evaluate(LENGTH, key), 'the length of the key');
}

/** @throws {Error} where a reply is no count. */
export function requireCount(reply: unknown, what: string): number {
  if (typeof reply === 'number' && Number.isInteger(reply) && reply >= 0) return reply;
  throw new Error(`the answer for ${what} is no count`);
}
