/** Every trigger. Written by `npm run gen`; do not edit. */
import type { AnyTrigger } from '../trigger.ts';
import { apacheKafka } from './apache-kafka.ts';
import { beanstalkd } from './beanstalkd.ts';
import { cpu } from './cpu.ts';
import { cron } from './cron.ts';
import { etcd } from './etcd.ts';
import { external } from './external.ts';
import { externalPush } from './external-push.ts';
import { graphite } from './graphite.ts';
import { influxdb } from './influxdb.ts';
import { kafka } from './kafka.ts';
import { kubernetesResource } from './kubernetes-resource.ts';
import { kubernetesWorkload } from './kubernetes-workload.ts';
import { memory } from './memory.ts';
import { metricsApi } from './metrics-api.ts';
import { mysql } from './mysql.ts';
import { natsJetstream } from './nats-jetstream.ts';
import { postgresql } from './postgresql.ts';
import { prometheus } from './prometheus.ts';
import { rabbitmq } from './rabbitmq.ts';
import { redis } from './redis.ts';
import { redisCluster } from './redis-cluster.ts';
import { redisClusterStreams } from './redis-cluster-streams.ts';
import { redisSentinel } from './redis-sentinel.ts';
import { redisSentinelStreams } from './redis-sentinel-streams.ts';
import { redisStreams } from './redis-streams.ts';

/** Triggers by type. */
export const triggers: Readonly<Record<string, AnyTrigger>> = {
  'apache-kafka': apacheKafka,
  beanstalkd: beanstalkd,
  cpu: cpu,
  cron: cron,
  etcd: etcd,
  external: external,
  'external-push': externalPush,
  graphite: graphite,
  influxdb: influxdb,
  kafka: kafka,
  'kubernetes-resource': kubernetesResource,
  'kubernetes-workload': kubernetesWorkload,
  memory: memory,
  'metrics-api': metricsApi,
  mysql: mysql,
  'nats-jetstream': natsJetstream,
  postgresql: postgresql,
  prometheus: prometheus,
  rabbitmq: rabbitmq,
  redis: redis,
  'redis-cluster': redisCluster,
  'redis-cluster-streams': redisClusterStreams,
  'redis-sentinel': redisSentinel,
  'redis-sentinel-streams': redisSentinelStreams,
  'redis-streams': redisStreams,
};
