import { scaledJob } from './scaled-job.ts';
import { scaledObject } from './scaled-object.ts';
import { clusterTriggerAuthentication, triggerAuthentication } from './trigger-authentication.ts';

/** Every custom resource of the scaler. */
export const resources = [
  scaledObject,
  scaledJob,
  triggerAuthentication,
  clusterTriggerAuthentication,
] as const;
