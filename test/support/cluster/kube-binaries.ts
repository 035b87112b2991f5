import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, exists, sayHowLong, withLock } from '../cache.ts';
import { GO_ENVIRONMENT, QUICKLY } from '../releases/go-build.ts';
import { mustRun } from '../run-command.ts';

/** Of Kubernetes, without the `v`. */
const VERSION = '1.34.4';
const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kubectl'];
/** What pods need beside a control plane. */
export const NODE_COMMANDS = ['kube-scheduler', 'kubelet', 'kube-proxy'];
const ALL_COMMANDS = [...CONTROL_PLANE, ...NODE_COMMANDS];

/** Modules that the repository of Kubernetes keeps beside its own and replaces by folders: `go install` refuses that. */
const STAGING =
  'api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap code-generator component-base component-helpers controller-manager cri-api cri-client csi-translation-lib dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics mount-utils pod-security-admission sample-apiserver sample-cli-plugin sample-controller'.split(
    ' ',
  );

/**
 * A folder with kube-apiserver, kube-controller-manager and kubectl, or the commands that are named: that of
 * KUBEBUILDER_ASSETS where it has all of them, else one in the cache with all commands of both kinds, built once
 * from the Go modules: together they take little longer than the API server alone (some five minutes).
 */
export async function kubeBinaries(commands: readonly string[] = CONTROL_PLANE): Promise<string> {
  const own = process.env['KUBEBUILDER_ASSETS'];
  if (own && (await hasAll(own, commands))) return own;
  const folder = join(CACHE, 'bin');
  if (await hasAll(folder, commands)) return folder;
  await withLock(`${folder}.lock`, async () => {
    if (await hasAll(folder, ALL_COMMANDS)) return;
    await sayHowLong('Kubernetes', () => build(folder));
  });
  return folder;
}

async function hasAll(folder: string, commands: readonly string[]): Promise<boolean> {
  const found = await Promise.all(commands.map((command) => exists(join(folder, command))));
  return found.every(Boolean);
}

async function build(folder: string): Promise<void> {
  const module = join(CACHE, `kubernetes-${VERSION}.module`);
  const built = join(module, 'built');
  await rm(module, { recursive: true, force: true });
  for (const each of [built, folder]) await mkdir(each, { recursive: true });
  await writeFile(join(module, 'go.mod'), goModule());
  const imports = ALL_COMMANDS.map((command) => `k8s.io/kubernetes/cmd/${command}`);
  const lines = imports.map((path) => `import _ "${path}"\n`).join('');
  await writeFile(join(module, 'tools.go'), `//go:build tools\n\npackage tools\n\n${lines}`);
  const go = (...args: readonly string[]) =>
    mustRun('go', args, { cwd: module, env: GO_ENVIRONMENT });
  await go('mod', 'tidy');
  const flags = ['-trimpath', QUICKLY, '-ldflags', `-s -w ${versionFlags()}`];
  await go('build', ...flags, '-o', `${built}/`, ...imports);
  // Whole or not at all: others look for them while they are written.
  for (const command of ALL_COMMANDS) await rename(join(built, command), join(folder, command));
  await rm(module, { recursive: true, force: true });
}

function goModule(): string {
  const staged = `v0.${VERSION.slice(2)}`;
  const replaced = STAGING.map((name) => `replace k8s.io/${name} => k8s.io/${name} ${staged}\n`);
  return `module controlplane\n\ngo 1.24.0\n\nrequire k8s.io/kubernetes v${VERSION}\n\n${replaced.join('')}`;
}

/** Without them the server says v0.0.0, and clients misbehave. */
function versionFlags(): string {
  const [major, minor] = VERSION.split('.');
  const values = { gitVersion: `v${VERSION}`, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(values).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  return flags.join(' ');
}
