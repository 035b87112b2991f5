import { boolean, defineTrigger, duration, number, text, type ValuesOf } from '../trigger.ts';
import { readTubeStatistics } from './support/beanstalkd-client.ts';
import { checkAddress, parseAddress } from './support/host-and-port.ts';
import { queryEscape } from './support/query-escape.ts';
import { checkTarget } from './support/target.ts';

const parameters = {
  server: text('Address of the server, host:port.'),
  tube: text('Tube whose jobs count.'),
  value: number('Jobs that one replica should carry.'),
  activationValue: number('Stay at zero up to this many.', { default: 0 }),
  includeDelayed: boolean('Count delayed jobs too.', { default: false }),
  timeout: duration('How long to wait for the server; bare numbers are milliseconds.', {
    default: 30_000,
  }),
};
type Values = ValuesOf<typeof parameters>;

export const beanstalkd = defineTrigger({
  type: 'beanstalkd',
  summary: 'Scales on the jobs in a tube of beanstalkd that are ready or reserved.',
  notes: [
    'Without `timeout` the server has half a minute. In KEDA the default is the bare number 30, which means milliseconds.',
  ],
  parameters,

  checkSource: ({ value, server, timeout }, context) => [
    ...checkTarget('value', value, context),
    ...checkAddress('server', server),
    ...(timeout === 0 ? ['timeout must be more than 0'] : []),
  ],

  metric: ({ tube, value }) => ({
    kind: 'external',
    name: `beanstalkd-${queryEscape(tube)}`,
    target: value,
  }),

  open: ({ server, tube, timeout: timeoutMs, ...values }) => ({
    async read(signal) {
      const address = parseAddress(server);
      const statistics = await readTubeStatistics({ ...address, timeoutMs }, tube, signal);
      const value = countJobs(statistics, values);
      return { value, isActive: value > values.activationValue };
    },
    close: async () => {}, // Each read has a connection of its own.
  }),
});

/** A tube that nobody uses does not exist, and holds no jobs. */
function countJobs(
  statistics: ReadonlyMap<string, number> | undefined,
  { includeDelayed }: Pick<Values, 'includeDelayed'>,
): number {
  if (statistics === undefined) return 0;
  const states = ['ready', 'reserved', ...(includeDelayed ? ['delayed'] : [])];
  return states
    .map((state) => statistics.get(`current-jobs-${state}`))
    .reduce<number>((total, count) => {
      if (count === undefined) throw new Error('beanstalkd answers without the numbers of jobs');
      return total + count;
    }, 0);
}
