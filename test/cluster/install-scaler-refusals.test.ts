/** What keeps the scaler from being installed: told before anything is touched, with its cure. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { issueTestCertificate, makeTestAuthority } from '../support/certificates.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { workload } from '../support/cluster/manifests.ts';
import { metricsRegistry } from '../support/cluster/metrics-service.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { type PlayOptions, playScaler } from '../support/cluster/scaler-play.ts';
import { until } from '../support/until.ts';

const REGISTRATION = 'v1beta1.external.metrics.k8s.io';

/** An APIService that leads to the Service of another adapter. */
const OTHER_ADAPTER = metricsRegistry(
  { namespace: 'monitoring', name: 'prometheus-adapter' },
  { insecureSkipTLSVerify: true },
);

const KEDA_LABELS = { 'app.kubernetes.io/part-of': 'keda-operator' };

/** A Deployment as KEDA has it, as far as the installation looks at it. */
function kedaDeployment(name: string) {
  const { metadata, ...rest } = workload('Deployment', name, 1);
  return { ...rest, metadata: { ...metadata, namespace: 'keda', labels: KEDA_LABELS } };
}

describe('An installation of the scaler that cannot be', () => {
  let plane: ControlPlane;

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
  });

  after(() => plane?.stop());

  const install = (variables: object = {}, options?: PlayOptions) =>
    playScaler(plane, 'install-scaler', variables, options);
  const get = (...words: readonly string[]) => plane.kubectl('get', '--ignore-not-found', ...words);

  /** Expects a play to be refused with such a message, in a check too, before it touches anything. */
  async function refusal(message: RegExp, variables: object = {}, options: PlayOptions = {}) {
    for (const words of [['--check'], []]) {
      const { code, changed, problem } = await install(variables, { ...options, words });
      expect(problem).to.match(message);
      expect({ code, changed }).to.deep.equal({ code: 2, changed: [] });
    }
    expect(await get('namespace', 'tsprov-scaler')).to.equal('');
  }

  it('names the kubeconfig that is not there', async () => {
    await refusal(/\/nowhere\/admin\.conf/, {}, { kubeconfig: '/nowhere/admin.conf' });
  });

  it('names the API server that does not answer', async () => {
    const kubeconfig = await plane.kubeconfigFor('astray', [], 'https://127.0.0.1:9');
    await refusal(/https:\/\/127\.0\.0\.1:9 does not answer/, {}, { kubeconfig });
  });

  it('names the right that its user lacks', async () => {
    const kubeconfig = await plane.kubeconfigFor('somebody');
    await refusal(/User "somebody" cannot list resource/, {}, { kubeconfig });
  });

  describe('beside another adapter', () => {
    before(() => plane.apply(OTHER_ADAPTER));

    it('says whose the external metrics API is', async () => {
      await refusal(
        /APIService v1beta1\.external\.metrics\.k8s\.io leads to the Service monitoring\/prometheus-adapter, which .* take_over=true/s,
      );
    });

    it('takes it over when it is told to, and is not refused again', async () => {
      const told = await install({ take_over: true }, { words: ['--check'] });
      const done = await install({ take_over: true });
      expect(done.problem).to.equal('');
      expect(done.changed).to.deep.equal(told.changed);
      const path = 'jsonpath={.spec.service.namespace}/{.spec.service.name}';
      expect(await get('apiservice', REGISTRATION, '-o', path)).to.equal(
        'tsprov-scaler/scaler-operator-metrics-apiserver',
      );
      expect(await install()).to.deep.include({ changed: [], problem: '' });
      await playScaler(plane, 'uninstall-scaler', { remove_crds: true });
    });
  });

  describe('beside KEDA', () => {
    before(async () => {
      await plane.kubectl('create', 'namespace', 'keda');
      await plane.apply(kedaDeployment('keda-operator'), kedaDeployment('keda-metrics-apiserver'));
    });

    it('says that two adapters cannot share the external metrics API, whatever names it has', async () => {
      const message =
        /KEDA runs in this cluster \(keda\/keda-metrics-apiserver, keda\/keda-operator\)\. .* cannot share it.* take_over=true/s;
      await refusal(message);
      await refusal(message, { scaler_compat: 'keda' });
    });

    it('stops KEDA and leaves its objects where they are, when it is told to take over', async () => {
      const variables = { scaler_compat: 'keda', take_over: true };
      const told = await install(variables, { words: ['--check'] });
      const done = await install(variables);
      expect(done.problem).to.equal('');
      expect(done.changed).to.deep.equal(told.changed).and.to.include('Stop KEDA');
      const path = 'jsonpath={range .items[*]}{.metadata.name}={.spec.replicas} {end}';
      expect((await get('deployments', '-n', 'keda', '-o', path)).trim()).to.equal(
        'keda-metrics-apiserver=0 keda-operator=0 scaler-operator=2',
      );
      const again = await install({ scaler_compat: 'keda' });
      expect(again).to.deep.include({ changed: [], problem: '' });
      await playScaler(plane, 'uninstall-scaler', { scaler_compat: 'keda', remove_crds: true });
      await plane.kubectl('delete', 'namespace', 'keda');
    });
  });

  describe('where its objects would not be taken', () => {
    before(() => install());

    it('says how to replace a Deployment that somebody else has made', async () => {
      const { metadata, ...rest } = workload('Deployment', 'scaler-operator');
      const namespace = 'tsprov-scaler';
      await plane.kubectl('delete', 'deployment', 'scaler-operator', '-n', namespace);
      await plane.apply({ ...rest, metadata: { ...metadata, namespace } });
      const told = await install({}, { words: ['--check'] });
      const { code, problem } = await install();
      expect(code).to.equal(2);
      expect(problem).to.equal(told.problem);
      expect(problem).to.match(
        /field is immutable.*kubectl -n tsprov-scaler delete deployment scaler-operator/s,
      );
      await plane.kubectl('delete', 'deployment', 'scaler-operator', '-n', namespace);
    });

    /** The API server learns of webhooks a little later. */
    const untilRefused = (isRefused: boolean) => {
      const words = ['create', 'deployment', 'any', '--image=any', '--dry-run=server'];
      const isTaken = () =>
        plane.kubectl(...words).then(
          () => true,
          () => false,
        );
      return until(
        async () => (await isTaken()) !== isRefused,
        () => `Deployments are ${isRefused ? '' : 'not '}taken`,
      );
    };

    it('tells what a webhook has said', async () => {
      const webhook = await refusingWebhook('images come from registry.example.com alone');
      try {
        await plane.apply(webhook.configuration);
        await untilRefused(true);
        const { problem } = await install();
        expect(problem).to.match(
          /admission webhook "images\.example\.com" denied the request: images come from registry/,
        );
      } finally {
        await plane.kubectl('delete', 'validatingwebhookconfiguration', 'images.example.com');
        await untilRefused(false);
        webhook.server.close();
        webhook.server.closeAllConnections();
      }
    });

    it('keeps definitions of which it would lose stored objects', async () => {
      const crd = 'scaledobjects.scaler.tsprov.dev';
      const newer = '{"op":"copy","from":"/spec/versions/0","path":"/spec/versions/1"}';
      const name = '{"op":"replace","path":"/spec/versions/1/name","value":"v2"}';
      const unstored = '{"op":"replace","path":"/spec/versions/1/storage","value":false}';
      const patch = `[${newer},${name},${unstored}]`;
      await plane.kubectl('patch', 'crd', crd, '--type=json', '-p', patch);
      const stored = '{"status":{"storedVersions":["v1alpha1","v2"]}}';
      const words = ['--subresource=status', '--type=merge', '-p', stored];
      await plane.kubectl('patch', 'crd', crd, ...words);
      const { code, changed, problem } = await install();
      expect(problem).to.match(/Objects of scaledobjects\.scaler\.tsprov\.dev\/v2 may be stored/);
      expect({ code, changed }).to.deep.equal({ code: 2, changed: [] });
    });
  });

  describe('because it does not run', () => {
    it('says what the cluster says of its pods', async () => {
      await playScaler(plane, 'uninstall-scaler', { remove_crds: true });
      expect((await install()).problem).to.equal('');
      const words = ['-n', 'tsprov-scaler', '--subresource=status', '--type=merge', '-p'];
      const pods = (await podsOf(plane)).trim().split('\n');
      await plane.kubectl('patch', ...pods.slice(0, 1), ...words, JSON.stringify(WITHOUT_IMAGE));
      const { code, problem } = await install({ scaler_wait: true, scaler_wait_timeout: 3 });
      expect(code).to.equal(2);
      expect(problem).to.match(
        /^The scaler does not run after 3 s\. ErrImageNeverPull: it is not there \(the image is on no such node: .* scaler_image_source/,
      );
    });
  });
});

/** The status of a pod whose node does not have the image. */
const WITHOUT_IMAGE = {
  status: {
    containerStatuses: [
      {
        name: 'scaler-operator',
        image: 'localhost/tsprov-scaler',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'ErrImageNeverPull', message: 'it is not there' } },
      },
    ],
  },
};

/** Names of the pods of the installation, once there are some. */
async function podsOf(plane: ControlPlane): Promise<string> {
  let names = '';
  await until(
    async () => {
      names = await plane.kubectl('get', 'pods', '-n', 'tsprov-scaler', '-o', 'name');
      return names !== '';
    },
    () => names,
  );
  return names;
}

describe('An installation of the scaler on an old Kubernetes', () => {
  let plane: ControlPlane;

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start({ apiServerArgs: ['--runtime-config=autoscaling/v2=false'] });
  });

  after(() => plane?.stop());

  it('says which one it needs', async () => {
    const { code, problem } = await playScaler(plane, 'install-scaler');
    expect(code).to.equal(2);
    expect(problem).to.match(/does not serve autoscaling\/v2.*1\.23 or newer/);
  });
});

/** A webhook on this machine that refuses every Deployment with a message. */
async function refusingWebhook(message: string) {
  const authority = await makeTestAuthority('webhook');
  const { cert, key } = await issueTestCertificate(authority, { commonName: 'webhook' });
  const server: Server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { apiVersion, kind, request: review } = JSON.parse(Buffer.concat(chunks).toString());
      const answer = { uid: review.uid, allowed: false, status: { message } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion, kind, response: answer }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(authority.cert).toString('base64');
  const rule = { apiGroups: ['apps'], apiVersions: ['*'], resources: ['deployments'] };
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'images.example.com' },
    webhooks: [
      {
        name: 'images.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `https://localhost:${port}/`, caBundle },
        rules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }],
      },
    ],
  };
  return { server, configuration };
}
