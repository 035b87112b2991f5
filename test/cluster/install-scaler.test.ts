/** The life of an installation, from the check before the first to the last uninstallation. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/kubernetes/objects.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { kindDefinition } from '../support/cluster/manifests.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { type PlayOptions, playScaler } from '../support/cluster/scaler-play.ts';
import { mustRun } from '../support/run-command.ts';
import { REPOSITORY, tsprovProgram } from '../support/tsprov.ts';
import { until } from '../support/until.ts';

const NAMESPACE = 'tsprov-scaler';
const OURS = 'app.kubernetes.io/part-of=tsprov-scaler';
const CRD = 'crd/scaledobjects.scaler.tsprov.dev';
const CHECK: PlayOptions = { words: ['--check'] };

/** Everything that carries our labels. */
const KINDS = [
  ...['namespaces', 'serviceaccounts', 'services', 'deployments', 'poddisruptionbudgets'],
  ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings', 'apiservices'],
];

/** What somebody does, and the task that mends it. */
const DRIFT: readonly (readonly [title: string, task: string, ...words: readonly string[]])[] = [
  [
    ...(['its image', 'Run the operator', 'set', 'image', '-n', NAMESPACE] as const),
    ...['deployment/scaler-operator', 'scaler-operator=example.com/other'],
  ],
  [
    ...(['its replicas', 'Run the operator', 'scale', '-n', NAMESPACE] as const),
    ...['deployment/scaler-operator', '--replicas=0'],
  ],
  [
    ...(['a column of its kinds', 'Define the kinds', 'patch', CRD, '--type=json'] as const),
    ...['-p', '[{"op":"remove","path":"/spec/versions/0/additionalPrinterColumns/0"}]'],
  ],
  [
    ...(['its rights', 'Give the operator its rights', 'patch', 'clusterrole'] as const),
    ...['scaler-operator', '--type=json', '-p'],
    '[{"op":"add","path":"/rules/-","value":{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}}]',
  ],
  [
    ...(['a binding', 'Give the operator its rights', 'delete', 'clusterrolebinding'] as const),
    'scaler-operator-auth-delegator',
  ],
  [
    ...(['Pod Security', 'Have the namespace', 'label', '--overwrite', 'ns', NAMESPACE] as const),
    'pod-security.kubernetes.io/enforce=privileged',
  ],
  [
    ...(['its registration', 'Register the external metrics API', 'patch'] as const),
    ...['apiservice', 'v1beta1.external.metrics.k8s.io', '--type=merge', '-p'],
    '{"spec":{"groupPriorityMinimum":7}}',
  ],
];

describe('An installation of the scaler', () => {
  let plane: ControlPlane;
  let folder: string;

  before(async function () {
    await needControlPlane(this);
    folder = await mkdtemp(join(tmpdir(), 'install-'));
    plane = await ControlPlane.start();
  });

  after(async () => {
    await plane?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const install = (variables: object = {}, options?: PlayOptions) =>
    playScaler(plane, 'install-scaler', variables, options);
  const get = (...words: readonly string[]) => plane.kubectl('get', '--ignore-not-found', ...words);

  /** Plays a check, then plays, and expects of both the same changes. */
  async function changes(variables: object = {}): Promise<readonly string[]> {
    const told = await install(variables, CHECK);
    const done = await install(variables);
    expect(told.problem + done.problem).to.equal('');
    expect(done.changed).to.deep.equal(told.changed);
    const again = await install(variables);
    expect(again.changed).to.deep.equal([]);
    return done.changed;
  }

  async function render(variables: object = {}): Promise<string> {
    const file = join(folder, 'scaler.yaml');
    const extra = JSON.stringify({ ...variables, scaler_manifests_file: file });
    const playbook = join(REPOSITORY, 'playbooks/scaler-manifests.yaml');
    await mustRun(process.execPath, [await tsprovProgram(), 'play', playbook, '-e', extra]);
    return file;
  }

  it('is told beforehand, and a check leaves the cluster alone', async () => {
    const { code, changed, problem } = await install({}, CHECK);
    expect(code, problem).to.equal(0);
    expect(changed).to.deep.equal([
      'Have the namespace',
      'Define the kinds',
      'Give the operator its rights',
      'Register the external metrics API',
      'Make the Services',
      'Run the operator',
      'Keep a pod of it when nodes are drained',
    ]);
    expect(await get(KINDS.join(','), '-A', '-l', OURS)).to.equal('');
    expect(await get('crd')).to.equal('');
  });

  it('is what was told, and needs no second one', async () => {
    expect(await changes()).to.have.length(7);
  });

  it('has pods that its namespace takes', async () => {
    const name = 'jsonpath={.metadata.labels.pod-security\\.kubernetes\\.io/enforce}';
    expect(await get('namespace', NAMESPACE, '-o', name)).to.equal('restricted');
    let pods: readonly string[] = [];
    await until(
      async () => {
        pods = (await get('pods', '-n', NAMESPACE, '-l', OURS, '-o', 'name')).trim().split('\n');
        return pods.length === 2;
      },
      () => pods,
    );
  });

  it('is what npm run manifests writes, and no more', async () => {
    const file = await render();
    await plane.kubectl('diff', '--server-side', '--field-manager=tsprov', '-f', file);
    const named = ({ kind, metadata }: KubeObject & { readonly kind?: string }) =>
      `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
    const written = parseAllDocuments(await readFile(file, 'utf8')).map((each) => each.toJS());
    const { items } = JSON.parse(await get(KINDS.join(','), '-A', '-l', OURS, '-o', 'json'));
    const isNoKind = ({ kind }: { readonly kind?: string }) => kind !== 'CustomResourceDefinition';
    expect(items.map(named).sort()).to.deep.equal(written.filter(isNoKind).map(named).sort());
  });

  it('has no field that the API server does not know, with every variable set', async () => {
    for (const variables of [{}, EVERYTHING]) {
      const words = ['--server-side', '--dry-run=server', '--validate=strict', '--force-conflicts'];
      await plane.kubectl(
        'apply',
        ...words,
        '--field-manager=tsprov',
        '-f',
        await render(variables),
      );
    }
  });

  for (const [title, task, ...words] of DRIFT) {
    it(`is mended where somebody has changed ${title}`, async () => {
      await plane.kubectl(...words);
      expect(await changes()).to.deep.equal([task]);
    });
  }

  it('leaves to the operator what the operator writes', async () => {
    const patch = JSON.stringify({ spec: { caBundle: Buffer.from('ours').toString('base64') } });
    const name = 'v1beta1.external.metrics.k8s.io';
    await plane.kubectl('patch', 'apiservice', name, '--type=merge', '-p', patch);
    expect(await changes()).to.deep.equal([]);
    expect(await get('apiservice', name, '-o', 'jsonpath={.spec.caBundle}')).to.equal('b3Vycw==');
  });

  it('takes another image', async () => {
    expect(await changes({ scaler_image_tag: '9.9.9' })).to.deep.equal(['Run the operator']);
    const path = 'jsonpath={.spec.template.spec.containers[0].image}';
    expect(await get('deployment', 'scaler-operator', '-n', NAMESPACE, '-o', path)).to.equal(
      'localhost/tsprov-scaler:9.9.9',
    );
  });

  it('loses rights that are not asked for any more', async () => {
    const bindings = () => get('clusterrolebindings', '-l', OURS, '-o', 'name');
    await plane.kubectl('create', 'namespace', 'shop');
    await changes({ scaler_secret_access: 'cluster' });
    expect(await bindings()).to.include('scaler-operator-secrets');
    const some = { scaler_secret_access: 'namespaces', scaler_secret_namespaces: ['shop'] };
    expect(await changes(some)).to.include('Take away what is no longer asked for');
    expect(await bindings()).to.not.include('scaler-operator-secrets');
    expect(await get('rolebindings', '-n', 'shop', '-o', 'name')).to.include('-secrets');
    await changes();
    expect(await get('rolebindings', '-n', 'shop', '-o', 'name')).to.equal('');
  });

  it('may be of two Deployments, and of one again', async () => {
    const deployments = () => get('deployments', '-n', NAMESPACE, '-o', 'name');
    await changes({ scaler_separate_metrics_apiserver: true });
    expect((await deployments()).trim().split('\n')).to.deep.equal([
      'deployment.apps/scaler-operator',
      'deployment.apps/scaler-operator-metrics-apiserver',
    ]);
    await changes();
    expect((await deployments()).trim()).to.equal('deployment.apps/scaler-operator');
  });

  it('has a ServiceMonitor where the cluster knows the kind, and says so where it does not', async () => {
    const { problem } = await install({ scaler_service_monitor: true });
    expect(problem).to.match(/no kind ServiceMonitor\. Install the Prometheus operator first/);
    await plane.apply(SERVICE_MONITORS);
    await plane.untilServed(SERVICE_MONITORS.metadata.name);
    expect(await changes({ scaler_service_monitor: true })).to.deep.equal([
      'Have its metrics read',
    ]);
    await changes();
    expect(await get('servicemonitors', '-A')).to.equal('');
  });
});

const SERVICE_MONITORS = kindDefinition('monitoring.coreos.com', 'ServiceMonitor');

/** A value for every variable that makes more of the objects. */
const EVERYTHING = {
  scaler_watch_namespaces: ['default'],
  scaler_secret_access: 'cluster',
  scaler_any_target: true,
  scaler_token_service_accounts: [{ namespace: 'default', name: 'reader' }],
  scaler_separate_metrics_apiserver: true,
  scaler_image_pull_secrets: ['registry'],
  scaler_env: {
    HTTPS_PROXY: 'http://proxy:3128',
    TOKEN: { valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } },
  },
  scaler_env_from: [{ secretRef: { name: 'more' } }],
  scaler_pod_labels: { team: 'ops' },
  scaler_pod_annotations: { note: 'here' },
  scaler_priority_class: 'system-cluster-critical',
  scaler_node_selector: { 'kubernetes.io/arch': 'arm64' },
  scaler_tolerations: [{ operator: 'Exists' }],
  scaler_affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  scaler_volumes: [{ name: 'files', secret: { secretName: 'files' } }],
  scaler_volume_mounts: [{ name: 'files', mountPath: '/files' }],
  scaler_ca_dirs: ['/files'],
  scaler_filepath_auth_root_path: '/files',
};
