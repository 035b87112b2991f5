import {
  type Controller,
  change,
  defineModule,
  type Plan,
  type Result,
  run,
  type StepOutput,
  TaskError,
} from '../engine/module.ts';
import {
  boolean,
  type Infer,
  integer,
  list,
  object,
  optional,
  path,
  raw,
  string,
} from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import { clusterError } from './support/kubernetes/cluster-error.ts';
import { connectionArgs } from './support/kubernetes/connection-args.ts';
import { completeDefinitions, parseTexts, readGiven } from './support/kubernetes/definitions.ts';
import { nameArgs } from './support/kubernetes/k8s-args.ts';
import { openCluster } from './support/kubernetes/open-cluster.ts';
import { predictionOf } from './support/kubernetes/predicted-objects.ts';
import {
  fieldOf,
  hindrance,
  readScales,
  type ScaleState,
  scaled,
  unmet,
} from './support/kubernetes/scale-state.ts';
import { readSource } from './support/kubernetes/source.ts';
import { labelOf, targetOf } from './support/kubernetes/target.ts';
import { type ScaleDone, writeScale } from './support/kubernetes/write-scale.ts';

const args = object({
  replicas: integer('How many replicas there are to be; of a Job, how many pods run at once.', {
    minimum: 0,
  }),
  current_replicas: optional(integer('Scale only where there are so many now.')),
  resource_version: optional(string('Scale only this very version of the object.')),
  resource_definition: optional(
    raw('The object: YAML or a mapping of which kind, version, name and namespace count.', {
      aliases: ['definition', 'inline'],
    }),
  ),
  src: optional(
    path(
      'File of such YAML, or its URL. On a host with a connection it is a file of the host, else one of the controller.',
    ),
  ),
  ...nameArgs,
  label_selectors: list(
    string('`key=value`, `key in (a, b)`, `!key`, …'),
    'Scale all objects of the kind whose labels match all.',
    { default: [] },
  ),
  continue_on_error: boolean('Go on with the next object where one fails.', { default: false }),
  wait: boolean('Wait until so many replicas are ready. Jobs are not waited for.', {
    default: true,
  }),
  wait_sleep: integer('Most seconds between two looks.', { default: 5, minimum: 1 }),
  wait_timeout: integer('Seconds after which to give up.', { default: 20, minimum: 0 }),
  ...connectionArgs,
});
type Args = Infer<typeof args>;

interface Input {
  readonly args: Args;
  readonly controller: Controller;
  readonly given: readonly unknown[] | undefined;
}

interface State {
  readonly server: string;
  readonly objects: readonly ScaleState[];
  readonly warnings: readonly string[];
}

/** What has become of one object. */
type Done = ScaleDone | { readonly error: string };

export const k8sScale = defineModule<Args, State, Input>({
  name: 'k8s_scale',
  aliases: ['kubernetes.core.k8s_scale', 'community.kubernetes.k8s_scale'],
  groups: ['kubernetes.core.k8s', 'community.kubernetes.k8s'],
  summary: 'Set how many replicas an object of a Kubernetes cluster has.',
  args,
  mutuallyExclusive: [['resource_definition', 'src']],
  readsBeyondHost: true,
  examples: [
    {
      title: 'Have three replicas and wait a minute for them',
      args: {
        api_version: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        namespace: 'shop',
        replicas: 3,
        wait_timeout: 60,
      },
    },
    {
      title: 'Stop everything that carries a label, whatever fails',
      args: {
        api_version: 'apps/v1',
        kind: 'Deployment',
        namespace: 'shop',
        label_selectors: ['tier=batch'],
        replicas: 0,
        continue_on_error: true,
      },
    },
    {
      title: 'Let a Job run four pods at once',
      args: { api_version: 'batch/v1', kind: 'Job', name: 'pi', namespace: 'maths', replicas: 4 },
    },
  ],
  returns: {
    result: 'The object as the API server has it.',
    results: 'With several objects, what became of each.',
    duration: 'Seconds that waiting took.',
    warning: 'Why the object was left as it is: `current_replicas` or `resource_version` differs.',
    errors: 'What failed, with `continue_on_error`.',
  },

  prepare: (controller, given) => ({
    args: given,
    controller,
    given: readGiven(controller, given),
  }),

  async probe(reader, { args: given, controller, given: documents }) {
    const cluster = await openCluster(reader, controller, given);
    const { src } = given;
    const all =
      src === undefined
        ? documents
        : parseTexts(controller, await readSource(reader, cluster.host, src));
    const [definition, ...others] = completeDefinitions(all, given);
    if (definition === undefined) throw new TaskError('the definition has no object to be scaled');
    try {
      const kind = await cluster.discovery.lookUp(
        String(definition['apiVersion']),
        String(definition['kind']),
      );
      const target = targetOf(kind, definition);
      const objects = await readScales(reader, cluster, target, given.label_selectors);
      const ignored = `only the first object of the definition is scaled, not the other ${others.length}`;
      return { server: cluster.server, objects, warnings: others.length > 0 ? [ignored] : [] };
    } catch (error) {
      throw await clusterError(error, cluster);
    }
  },

  plan(current, { args: given }) {
    const problem = current.objects.map((each) => problemOf(each, given)).find(Boolean);
    const isTolerant = current.objects.length > 1 && given.continue_on_error;
    if (problem !== undefined && !isTolerant) throw new TaskError(problem);
    return planOf(current, given);
  },

  async apply(host, { before }, { args: given, controller }) {
    const cluster = await openCluster(host, controller, given);
    const due = before.objects.filter((each) => isDue(each, given));
    const isTolerant = before.objects.length > 1 && given.continue_on_error;
    const outputs: StepOutput[] = [];
    for (const each of due) {
      const done = await writeScale(cluster, each, given, host.signal).catch((error): Done => {
        if (!isTolerant || !(error instanceof TaskError)) throw error;
        return { error: error.message };
      });
      // It travels to the report as what a step has printed.
      outputs.push({ code: 0, stdout: JSON.stringify(done), stderr: '' });
    }
    return outputs;
  },

  report(_state, { args: given }, { before }, outputs) {
    const written = outputs.map(({ stdout }) => JSON.parse(stdout) as Done); // By apply.
    const results = before.objects.map((each) => resultOf(each, given, written));
    const [only, ...others] = results;
    if (only !== undefined && others.length === 0) return only;
    if (only === undefined) return { result: {}, ...(given.wait && { duration: 0 }) };
    const errors = results.filter((each) => 'error' in each);
    return {
      changed: results.some(({ changed }) => changed === true),
      results: results.filter((each) => !('error' in each)),
      ...(errors.length > 0 && { errors }),
    };
  },
});

function planOf(current: State, given: Args): Plan<State> {
  const due = current.objects.filter((each) => isDue(each, given));
  const after = current.objects.map((each) =>
    due.includes(each) ? { ...each, object: scaled(each, given.replicas) } : each,
  );
  const diffs = due.map((each) => diffOf(each, given.replicas));
  const [first, ...more] = diffs;
  const { server, warnings } = current;
  const steps = due.map(({ target }) =>
    run(sh`: scale ${labelOf(target)} to ${given.replicas}`, { always: true }),
  );
  return change(current, { ...current, objects: after }, steps, {
    effects: due.map((each) => predictionOf({ server }, each.target, scaled(each, given.replicas))),
    ...(first !== undefined && { diff: more.length === 0 ? first : diffs }),
    ...(warnings.length > 0 && { warnings }),
  });
}

function isDue(state: ScaleState, given: Args): boolean {
  const isLeft = unmet(state, given) !== undefined || problemOf(state, given) !== undefined;
  return !isLeft && state.count !== given.replicas;
}

/** What keeps an object that meets the task's conditions from being scaled, where it has to be. */
function problemOf(state: ScaleState, given: Args): string | undefined {
  if (state.count === given.replicas) return undefined;
  if (state.count !== undefined && unmet(state, given) !== undefined) return undefined;
  return hindrance(state);
}

function diffOf({ target, count }: ScaleState, replicas: number) {
  const field = fieldOf(target.kind);
  return { before: { spec: { [field]: count } }, after: { spec: { [field]: replicas } } };
}

/** What the task reports of one object; takes its part of what was written, which is in the order of the objects. */
function resultOf(state: ScaleState, given: Args, written: Done[]): Result {
  const duration = given.wait && state.target.kind.kind !== 'Job' ? { duration: 0 } : {};
  const warning = unmet(state, given);
  const problem = problemOf(state, given);
  if (problem !== undefined) return { changed: false, failed: true, error: problem };
  if (warning !== undefined) return { changed: false, warning, result: {}, ...duration };
  if (!isDue(state, given)) return { changed: false, result: state.object, ...duration };
  const done = written.shift();
  if (done === undefined) {
    return { changed: true, result: scaled(state, given.replicas), ...duration };
  }
  return 'error' in done ? { changed: false, failed: true, ...done } : { changed: true, ...done };
}
