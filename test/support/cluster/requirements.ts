import type { Context } from 'mocha';
import { runCommand } from '../run-command.ts';
import { skipFor } from '../skip.ts';
import { buildkitPrograms, nodeImage } from './image-builder.ts';
import { kubeBinaries, NODE_COMMANDS } from './kube-binaries.ts';
import { metricsServerProgram } from './metrics-server.ts';
import { workerProgram } from './pod-image.ts';

const PROGRAMS = {
  etcd: 'etcd-server',
  etcdctl: 'etcd-client',
  setpriv: 'util-linux',
  curl: 'curl',
  faketime: 'faketime',
};

const POD_PROGRAMS = {
  containerd: 'containerd',
  runc: 'runc',
  '/usr/lib/cni/bridge': 'containernetworking-plugins',
  umoci: 'umoci',
  iptables: 'iptables',
  conntrack: 'conntrack',
  ip: 'iproute2',
  unshare: 'util-linux',
};

/** Skips a suite where no control plane can be started, naming the reason; on CI it throws. */
export async function needControlPlane(context: Context): Promise<void> {
  await needPrograms('a control plane', PROGRAMS, context);
  await needBuilds([() => kubeBinaries()], context);
}

/** As needControlPlane, for suites whose pods run. */
export async function needPods(context: Context): Promise<void> {
  if (process.getuid?.() !== 0) skipFor('pods need root', context);
  await needPrograms('a cluster with pods', { ...PROGRAMS, ...POD_PROGRAMS }, context);
  const builds = [() => kubeBinaries(), () => kubeBinaries(NODE_COMMANDS)];
  await needBuilds([...builds, metricsServerProgram, workerProgram], context);
}

/** As needPods, for suites that build images too. */
export async function needImageBuilder(context: Context): Promise<void> {
  await needPods(context);
  await needNodeImage(context);
  await needBuilds([buildkitPrograms], context);
}

/** Skips a suite that builds images where no image with Node.js can be made to begin with; on CI it throws. */
export async function needNodeImage(context: Context): Promise<void> {
  const programs = { mmdebstrap: 'mmdebstrap', umoci: 'umoci' };
  await needPrograms('an image with Node.js', programs, context);
  await needBuilds([nodeImage], context);
}

async function needPrograms(
  what: string,
  programs: Readonly<Record<string, string>>,
  context: Context,
): Promise<void> {
  const missing: string[] = [];
  for (const [program, debianPackage] of Object.entries(programs)) {
    const { code } = await runCommand('which', [program]);
    if (code !== 0) missing.push(debianPackage);
  }
  if (missing.length > 0) skipFor(`${what} needs: apt-get install ${missing.join(' ')}`, context);
}

async function needBuilds(
  builds: readonly (() => Promise<string>)[],
  context: Context,
): Promise<void> {
  for (const build of builds) {
    const problem = await build().then(
      () => undefined,
      (error: Error) => `what runs pods is built with Go (https://go.dev/dl): ${error.message}`,
    );
    skipFor(problem, context);
  }
}
