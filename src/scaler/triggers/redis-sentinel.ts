import { defineRedisList } from './support/redis-triggers.ts';

export const redisSentinel = defineRedisList('redis-sentinel', 'sentinel');
