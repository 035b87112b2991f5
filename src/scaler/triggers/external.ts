import { defineTrigger } from '../trigger.ts';
import { externalParameters, openExternal } from './support/external-gauge.ts';

export const external = defineTrigger({
  type: 'external',
  summary: 'Scales on what a scaler of your own says over gRPC.',
  parameters: externalParameters,
  open: async (values, tools) => (await openExternal(values, tools)).gauge,
});
