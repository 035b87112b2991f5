import {
  type Controller,
  change,
  defineModule,
  run,
  type StepOutput,
  TaskError,
} from '../engine/module.ts';
import { didYouMean } from '../shared/errors.ts';
import {
  boolean,
  choice,
  type Infer,
  integer,
  list,
  object,
  optional,
  string,
} from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import type { Cluster } from './support/kubernetes/cluster.ts';
import { clusterError } from './support/kubernetes/cluster-error.ts';
import { connectionArgs } from './support/kubernetes/connection-args.ts';
import { type Leaving, type PodName, sortPods } from './support/kubernetes/drain-pods.ts';
import { evictPods } from './support/kubernetes/evict-pods.ts';
import { type Json, memberOf, textOf } from './support/kubernetes/json.ts';
import { openCluster } from './support/kubernetes/open-cluster.ts';

const args = object({
  name: string('Name of the node.'),
  state: choice(
    ['cordon', 'drain', 'uncordon'],
    '`cordon`: no new pods come to the node. `drain`: its pods leave it, too. `uncordon`: new pods may come again.',
    { default: 'drain' },
  ),
  pod_selectors: list(
    string('`key=value`, `key in (a, b)`, `!key`, …'),
    'Only pods whose labels match all leave.',
    { default: [], aliases: ['label_selectors'] },
  ),
  delete_options: optional(
    object(
      {
        terminate_grace_period: optional(
          integer('Seconds that a pod gets to end, instead of its own.', { minimum: 0 }),
        ),
        force: boolean('Pods that nothing makes anew leave too.', { default: false }),
        ignore_daemonsets: boolean('Go on where there are pods of DaemonSets, which stay.', {
          default: false,
        }),
        delete_emptydir_data: boolean('Pods leave too whose data in an emptyDir is lost by it.', {
          default: false,
        }),
        disable_eviction: boolean('Delete the pods, whatever disruption budgets say.', {
          default: false,
        }),
        wait_timeout: optional(
          integer('Seconds to wait until the pods have left; 0: as long as it takes.', {
            minimum: 0,
          }),
        ),
        wait_sleep: integer('Most seconds between two looks.', { default: 5, minimum: 1 }),
      },
      'How pods leave.',
    ),
  ),
  ...connectionArgs,
});
type Args = Infer<typeof args>;

interface Input {
  readonly args: Args;
  readonly controller: Controller;
}

interface State {
  readonly isCordoned: boolean;
  readonly leaving: Leaving;
}

/** How pods leave where the task does not say. */
const GENTLY = {
  force: false,
  ignore_daemonsets: false,
  delete_emptydir_data: false,
  disable_eviction: false,
  wait_sleep: 5,
};

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const PODS = { group: '', version: 'v1', resource: 'pods' };
const NOBODY: Leaving = { due: [], warnings: [], errors: [] };

export const k8sDrain = defineModule<Args, State, Input>({
  name: 'k8s_drain',
  aliases: ['kubernetes.core.k8s_drain', 'community.kubernetes.k8s_drain'],
  groups: ['kubernetes.core.k8s', 'community.kubernetes.k8s'],
  summary: 'Keep pods off a node of a Kubernetes cluster, and make its pods leave.',
  args,
  readsBeyondHost: true,
  examples: [
    {
      title: 'Drain a node before its upgrade, as far as budgets allow within ten minutes',
      args: {
        name: 'worker-1',
        delete_options: {
          ignore_daemonsets: true,
          delete_emptydir_data: true,
          wait_timeout: 600,
        },
      },
    },
    { title: 'Let pods come to it again', args: { name: 'worker-1', state: 'uncordon' } },
  ],
  returns: {
    result: 'What was done, in words.',
    warnings: 'Pods that stay, or whose data is lost.',
  },

  prepare: (controller, given) => ({ args: given, controller }),

  async probe(reader, { args: given, controller }) {
    const cluster = await openCluster(reader, controller, given);
    try {
      const node = await cluster.client.find<Json>({ ...NODES, name: given.name });
      if (node === undefined) throw await unknownNode(cluster, given.name);
      return {
        isCordoned: memberOf(node, 'spec')['unschedulable'] === true,
        leaving: given.state === 'drain' ? await leavingOf(cluster, given) : NOBODY,
      };
    } catch (error) {
      throw await clusterError(error, cluster);
    }
  },

  plan(current, { args: { name, state } }) {
    const { due, errors } = current.leaving;
    if (errors.length > 0) throw new TaskError(`Pod deletion errors: ${errors.join(' ')}`);
    const isCordoned = state !== 'uncordon';
    const steps = [
      current.isCordoned !== isCordoned &&
        run(isCordoned ? sh`: cordon ${name}` : sh`: uncordon ${name}`, { always: true }),
      ...due.map((pod) => run(sh`: evict ${labelOf(pod)}`, { always: true })),
    ];
    const diff = { before: shown(current), after: shown({ isCordoned, leaving: NOBODY }) };
    return change(current, { isCordoned, leaving: NOBODY }, steps, {
      ...(steps.some(Boolean) && { diff }),
    });
  },

  async apply(host, { before, after }, { args: given, controller }): Promise<StepOutput[]> {
    const cluster = await openCluster(host, controller, given);
    const { delete_options: options = GENTLY, name } = given;
    if (before.isCordoned !== after.isCordoned) {
      const patch = { spec: { unschedulable: after.isCordoned } };
      await cluster.client.patch({ ...NODES, name }, 'merge', patch).catch(async (error) => {
        throw await clusterError(error, cluster);
      });
    }
    const rest = await evictPods(cluster, before.leaving.due, options, host.signal);
    return rest.map((pod) => ({ code: 0, stdout: labelOf(pod), stderr: '' }));
  },

  report(_state, { args: given }, { before }, outputs) {
    const { due, warnings } = before.leaving;
    const left = outputs.map(({ stdout }) => stdout).join(', ');
    const late = left === '' ? [] : [`timeout reached while pods were still running: ${left}`];
    const all = [...warnings, ...late];
    const deleted = due.length === 0 ? [] : [`${due.length} Pod(s) deleted from node.`];
    return {
      result: [cordonText(before, given), ...deleted].join(' '),
      ...(all.length > 0 && { warnings: all }),
    };
  },
});

async function leavingOf(cluster: Cluster, given: Args): Promise<Leaving> {
  const query = {
    fieldSelector: `spec.nodeName=${given.name}`,
    labelSelector: given.pod_selectors.join(','),
  };
  const { items } = await cluster.client.list<Json>(PODS, { query });
  return sortPods(items, given.delete_options ?? GENTLY);
}

async function unknownNode(cluster: Cluster, name: string): Promise<TaskError> {
  const { items } = await cluster.client.list<Json>(NODES);
  const names = items.map((node) => textOf(memberOf(node, 'metadata'), 'name') ?? '');
  const others = names.length === 0 ? 'the cluster has no nodes' : `there are ${names.join(', ')}`;
  return new TaskError(`Node ${name} not found.`, { hint: didYouMean(name, names) ?? others });
}

function cordonText({ isCordoned }: State, { name, state }: Args): string {
  const wanted = state === 'uncordon' ? 'schedulable' : 'unschedulable';
  const isSame = isCordoned === (state !== 'uncordon');
  return `node ${name} ${isSame ? 'already ' : ''}marked ${wanted}.`;
}

function shown({ isCordoned, leaving }: State) {
  return { unschedulable: isCordoned, pods: leaving.due.map(labelOf) };
}

function labelOf({ namespace, name }: PodName): string {
  return `${namespace}/${name}`;
}
