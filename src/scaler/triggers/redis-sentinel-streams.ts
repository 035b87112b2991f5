import { defineRedisStream } from './support/redis-triggers.ts';

export const redisSentinelStreams = defineRedisStream('redis-sentinel-streams', 'sentinel');
