/** How a trigger was proved, as its page says it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyTrigger } from '../src/scaler/trigger.ts';

const SUITE = join(import.meta.dirname, '../test/sources');

/** Files of the suite that try more triggers than the one that they are named after. */
const FAMILIES: Readonly<Record<string, string>> = {
  'apache-kafka': 'kafka',
  'external-push': 'external',
  'redis-cluster': 'redis',
  'redis-cluster-streams': 'redis',
  'redis-sentinel': 'redis',
  'redis-sentinel-streams': 'redis',
  'redis-streams': 'redis',
};
/** They ask nobody, or the cluster itself. */
const WITHOUT_SERVER = new Set(['cron', 'kubernetes-resource', 'kubernetes-workload']);

/** Where a real server has only a part of what the trigger speaks. */
const IN_PART: Readonly<Record<string, string>> = {
  influxdb:
    'Version 2 is tested against a real server, InfluxDB 1.8 with its API of version 2; version 3 against one that replays the documented answers.',
};

export function proofOf({ type, open }: AnyTrigger): string {
  if (open === undefined) return 'The operator asks nobody for it: the HPA does.';
  if (WITHOUT_SERVER.has(type)) return 'It asks no server beside the cluster.';
  const inPart = IN_PART[type];
  if (inPart !== undefined) return inPart;
  const files = [type, FAMILIES[type]].filter((name) => name !== undefined);
  return files.some((name) => existsSync(join(SUITE, `${name}.test.ts`)))
    ? 'Tested against a real server.'
    : 'Tested against a server that replays the documented answers.';
}
