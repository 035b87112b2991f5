/** Module k8s on a real control plane: what a check run foresees, what is written, what is said of mistakes. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { type PlayedTasks, playTasks, type TaskOptions } from '../support/cluster/k8s-play.ts';
import { kindDefinition } from '../support/cluster/manifests.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { until } from '../support/until.ts';

const CHECK = { words: ['--check', '--diff'] };

const configMap = (namespace: string, name: string, data: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const lampDefinition = (group: string) => {
  const spec = { type: 'object', properties: { watts: { type: 'integer' } } };
  return kindDefinition(group, 'Lamp', { type: 'object', properties: { spec } });
};
const lamp = (group: string, inside: string, watts: unknown = 5) => ({
  apiVersion: `${group}/v1`,
  kind: 'Lamp',
  metadata: { name: 'desk', namespace: inside },
  spec: { watts },
});
const deployment = (inside: string, app = 'web') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: inside },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

describe('Module k8s', () => {
  let plane: ControlPlane;

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
  });
  after(() => plane?.stop());

  /** A task of the administrator's. */
  const task = (name: string, args: object, keywords: object = {}) => ({
    name,
    'kubernetes.core.k8s': { kubeconfig: plane.kubeconfigPath, ...args },
    ...keywords,
  });
  const names = (...words: readonly string[]) =>
    plane.kubectl('get', '--ignore-not-found', '-o', 'name', ...words);
  const problemOf = async (args: object, options?: TaskOptions) =>
    (await playTasks([task('it', args)], options)).problem;

  /** The requests that this asks for: `create dry`, `patch`; those of the program alone. */
  async function requests(work: () => Promise<unknown>): Promise<readonly string[]> {
    const before = (await plane.auditLog()).length;
    await work();
    const events = (await plane.auditLog()).slice(before);
    return events
      .filter(({ userAgent }) => userAgent === 'tsprov')
      .map(({ verb, requestURI }) => `${verb}${requestURI.includes('dryRun') ? ' dry' : ''}`);
  }

  describe('foresees what a run does', () => {
    const stacked: Readonly<Record<string, (id: string) => readonly object[]>> = {
      'where a namespace and what is in it are one task': (id) => [
        task('all', { definition: [namespace(id), configMap(id, 'a'), deployment(id)] }),
      ],
      'where they are several tasks': (id) => [
        task('space', { kind: 'Namespace', name: id }),
        task('map', { apply: true, definition: configMap(id, 'a', { x: '1' }) }),
        task('same', { apply: true, definition: configMap(id, 'a', { x: '1' }) }),
        task('other', { apply: true, definition: configMap(id, 'a', { x: '2' }) }),
        task('gone', { state: 'absent', kind: 'ConfigMap', name: 'a', namespace: id }),
        task('gone again', { state: 'absent', kind: 'ConfigMap', name: 'a', namespace: id }),
      ],
      'where a kind and its objects are one task': (id) => [
        task('all', {
          definition: [namespace(id), lampDefinition(`${id}.example`), lamp(`${id}.example`, id)],
        }),
      ],
      'where they are several tasks, and labels select': (id) => [
        task('space', { kind: 'Namespace', name: id }),
        task('kind', { definition: lampDefinition(`${id}.example`) }),
        task('lamp', { apply: true, definition: lamp(`${id}.example`, id) }),
        task('same', { apply: true, definition: lamp(`${id}.example`, id) }),
        task('all gone', {
          ...{ state: 'absent', delete_all: true, kind: 'Lamp' },
          ...{ api_version: `${id}.example/v1`, namespace: id },
        }),
      ],
      'with server-side apply': (id) => [
        task('all', {
          apply: true,
          server_side_apply: { field_manager: 'me' },
          definition: [namespace(id), configMap(id, 'a', { x: '1' }), deployment(id)],
        }),
      ],
    };
    for (const [index, [what, tasks]] of Object.entries(stacked).entries()) {
      it(what, async () => {
        const id = `stack-${index}`;
        const foreseen = await playTasks(tasks(id), CHECK);
        expect(await names('namespace', id), 'made by the check run').to.equal('');
        const done = await playTasks(tasks(id));
        expect(foreseen.changed, foreseen.problem).to.deep.equal(done.changed);
        expect(done.problem).to.equal('');
        const methods = ({ result }: { result: Readonly<Record<string, unknown>> }) =>
          result['method'];
        expect(foreseen.tasks.map(methods)).to.deep.equal(done.tasks.map(methods));
      });
    }

    it('and what is not valid in a namespace that is not there yet', async () => {
      const definition = [namespace('unborn'), configMap('unborn', 'Not_Valid')];
      const problem = /^Failed to create object: ConfigMap "Not_Valid" is invalid/;
      expect(await problemOf({ definition }, CHECK)).to.match(problem);
      expect(await problemOf({ definition })).to.match(problem);
      expect(await names('namespace', 'unborn')).to.equal('');
    });

    it('and goes on after an object of an unknown kind where it is asked to', async () => {
      const unknown = {
        apiVersion: 'nothing.example/v1',
        kind: 'Nothing',
        metadata: { name: 'a' },
      };
      const definition = [unknown, configMap('default', 'after-unknown')];
      const all = [task('it', { definition, continue_on_error: true })];
      const foreseen = await playTasks(all, CHECK);
      const done = await playTasks(all);
      expect([foreseen.changed, done.changed], done.problem).to.deep.equal([['it'], ['it']]);
      const errors = resultsOf(done).map(({ error }) => error !== undefined);
      expect(errors).to.deep.equal([true, false]);
    });

    it('and deletes nothing in a check run', async () => {
      await plane.apply(configMap('default', 'kept', { x: '1' }));
      const gone = task('it', {
        ...{ state: 'absent', kind: 'ConfigMap', name: 'kept', namespace: 'default' },
        delete_options: { gracePeriodSeconds: 0 },
      });
      expect((await playTasks([gone], CHECK)).changed).to.deep.equal(['it']);
      expect(await names('configmap', 'kept')).to.equal('configmap/kept\n');
      expect((await playTasks([gone])).changed).to.deep.equal(['it']);
      expect(await names('configmap', 'kept')).to.equal('');
    });

    it('by the API server, so that what it refuses fails the check run too', async () => {
      await plane.apply(namespace('refused'), deployment('refused'));
      const args = { definition: deployment('refused', 'other') };
      const problem = await problemOf(args, CHECK);
      expect(problem).to.match(
        /^Failed to patch object: .*field is immutable.*\(.*delete the object/,
      );
      expect(await problemOf(args)).to.equal(problem);
    });

    it('and writes nothing where one of several objects is refused', async () => {
      const definition = [configMap('default', 'first'), configMap('default', 'Not_Valid')];
      expect(await problemOf({ definition })).to.match(/"Not_Valid" is invalid/);
      expect(await names('configmap', 'first')).to.equal('');
    });
  });

  it('sends a read and a dry run for what is as it should be, and one write more for what is not', async () => {
    const same = [task('it', { definition: configMap('default', 'counted', { x: '1' }) })];
    expect(await requests(() => playTasks(same))).to.deep.equal(['create dry', 'create']);
    expect(await requests(() => playTasks(same))).to.deep.equal(['patch dry']);
    const other = [task('it', { definition: configMap('default', 'counted', { x: '2' }) })];
    expect(await requests(() => playTasks(other, CHECK))).to.deep.equal(['patch dry']);
    expect(await requests(() => playTasks(other))).to.deep.equal(['patch dry', 'patch']);
  });

  it('shows differences without bookkeeping and without the values of Secrets', async () => {
    const secret = (password: string) => ({
      ...configMap('default', 'password'),
      ...{ kind: 'Secret', data: undefined, stringData: { password, user: 'ada' } },
    });
    await plane.apply(secret('old-one'));
    const { tasks } = await playTasks([task('it', { definition: secret('new-one') })], CHECK);
    expect(tasks[0]?.result['diff']).to.deep.equal({
      before: { data: { password: '*** (before)' } },
      after: { data: { password: '*** (after)' } },
    });
  });

  it('takes definitions from URLs and from templates of either language', async () => {
    const server = await serve(JSON.stringify(configMap('default', 'from-url')));
    const text = (name: string) =>
      `kind: ConfigMap\nmetadata: { name: "${name}", namespace: default }\n`;
    const files = {
      'templates/a.yaml.hbs': text('{{who}}-hbs'),
      'b.yaml.j2': text('{{ who }}-j2'),
    };
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    const played = await playTasks(
      [
        task('url', { src: `http://127.0.0.1:${port}/a.yaml` }),
        task('templates', { template: ['a.yaml.hbs', 'b.yaml.j2'] }, { vars: { who: 'made' } }),
      ],
      { files },
    );
    server.close();
    expect(played.problem).to.equal('');
    const made = await names('configmap', 'from-url', 'made-hbs', 'made-j2');
    expect(made.split('\n').filter(Boolean)).to.have.length(3);
  });

  it('waits until what was deleted is gone, and says what keeps it when time is up', async () => {
    const metadata = { name: 'held', namespace: 'default', finalizers: ['example.com/hold'] };
    await plane.apply({ ...configMap('default', 'held'), metadata });
    const gone = { state: 'absent', kind: 'ConfigMap', name: 'held', namespace: 'default' };
    const late = await playTasks([task('it', { ...gone, wait: true, wait_timeout: 1 })]);
    expect(late.problem).to.equal('"ConfigMap" "held": Timed out waiting on resource');
    expect(late.tasks[0]?.result).to.include({ method: 'delete', changed: true });
    expect(late.tasks[0]?.result['duration']).to.be.at.least(1);
    const waiting = playTasks([task('it', { ...gone, wait: true, wait_timeout: 60 })]);
    await plane.kubectl('patch', 'configmap', 'held', '-p', '{"metadata":{"finalizers":null}}');
    expect((await waiting).problem).to.equal('');
  });

  it('ends with the time of its task', async () => {
    // No node runs its pod.
    const { spec, ...rest } = deployment('default', 'never-ready');
    const definition = { ...rest, spec: { ...spec, replicas: 1 } };
    const late = await playTasks([task('it', { definition, wait: true }, { timeout: 2 })]);
    expect(late.problem).to.equal('Timed out after 2 second(s).');
  });

  it('checks definitions strictly where it is asked to, and else warns', async () => {
    const definition = { ...configMap('default', 'strict'), dada: { x: '1' } };
    const strict = { definition, validate: { fail_on_error: true } };
    expect(await problemOf(strict)).to.match(/^ConfigMap strict: .*unknown field "dada"/);
    const { tasks } = await playTasks([task('it', { definition, validate: {} })]);
    expect(tasks[0]?.result['warnings']).to.deep.equal(['unknown field "dada"']);
    const version = { definition, validate: { version: '1.20' } };
    expect(await problemOf(version)).to.match(/^validate.version is 1.20, and the API server/);
  });

  it('takes the cluster from the environment of the task and never shows what is secret', async () => {
    const kubeconfig = await plane.kubeconfigFor('system:admin', ['system:masters']);
    const args = { kind: 'Namespace', name: 'default' };
    const byEnvironment = {
      ...{ name: 'environment', 'kubernetes.core.k8s': args },
      environment: { K8S_AUTH_KUBECONFIG: kubeconfig },
    };
    const inline = {
      ...{ name: 'inline', 'kubernetes.core.k8s': { ...args, kubeconfig: '{{ config }}' } },
      vars: { config: "{{ lookup('file', path) | from_yaml }}", path: kubeconfig },
    };
    const { problem, output } = await playTasks([byEnvironment, inline], { words: ['-vvv'] });
    expect(problem).to.equal('');
    expect(output)
      .to.include('client-key-data')
      .and.not.match(/client-key-data[\\": ]+LS0t/);
  });

  const mistakes: Readonly<Record<string, readonly [args: object, problem: RegExp]>> = {
    'a field that another manager owns': [
      {
        ...{ apply: true, server_side_apply: { field_manager: 'other' } },
        definition: configMap('default', 'owned', { x: '2' }),
      },
      /^Failed to apply object: Apply failed with 1 conflict: .*force_conflicts\)$/,
    ],
    'a kind that is misspelt': [
      { kind: 'Deploymnt', api_version: 'apps/v1', name: 'a', namespace: 'default' },
      /did you mean Deployment\?/,
    ],
    'a policy that denies': [
      { definition: configMap('default', 'denied-by-policy') },
      /^Failed to create object: .*denied request: not this name/,
    ],
    'a namespace that does not exist': [
      { definition: configMap('nowhere', 'a') },
      /^Failed to create object: namespaces "nowhere" not found/,
    ],
  };
  for (const [what, [args, problem]] of Object.entries(mistakes)) {
    it(`says what is wrong with ${what}`, async () => {
      await plane.apply(configMap('default', 'owned', { x: '1' }), ...policy());
      // Policies are read with a delay.
      let seen = '';
      await until(
        async () => {
          seen = await problemOf(args, CHECK);
          return problem.test(seen);
        },
        () => seen,
      );
      expect(await problemOf(args)).to.match(problem);
    });
  }

  it('says what is forbidden to whom', async () => {
    const kubeconfig = await plane.kubeconfigFor('nobody');
    expect(await problemOf({ kubeconfig, kind: 'Namespace', name: 'default' })).to.match(
      /^Failed to retrieve requested object: namespaces "default" is forbidden: User "nobody" cannot/,
    );
  });
});

/** What the only task says of its objects. */
function resultsOf({ tasks: [only] }: PlayedTasks): readonly { readonly error?: object }[] {
  const { results = [] } = (only?.result['result'] ?? {}) as { results?: { error?: object }[] };
  return results;
}

function policy(): readonly object[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
  ];
  const expression = "object.metadata.name != 'denied-by-policy'";
  return [
    {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'no-name' } },
      spec: {
        matchConstraints: { resourceRules },
        validations: [{ expression, message: 'not this name' }],
      },
    },
    {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'no-name' } },
      spec: { policyName: 'no-name', validationActions: ['Deny'] },
    },
  ];
}

async function serve(text: string): Promise<Server> {
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
