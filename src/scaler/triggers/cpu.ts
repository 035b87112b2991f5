import { defineTrigger } from '../trigger.ts';
import { checkResource, resourceMetric, resourceParameters } from './support/resource-usage.ts';

export const cpu = defineTrigger({
  type: 'cpu',
  summary: 'Scales on the CPU time that pods use, which the HPA reads from the metrics server.',
  parameters: resourceParameters,
  check: checkResource,
  metric: (values, context) => resourceMetric('cpu', values, context),
});
