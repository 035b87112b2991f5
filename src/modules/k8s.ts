import { type Controller, defineModule, type StepOutput } from '../engine/module.ts';
import { carryOut } from './support/kubernetes/carry-out.ts';
import { completeDefinitions, parseTexts, readGiven } from './support/kubernetes/definitions.ts';
import { definitionsOfAll } from './support/kubernetes/delete-all.ts';
import { type K8sArgs, k8sArgs } from './support/kubernetes/k8s-args.ts';
import {
  foreseenResult,
  type ObjectResult,
  taskResult,
} from './support/kubernetes/object-result.ts';
import { openCluster } from './support/kubernetes/open-cluster.ts';
import { type K8sState, planObjects } from './support/kubernetes/plan-objects.ts';
import { probeObjects } from './support/kubernetes/probe-objects.ts';
import { readSource } from './support/kubernetes/source.ts';
import { expectVersion } from './support/kubernetes/validation.ts';

interface Input {
  readonly args: K8sArgs;
  readonly controller: Controller;
  /** Definitions that the task gives inline or by templates. */
  readonly given: readonly unknown[] | undefined;
}

export const k8s = defineModule<K8sArgs, K8sState, Input>({
  name: 'k8s',
  aliases: ['kubernetes.core.k8s', 'community.kubernetes.k8s'],
  groups: ['kubernetes.core.k8s', 'community.kubernetes.k8s'],
  summary: 'Create, change and delete objects of a Kubernetes cluster.',
  args: k8sArgs,
  mutuallyExclusive: [
    ['resource_definition', 'src'],
    ['merge_type', 'apply'],
    ['template', 'resource_definition'],
    ['template', 'src'],
    ['name', 'generate_name'],
  ],
  readsBeyondHost: true,
  examples: [
    {
      title: 'Have a namespace',
      args: { api_version: 'v1', kind: 'Namespace', name: 'shop' },
    },
    {
      title: 'Apply a manifest on a control-plane node with its own kubeconfig, and wait for it',
      args: {
        src: '/srv/manifests/web.yaml',
        kubeconfig: '/etc/kubernetes/admin.conf',
        apply: true,
        wait: true,
      },
    },
    {
      title: 'Own some fields of objects that a template describes',
      args: {
        template: 'deployment.yaml.hbs',
        apply: true,
        server_side_apply: { field_manager: 'site', force_conflicts: true },
      },
    },
    {
      title: 'Change the replicas of a Deployment where there is one',
      args: {
        state: 'patched',
        kind: 'Deployment',
        api_version: 'apps/v1',
        name: 'web',
        namespace: 'shop',
        definition: { spec: { replicas: 3 } },
      },
    },
    {
      title: 'Delete what carries a label, and wait until it is gone',
      args: {
        state: 'absent',
        kind: 'ConfigMap',
        namespace: 'shop',
        label_selectors: ['app=web'],
        wait: true,
      },
    },
  ],
  returns: {
    result:
      'The object as the API server has it; what it answered to a deletion; with several objects, `results` with the results of all.',
    method: 'What was done: `create`, `update`, `replace`, `apply` or `delete`.',
    duration: 'Seconds that waiting took.',
    error: 'Why an object failed, with `continue_on_error`.',
    warnings: 'What the API server warns of.',
  },

  prepare: (controller, args) => ({ args, controller, given: readGiven(controller, args) }),

  async probe(reader, { args, controller, given }) {
    const { src } = args;
    const cluster = await openCluster(reader, controller, args);
    await expectVersion(cluster, args);
    const scene = { reader, cluster, args };
    const documents =
      src === undefined
        ? given
        : parseTexts(controller, await readSource(reader, cluster.host, src));
    const isAll = args.delete_all && args.state === 'absent' && documents === undefined;
    const definitions =
      isAll && args.name === undefined
        ? await definitionsOfAll(scene)
        : completeDefinitions(documents, args);
    return { server: cluster.server, objects: await probeObjects(scene, definitions) };
  },

  plan: (current, { args }) => planObjects(current, args),

  async apply(host, { after }, { args, controller }) {
    const cluster = await openCluster(host, controller, args);
    const acting = { reader: host, cluster, args, signal: host.signal };
    const results = await carryOut(acting, after.objects);
    return results.map(asOutput);
  },

  report(_state, { args }, { after }, outputs) {
    const results = outputs.length > 0 ? outputs.map(fromOutput) : undefined;
    return taskResult(results ?? after.objects.map((each) => foreseenResult(each, args)));
  },
});

/** Results of objects travel to the report as what a step has printed. */
function asOutput(result: ObjectResult): StepOutput {
  return { code: 0, stdout: JSON.stringify(result), stderr: '' };
}

function fromOutput({ stdout }: StepOutput): ObjectResult {
  return JSON.parse(stdout) as ObjectResult; // Written by asOutput.
}
