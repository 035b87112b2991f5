/** The objects that the role of the scaler makes of its variables. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../support/source-files.ts';
import { runTsprov } from '../support/tsprov.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly Rule[];
  readonly subjects?: readonly { readonly name: string; readonly namespace: string }[];
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly Container[] } };
  };
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Container {
  readonly args: readonly string[];
  readonly image: string;
}

describe('the manifests of the scaler', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'scaler-manifests-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function render(variables: object = {}): Promise<readonly Manifest[]> {
    const file = join(folder, 'scaler.yaml');
    const extra = JSON.stringify({ ...variables, scaler_manifests_file: file });
    const words = ['play', join(ROOT, 'playbooks/scaler-manifests.yaml'), '-e', extra];
    const { code, stdout, stderr } = await runTsprov(words, { cwd: folder });
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.include(`kubectl apply --server-side -f ${file}`);
    return parseAllDocuments(await readFile(file, 'utf8')).map((each) => each.toJS());
  }

  const named = (manifests: readonly Manifest[], kind: string) =>
    manifests
      .filter((each) => each.kind === kind)
      .map(({ metadata: { namespace, name } }) => (namespace ? `${namespace}/${name}` : name));
  const argsOf = (manifests: readonly Manifest[]) =>
    manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => spec.template.spec.containers[0]?.args.slice(1) ?? []);
  const rulesOf = (manifests: readonly Manifest[]) => manifests.flatMap(({ rules = [] }) => rules);

  it('are those of one operator with narrow rights', async () => {
    const manifests = await render();
    expect(manifests.map(({ kind }) => kind)).to.include.members([
      ...['Namespace', 'CustomResourceDefinition', 'APIService', 'PodDisruptionBudget'],
    ]);
    expect(named(manifests, 'Deployment')).to.deep.equal(['tsprov-scaler/scaler-operator']);
    expect(named(manifests, 'Service')).to.deep.equal([
      'tsprov-scaler/scaler-operator-metrics-apiserver',
      'tsprov-scaler/scaler-operator',
    ]);
    expect(argsOf(manifests)[0]).to.include('--restrict-secret-access');
    for (const { apiGroups, resources, verbs } of rulesOf(manifests)) {
      expect(apiGroups).to.not.include('*');
      expect(verbs).to.not.include('*');
      // Metrics are resources by their names.
      if (apiGroups[0] !== 'external.metrics.k8s.io') expect(resources).to.not.include('*');
    }
  });

  it('give Secrets of its own namespace alone, unless asked', async () => {
    const bindings = async (variables: object) => {
      const manifests = await render(variables);
      return manifests
        .filter(({ kind, metadata }) => /Binding$/.test(kind) && metadata.name.endsWith('-secrets'))
        .map(({ kind, metadata }) => metadata.namespace ?? kind);
    };
    const some = { scaler_secret_access: 'namespaces', scaler_secret_namespaces: ['shop', 'bank'] };
    expect(await bindings({})).to.deep.equal(['tsprov-scaler']);
    expect(await bindings(some)).to.deep.equal(['shop', 'bank', 'tsprov-scaler']);
    expect(argsOf(await render(some))[0]).to.include('--secret-namespace=shop,bank');
    const all = { scaler_secret_access: 'cluster' };
    expect(await bindings(all)).to.deep.equal(['ClusterRoleBinding']);
    expect(argsOf(await render(all))[0]?.join()).to.not.include('secret');
    const watched = { ...all, scaler_watch_namespaces: ['shop'] };
    expect(await bindings(watched)).to.deep.equal(['shop', 'tsprov-scaler']);
  });

  it('end its rights with the namespaces that it watches', async () => {
    const manifests = await render({ scaler_watch_namespaces: ['shop', 'bank'] });
    expect(named(manifests, 'RoleBinding')).to.include.members([
      'shop/scaler-operator',
      'bank/scaler-operator',
    ]);
    expect(named(manifests, 'ClusterRoleBinding')).to.not.include('scaler-operator');
    expect(argsOf(manifests)[0]).to.include('--watch-namespace=shop,bank');
  });

  it('let it scale what is named, or anything', async () => {
    const scales = (manifests: readonly Manifest[]) =>
      rulesOf(manifests).filter(({ resources }) => resources.some((each) => /\/scale$/.test(each)));
    const rollouts = { group: 'argoproj.io', resources: ['rollouts'] };
    const verbs = ['get', 'update'];
    expect(scales(await render({ scaler_targets: [rollouts] }))).to.deep.equal([
      { apiGroups: ['argoproj.io'], resources: ['rollouts/scale'], verbs },
    ]);
    expect(scales(await render({ scaler_any_target: true }))).to.deep.equal([
      { apiGroups: ['*'], resources: ['*/scale'], verbs },
    ]);
  });

  it('give tokens of the named accounts alone', async () => {
    const accounts = ['a/x', 'b/y', 'a/z'].map((each) => {
      const [namespace, name] = each.split('/');
      return { namespace, name };
    });
    const manifests = await render({ scaler_token_service_accounts: accounts });
    const roles = manifests.filter(({ metadata }) => metadata.name.endsWith('-tokens'));
    expect(named(roles, 'Role')).to.deep.equal([
      'a/scaler-operator-tokens',
      'b/scaler-operator-tokens',
    ]);
    expect(rulesOf(roles)[0]).to.deep.include({ resourceNames: ['x', 'z'], verbs: ['create'] });
    expect(rulesOf(await render()).flatMap(({ resources }) => resources)).to.not.include(
      'serviceaccounts/token',
    );
  });

  it('are two Deployments in the older layout, each with its own rights', async () => {
    const manifests = await render({ scaler_separate_metrics_apiserver: true });
    expect(named(manifests, 'Deployment')).to.deep.equal([
      'tsprov-scaler/scaler-operator',
      'tsprov-scaler/scaler-operator-metrics-apiserver',
    ]);
    expect(argsOf(manifests).map(([role]) => role)).to.deep.equal([
      '--serve=operator',
      '--serve=metrics',
    ]);
    const bound = (account: string) =>
      manifests
        .filter(({ subjects }) => subjects?.some(({ name }) => name === account))
        .map(({ metadata }) => metadata.name.replace('scaler-operator-', ''));
    expect(bound('scaler-operator-metrics-apiserver')).to.have.members([
      ...['certificates', 'registration', 'auth-delegator', 'auth-reader'],
    ]);
    expect(bound('scaler-operator')).to.have.members([
      ...['scaler-operator', 'cluster', 'secrets', 'lease', 'certificates'],
    ]);
  });

  it('have the names of KEDA where these are asked for', async () => {
    const manifests = await render({ scaler_compat: 'keda' });
    expect(named(manifests, 'CustomResourceDefinition')).to.include('scaledobjects.keda.sh');
    expect(named(manifests, 'Service')).to.deep.equal([
      'keda/keda-metrics-apiserver',
      'keda/keda-operator',
    ]);
    expect(argsOf(manifests)[0]).to.include('--compat=keda');
    expect(rulesOf(manifests).flatMap(({ apiGroups }) => apiGroups)).to.include('keda.sh');
  });

  it('carry the labels by which the role finds them again', async () => {
    const manifests = await render({ scaler_namespace: 'scaling' });
    for (const { kind, metadata } of manifests) {
      if (kind === 'CustomResourceDefinition') continue;
      expect(metadata.labels, `${kind} ${metadata.name}`).to.include({
        'app.kubernetes.io/part-of': 'tsprov-scaler',
        'app.kubernetes.io/instance': 'scaling',
      });
    }
  });
});
