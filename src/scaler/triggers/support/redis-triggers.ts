/** The triggers of Redis: lists and streams, each for one server, a cluster and sentinels. */
import {
  defineTrigger,
  type Gauge,
  integer,
  optional,
  type Parameters,
  type TriggerTools,
  text,
  type ValuesOf,
} from '../../trigger.ts';
import { describeRedis, openRedis, type RedisConnection } from './redis-connection.ts';
import { readLength } from './redis-length.ts';
import {
  checkRedis,
  checkServers,
  clusterParameters,
  type RedisValues,
  sentinelParameters,
  standaloneParameters,
  type Topology,
} from './redis-parameters.ts';
import { readStream, requireLag, type StreamMode } from './redis-stream.ts';
import { askSource } from './source.ts';
import { checkTarget } from './target.ts';

const WHERE: Readonly<Record<Topology, string>> = {
  standalone: 'Redis',
  cluster: 'a Redis cluster',
  sentinel: 'Redis behind sentinels',
};
const CONNECTION = {
  standalone: standaloneParameters,
  cluster: clusterParameters,
  sentinel: sentinelParameters,
} as const satisfies Readonly<Record<Topology, Parameters>>;

const listParameters = {
  listName: text('Key of a list, set, sorted set or hash.'),
  listLength: integer('Elements that one replica should carry.', { default: 5 }),
  activationListLength: integer('Stay at zero up to this many.', { default: 0 }),
};
type ListValues = ValuesOf<typeof listParameters> & RedisValues;

/** A trigger on the length of a list, set, sorted set or hash. */
export function defineRedisList<const T extends string>(type: T, topology: Topology) {
  return defineTrigger({
    type,
    summary: `Scales on the length of a list, set, sorted set or hash in ${WHERE[topology]}.`,
    parameters: { ...listParameters, ...CONNECTION[topology] } as Parameters,
    check: (values) => checkRedis(values as ListValues),
    checkSource: (values, context) => {
      const given = values as ListValues;
      return [
        ...checkTarget('listLength', given.listLength, context),
        ...checkServers(topology, given),
      ];
    },
    metric: (values) => {
      const { listName, listLength } = values as ListValues;
      return { kind: 'external', name: `redis-${listName}`, target: listLength };
    },
    open: async (values, tools) => {
      const given = values as ListValues;
      const connection = await openRedis(topology, given, tools);
      const read = () => readLength(connection, given.listName);
      return gaugeOf(connection, given, read, given.activationListLength);
    },
  });
}

const streamParameters = {
  stream: text('Key of the stream.'),
  consumerGroup: optional(text('Group of consumers; without it, the length of the stream counts.')),
  streamLength: integer('Entries of the stream for one replica, without consumerGroup.', {
    default: 5,
  }),
  pendingEntriesCount: integer(
    'Entries not acknowledged yet for one replica, with consumerGroup.',
    {
      default: 5,
    },
  ),
  lagCount: optional(
    integer('Entries not delivered yet for one replica, with consumerGroup; Redis 7 or later.'),
  ),
  activationLagCount: integer('Stay at zero up to this many, whatever is counted.', { default: 0 }),
};
type StreamValues = ValuesOf<typeof streamParameters> & RedisValues;

/** A trigger on a stream: its length, the pending entries of a group, or its lag. */
export function defineRedisStream<const T extends string>(type: T, topology: Topology) {
  return defineTrigger({
    type,
    summary: `Scales on a stream in ${WHERE[topology]}: its length, or how far a group of consumers is behind.`,
    parameters: { ...streamParameters, ...CONNECTION[topology] } as Parameters,
    check: (values) => checkRedis(values as StreamValues),
    checkSource: (values, context) => {
      const given = values as StreamValues;
      const { name, target } = targetOf(given);
      return [...checkTarget(name, target, context), ...checkServers(topology, given)];
    },
    metric: (values) => {
      const given = values as StreamValues;
      const { target } = targetOf(given);
      return { kind: 'external', name: `redis-streams-${given.stream}`, target };
    },
    open: (values, tools) => openStream(topology, values as StreamValues, tools),
  });
}

async function openStream(
  topology: Topology,
  values: StreamValues,
  tools: TriggerTools,
): Promise<Gauge> {
  const { stream, consumerGroup: group = '', lagCount, activationLagCount } = values;
  const { mode } = targetOf(values);
  if (mode === 'length' && lagCount !== undefined) {
    tools.notify('lagCount has no effect without consumerGroup: the length of the stream counts');
  }
  const connection = await openRedis(topology, values, tools);
  if (mode === 'lag') await requireLagOrClose(connection, values);
  const read = () => readStream(connection, { mode, stream, group });
  return gaugeOf(connection, values, read, activationLagCount);
}

async function requireLagOrClose(connection: RedisConnection, values: RedisValues): Promise<void> {
  try {
    await askSource(describeRedis(values), () => requireLag(connection));
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** What counts, by which parameters are given. */
function targetOf({ consumerGroup, lagCount, ...values }: StreamValues): {
  readonly mode: StreamMode;
  readonly name: string;
  readonly target: number;
} {
  if (consumerGroup === undefined) {
    return { mode: 'length', name: 'streamLength', target: values.streamLength };
  }
  if (lagCount !== undefined && lagCount !== 0) {
    return { mode: 'lag', name: 'lagCount', target: lagCount };
  }
  return { mode: 'pending', name: 'pendingEntriesCount', target: values.pendingEntriesCount };
}

function gaugeOf(
  connection: RedisConnection,
  values: RedisValues,
  read: () => Promise<number>,
  activation: number,
): Gauge {
  const source = describeRedis(values);
  return {
    async read(signal) {
      const value = await askSource(source, read, signal, () => connection.close());
      return { value, isActive: value > activation };
    },
    close: async () => connection.close(),
  };
}
