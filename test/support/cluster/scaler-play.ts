/** Plays of the scaler's playbooks on a control plane of the test's, as users play them. */
import { join } from 'node:path';
import { REPOSITORY, runTsprov } from '../tsprov.ts';
import type { ControlPlane } from './control-plane.ts';

export interface ScalerPlay {
  readonly code: number;
  /** Names of the tasks that have changed something, or would have. */
  readonly changed: readonly string[];
  /** Why it failed; empty where it did not. */
  readonly problem: string;
  /** What the last task has said. */
  readonly said: string;
}

interface TaskResult {
  readonly changed?: boolean;
  readonly failed?: boolean;
  readonly msg?: string | readonly string[];
  /** Of each item of a loop. */
  readonly results?: readonly TaskResult[];
}

interface Report {
  readonly plays: readonly {
    readonly tasks: readonly {
      readonly task: { readonly name: string };
      readonly hosts: Readonly<Record<string, TaskResult>>;
    }[];
  }[];
}

export interface PlayOptions {
  readonly kubeconfig?: string;
  /** More words for `tsprov play`. */
  readonly words?: readonly string[];
}

/** Nothing runs on this plane: there is nobody to wait for, and no node that needs an image. */
const WITHOUT_NODES = { scaler_wait: false, scaler_image_source: 'registry' };

export async function playScaler(
  plane: ControlPlane,
  playbook: 'install-scaler' | 'uninstall-scaler',
  variables: object = {},
  { kubeconfig = plane.kubeconfigPath, words = [] }: PlayOptions = {},
): Promise<ScalerPlay> {
  const extra = { ...WITHOUT_NODES, kubeconfig, confirm: 'yes', ...variables };
  const { code, stdout, stderr } = await runTsprov([
    ...['play', join(REPOSITORY, 'playbooks', `${playbook}.yaml`)],
    ...['-i', 'localhost,', '-c', 'local', '--output', 'json', '-e', JSON.stringify(extra)],
    ...words,
  ]);
  const results = resultsOf(stdout, stderr);
  const failed = results.filter(({ result }) => result.failed === true);
  return {
    code,
    changed: results.filter(({ result }) => result.changed === true).map(({ name }) => name),
    problem: code === 0 ? '' : (failed.map(({ result }) => problemOf(result)).at(-1) ?? stderr),
    said: textOf(results.at(-1)?.result ?? {}),
  };
}

function resultsOf(stdout: string, stderr: string) {
  if (!stdout.trimStart().startsWith('{')) throw new Error(`no report: ${stdout}${stderr}`);
  const { plays } = JSON.parse(stdout) as Report;
  return plays
    .flatMap(({ tasks }) => tasks)
    .flatMap(({ task, hosts }) =>
      Object.values(hosts).map((result) => ({ name: task.name.replace(/^.* : /, ''), result })),
    );
}

function problemOf(result: TaskResult): string {
  const items = result.results?.filter(({ failed }) => failed === true) ?? [];
  return items.length > 0 ? items.map(textOf).join('\n') : textOf(result);
}

function textOf({ msg = '' }: TaskResult): string {
  return typeof msg === 'string' ? msg : msg.join('\n');
}
