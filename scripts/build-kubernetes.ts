/** Builds what `npm run test:cluster` and `npm run test:pods` start, unless it is in the cache. */
import { kubeBinaries, NODE_COMMANDS } from '../test/support/cluster/kube-binaries.ts';
import { metricsServerProgram } from '../test/support/cluster/metrics-server.ts';

process.stdout.write(`Kubernetes is in ${await kubeBinaries()}\n`);
process.stdout.write(`Its parts for nodes are in ${await kubeBinaries(NODE_COMMANDS)}\n`);
process.stdout.write(`metrics-server is ${await metricsServerProgram()}\n`);
