import { defineTrigger } from '../trigger.ts';
import { checkResource, resourceMetric, resourceParameters } from './support/resource-usage.ts';

export const memory = defineTrigger({
  type: 'memory',
  summary: 'Scales on the memory that pods use, which the HPA reads from the metrics server.',
  parameters: resourceParameters,
  check: checkResource,
  metric: (values, context) => resourceMetric('memory', values, context),
});
