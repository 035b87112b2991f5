/** Builds what the suites of clusters start, unless it is in the cache. */
import { kubeBinaries } from '../test/support/cluster/kube-binaries.ts';
import { metricsServerProgram } from '../test/support/cluster/metrics-server.ts';

process.stdout.write(`Kubernetes is in ${await kubeBinaries()}\n`);
process.stdout.write(`metrics-server is ${await metricsServerProgram()}\n`);
