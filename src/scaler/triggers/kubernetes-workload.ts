import { boolean, defineTrigger, number, type Pod, text } from '../trigger.ts';
import { checkSelector } from './support/label-selector.ts';

const ENDED = new Set(['Succeeded', 'Failed']);

export const kubernetesWorkload = defineTrigger({
  type: 'kubernetes-workload',
  summary: 'Scales on the number of pods that match a label selector in the same namespace.',

  parameters: {
    podSelector: text('Label selector of the pods that count, as kubectl takes it; sets too.'),
    value: number('Pods that one replica should stand for.', { default: 0 }),
    activationValue: number('Stay at zero up to this many.', { default: 0 }),
    groupByNode: boolean('Count the nodes that these pods run on, not the pods.', {
      default: false,
    }),
  },

  check: ({ podSelector, value }, { isMember }) => [
    ...checkSelector('podSelector', podSelector),
    ...(value <= 0 && !isMember ? [`value must be more than 0 and not ${value}`] : []),
  ],

  metric: ({ value }, { object }) => ({
    kind: 'external',
    name: `workload-${object.namespace}`,
    target: value,
  }),

  open: (values, { cluster, object }) => ({
    async read() {
      const pods = await cluster.pods(object.namespace, values.podSelector);
      const running = pods.filter(({ phase }) => !ENDED.has(phase));
      const count = values.groupByNode ? countNodes(running) : running.length;
      return { value: count, isActive: count > values.activationValue };
    },
    close: async () => {}, // Nothing is kept open.
  }),
});

function countNodes(pods: readonly Pod[]): number {
  return new Set(pods.flatMap(({ nodeName }) => nodeName ?? [])).size;
}
