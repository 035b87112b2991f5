import { defineRedisStream } from './support/redis-triggers.ts';

export const redisClusterStreams = defineRedisStream('redis-cluster-streams', 'cluster');
