import { defineTrigger } from '../trigger.ts';
import { externalParameters, openExternalPush } from './support/external-gauge.ts';

export const externalPush = defineTrigger({
  type: 'external-push',
  summary:
    'Scales on what a scaler of your own says over gRPC, and as soon as it says that there is work.',
  parameters: externalParameters,
  open: openExternalPush,
});
