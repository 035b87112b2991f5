import { Operator } from '../test/support/cluster/operator.ts';
import type { Contender } from './scaler-measure.ts';

export const tsprovContender: Contender = {
  name: 'tsprov',
  group: 'scaler.tsprov.dev',
  whyMissing: async () => undefined,
  async start(plane) {
    // The last one counts: tests want it at debug, users have this.
    const args = ['--log-level', 'info'];
    const operator = await Operator.start(plane, { kubeconfig: plane.kubeconfigPath, args });
    return { pids: [operator.process.pid], stop: () => operator.stop() };
  },
};
