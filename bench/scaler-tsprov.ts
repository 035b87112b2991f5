import { Operator } from '../test/support/cluster/operator.ts';
import type { Contender } from './scaler-measure.ts';

export const tsprovContender: Contender = {
  name: 'tsprov',
  group: 'scaler.tsprov.dev',
  hpaPrefix: 'scaler-hpa-',
  whyMissing: async () => undefined,
  async start(plane) {
    const operator = await Operator.start(plane, { kubeconfig: plane.kubeconfigPath });
    return { pids: [operator.process.pid], stop: () => operator.stop() };
  },
};
