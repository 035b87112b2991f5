import { type Controller, change, defineModule, run, TaskError } from '../engine/module.ts';
import { boolean, choice, type Infer, list, object, optional, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import { clusterError } from './support/kubernetes/cluster-error.ts';
import { connectionArgs } from './support/kubernetes/connection-args.ts';
import { isJson, type Json, memberOf, textOf } from './support/kubernetes/json.ts';
import { openCluster } from './support/kubernetes/open-cluster.ts';
import { NODES, writeTaints } from './support/kubernetes/write-taints.ts';

const args = object({
  name: string('Name of the node.'),
  state: choice(['present', 'absent'], 'Whether the node is to have the taints.', {
    default: 'present',
  }),
  taints: list(
    object(
      {
        key: string('Key of the taint.'),
        value: optional(string('Value of the taint.')),
        effect: optional(
          choice(
            ['NoSchedule', 'NoExecute', 'PreferNoSchedule'],
            'What it does to pods that do not tolerate it. Left out with `absent`: all effects of the key.',
          ),
        ),
      },
      'A taint; key and effect tell it from others.',
    ),
    'Taints of the node.',
  ),
  replace: boolean('The node has these taints and no others.', { default: false }),
  ...connectionArgs,
});
type Args = Infer<typeof args>;
type Taint = Args['taints'][number];

interface Input {
  readonly args: Args;
  readonly controller: Controller;
}

interface State {
  readonly node: Json;
  readonly taints: readonly Json[];
}

export const k8sTaint = defineModule<Args, State, Input>({
  name: 'k8s_taint',
  aliases: ['kubernetes.core.k8s_taint', 'community.kubernetes.k8s_taint'],
  groups: ['kubernetes.core.k8s', 'community.kubernetes.k8s'],
  summary: 'Have taints on a node of a Kubernetes cluster.',
  args,
  readsBeyondHost: true,
  examples: [
    {
      title: 'Keep pods off a node that do not tolerate it',
      args: {
        name: 'worker-1',
        taints: [{ key: 'dedicated', value: 'queue', effect: 'NoSchedule' }],
      },
    },
    {
      title: 'Let pods run on the node of a small control plane',
      args: {
        name: 'pi-1',
        state: 'absent',
        taints: [{ key: 'node-role.kubernetes.io/control-plane' }],
      },
    },
  ],
  returns: { result: 'The node as the API server has it.' },

  prepare: (controller, given) => ({ args: given, controller }),

  async probe(reader, { args: { name, ...given }, controller }) {
    const cluster = await openCluster(reader, controller, given);
    try {
      const node = await cluster.client.find<Json>({ ...NODES, name });
      if (node === undefined) throw unknownNode(name);
      return { node, taints: taintsOf(node) };
    } catch (error) {
      throw await clusterError(error, cluster);
    }
  },

  plan(current, { args: given }) {
    const nameless = given.taints.find(({ effect }) => effect === undefined);
    if (given.state === 'present' && nameless !== undefined) {
      throw new TaskError(`the taint ${nameless.key} has no effect`, {
        hint: 'say which: NoSchedule, NoExecute or PreferNoSchedule',
      });
    }
    const taints = wantedTaints(current.taints, given);
    const [before, after] = [current.taints, taints].map((each) => each.map(textOfTaint));
    const isSame = before?.join(' ') === after?.join(' ');
    const step = run(sh`: taint ${given.name} ${after ?? []}`, { always: true });
    const node = { ...current.node, spec: { ...memberOf(current.node, 'spec'), taints } };
    return change(current, isSame ? current : { node, taints }, [!isSame && step], {
      ...(!isSame && { diff: { before: { taints: before }, after: { taints: after } } }),
    });
  },

  async apply(host, { before }, { args: given, controller }) {
    const cluster = await openCluster(host, controller, given);
    try {
      const wanted = (now: Json) => wantedTaints(taintsOf(now), given);
      const node = await writeTaints(cluster, before.node, wanted);
      return [{ code: 0, stdout: JSON.stringify(node), stderr: '' }];
    } catch (error) {
      throw await clusterError(error, cluster);
    }
  },

  report(_state, _input, { after }, [output]) {
    return { result: output === undefined ? after.node : (JSON.parse(output.stdout) as Json) };
  },
});

function unknownNode(name: string): TaskError {
  return new TaskError(`Node '${name}' has not been found.`, {
    hint: 'correct the name: kubectl get nodes shows those that there are',
  });
}

function taintsOf(node: Json): readonly Json[] {
  const { taints } = memberOf(node, 'spec');
  return Array.isArray(taints) ? taints.filter(isJson) : [];
}

/** The taints that are to be there; those that are there already stay as they are, in their order. */
function wantedTaints(existing: readonly Json[], { state, taints, replace }: Args): Json[] {
  if (state === 'absent') {
    return existing.filter((each) => !taints.some((taint) => isMeant(each, taint)));
  }
  const kept = existing.flatMap((each) => {
    const taint = taints.find((wanted) => isMeant(each, wanted));
    if (taint === undefined) return replace ? [] : [each];
    return [textOf(each, 'value') === (taint.value || undefined) ? each : asJson(taint)];
  });
  const added = taints.filter((taint) => !existing.some((each) => isMeant(each, taint)));
  return [...kept, ...added.map(asJson)];
}

function isMeant(existing: Json, { key, effect }: Taint): boolean {
  return existing['key'] === key && (effect === undefined || existing['effect'] === effect);
}

function asJson({ key, value, effect }: Taint): Json {
  return { key, ...(value && { value }), ...(effect && { effect }) };
}

/** As kubectl writes it: `key=value:effect`. */
function textOfTaint(taint: Json): string {
  const value = textOf(taint, 'value');
  return `${taint['key']}${value ? `=${value}` : ''}:${taint['effect']}`;
}
