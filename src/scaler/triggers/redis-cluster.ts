import { defineRedisList } from './support/redis-triggers.ts';

export const redisCluster = defineRedisList('redis-cluster', 'cluster');
