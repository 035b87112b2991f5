import { defineConversation, TaskError } from '../engine/module.ts';
import { dict, object } from '../shared/schema.ts';
import { type NamedRange, overlaps, rangeProblem } from './support/pod-ranges.ts';

export const podCidrs = defineConversation({
  name: 'pod_cidrs',
  aliases: [],
  summary:
    'Check that the pod ranges of nodes are well-formed and do not overlap, without asking any host.',
  args: object({
    ranges: dict('Range of pod addresses in CIDR notation, by node.'),
    reserved: dict('Ranges that no node may use, by name, such as that of the services.', {
      default: {},
    }),
  }),
  examples: [
    {
      title: 'Check two nodes and the range of the services',
      args: {
        ranges: { node1: '10.200.1.0/24', node2: '10.200.2.0/24' },
        reserved: { services: '10.96.0.0/12' },
      },
    },
  ],
  returns: { ranges: 'The ranges, by node.' },
  local: true,

  async run(_, { ranges, reserved }) {
    const [pods, others] = [named(ranges), named(reserved)];
    const malformed = pods.flatMap((range) => rangeProblem(range) ?? []);
    const problems = [...malformed, ...overlaps(pods, others)];
    if (problems.length > 0) throw new TaskError(problems.join('; '), { result: { problems } });
    return { result: { ranges } };
  },
});

function named(ranges: Readonly<Record<string, unknown>>): NamedRange[] {
  return Object.entries(ranges).map(([owner, text]) => ({ owner, text: String(text) }));
}
