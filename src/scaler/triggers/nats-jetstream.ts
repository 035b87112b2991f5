import { boolean, defineTrigger, integer, optional, text, type ValuesOf } from '../trigger.ts';
import { checkAddress } from './support/host-and-port.ts';
import { findConsumer, type LeaderCache } from './support/jetstream.ts';
import { checkTarget } from './support/target.ts';

const FROM_BOTH = { from: ['authentication', 'metadata'] } as const;

const parameters = {
  natsServerMonitoringEndpoint: text('Address of the monitoring port, host:port.', FROM_BOTH),
  account: optional(text('Name of the account; accountID does as well.', FROM_BOTH)),
  accountID: optional(text('ID of the account.', FROM_BOTH)),
  stream: text('Name of the stream.'),
  consumer: text('Name of the consumer.'),
  lagThreshold: integer('Messages that one replica should carry.', { default: 10 }),
  activationLagThreshold: integer('Stay at zero up to this many.', { default: 0 }),
  useHttps: boolean('Ask over TLS.', { default: false }),
};
type Values = ValuesOf<typeof parameters>;

export const natsJetstream = defineTrigger({
  type: 'nats-jetstream',
  summary: 'Scales on the messages that a consumer of NATS JetStream has yet to acknowledge.',
  notes: [
    'In a cluster the server that leads the consumer is asked. It is looked for among the servers that the given one names, at the port of the given one, and remembered.',
  ],
  parameters,

  check: (values) => [
    ...(values.account === undefined && values.accountID === undefined
      ? ['account is missing: give account or accountID']
      : []),
  ],
  checkSource: ({ lagThreshold, natsServerMonitoringEndpoint: endpoint }, context) => [
    ...checkTarget('lagThreshold', lagThreshold, context),
    ...checkAddress('natsServerMonitoringEndpoint', endpoint),
  ],

  metric: ({ stream, lagThreshold }) => ({
    kind: 'external',
    name: `nats-jetstream-${stream}`,
    target: lagThreshold,
  }),

  open: (values, { http }) => {
    const search = { ...values, endpoint: endpointOf(values), accountID: idOf(values) };
    const cache: LeaderCache = { leader: undefined };
    return {
      async read(signal) {
        const consumer = await findConsumer(search, cache, (url) => http.request(url, { signal }));
        const value = consumer.num_pending + consumer.num_ack_pending;
        return { value, isActive: value > values.activationLagThreshold };
      },
      close: async () => {}, // Connections are shared.
    };
  },
});

const endpointOf = ({ useHttps, natsServerMonitoringEndpoint }: Values) =>
  `${useHttps ? 'https' : 'http'}://${natsServerMonitoringEndpoint}`;

const idOf = ({ account = '', accountID = account }: Values) => accountID;
