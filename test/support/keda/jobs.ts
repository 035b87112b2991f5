/** ScaledJobs and authentications that stand beside the ScaledObjects. */
import { SOURCE } from './objects.ts';

const queue = {
  type: 'metrics-api',
  metadata: { url: `${SOURCE}/length`, valueLocation: 'length', targetValue: '5' },
};
const dead = {
  type: 'prometheus',
  metadata: { serverAddress: 'http://127.0.0.1:1', query: 'x', threshold: '1' },
};
const template = {
  spec: {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'example.invalid/none' }],
  },
};

function job(name: string, spec: object) {
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledJob',
    metadata: { name, namespace: 'default' },
    spec: { jobTargetRef: { template }, pollingInterval: 5, maxReplicaCount: 1, ...spec },
  };
}

export const scaledJobs = [
  job('job-one', { triggers: [queue] }),
  job('job-named', { triggers: [{ ...queue, name: 'load' }, queue] }),
  job('job-dead', { triggers: [dead] }),
  job('job-least', { triggers: [queue], minReplicaCount: 3, maxReplicaCount: 2 }),
  job('job-wrong', { triggers: [{ type: 'unheard-of', metadata: {} }] }),
];

export const authentications = [
  { kind: 'TriggerAuthentication', metadata: { name: 'login', namespace: 'default' } },
  { kind: 'ClusterTriggerAuthentication', metadata: { name: 'login' } },
].map((each) => ({
  apiVersion: 'keda.sh/v1alpha1',
  ...each,
  spec: { secretTargetRef: [{ parameter: 'password', name: 'login', key: 'password' }] },
}));
