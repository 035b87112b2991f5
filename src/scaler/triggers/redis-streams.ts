import { defineRedisStream } from './support/redis-triggers.ts';

export const redisStreams = defineRedisStream('redis-streams', 'standalone');
