/** A program for a bundle: opens the triggers that it is given where nobody listens, and prints what each says to that. */
import { triggers } from '../../../src/scaler/triggers/registry.ts';
import { readTrigger } from './read-trigger.ts';

const NOWHERE = '127.0.0.1:9';
const REDIS = { address: NOWHERE, listName: 'orders' };

const METADATA: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  external: { scalerAddress: NOWHERE },
  kafka: { bootstrapServers: NOWHERE, consumerGroup: 'shop', topic: 'orders' },
  mysql: {
    host: '127.0.0.1',
    port: '9',
    username: 'shop',
    dbName: 'shop',
    query: 'SELECT 1',
    queryValue: '1',
  },
  postgresql: {
    host: '127.0.0.1',
    port: '9',
    userName: 'shop',
    dbName: 'shop',
    sslmode: 'disable',
    query: 'SELECT 1',
    targetQueryValue: '1',
  },
  rabbitmq: {
    host: `amqp://${NOWHERE}`,
    protocol: 'amqp',
    queueName: 'orders',
    mode: 'QueueLength',
    value: '5',
  },
  redis: REDIS,
  'redis-cluster': { addresses: NOWHERE, listName: 'orders' },
  'redis-sentinel': { addresses: NOWHERE, sentinelMaster: 'main', listName: 'orders' },
};

const said: Record<string, unknown> = {};
for (const name of process.argv.slice(2)) {
  const trigger = triggers[name];
  if (trigger === undefined) throw new Error(`there is no trigger ${name}`);
  const metadata = METADATA[name] ?? {};
  said[name] = await readTrigger(trigger, { metadata }).catch((error: Error) => error.message);
}
process.stdout.write(`${JSON.stringify(said)}\n`);
