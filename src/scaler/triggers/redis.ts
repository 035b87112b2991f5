import { defineRedisList } from './support/redis-triggers.ts';

export const redis = defineRedisList('redis', 'standalone');
