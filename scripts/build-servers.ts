/** Builds what the suites of clusters and sources start and takes longest to build, unless it is in the cache. */
import { kubeBinaries, NODE_COMMANDS } from '../test/support/cluster/kube-binaries.ts';
import { metricsServerProgram } from '../test/support/cluster/metrics-server.ts';
import { OAUTH, VAULT } from '../test/support/releases/components.ts';
import { standIn } from '../test/support/releases/go-build.ts';

process.stdout.write(`Kubernetes is in ${await kubeBinaries()}\n`);
process.stdout.write(`Its parts for nodes are in ${await kubeBinaries(NODE_COMMANDS)}\n`);
process.stdout.write(`metrics-server is ${await metricsServerProgram()}\n`);
process.stdout.write(`Vault is in ${await standIn(VAULT)}\n`);
process.stdout.write(`The server of tokens is in ${await standIn(OAUTH)}\n`);
