/** The external metrics API behind a real API server, read by the real HPA controller. */
import { request } from 'node:https';
import { expect } from 'chai';
import { ApiClient } from '../../src/kubernetes/api-client.ts';
import { type Clock, systemClock } from '../../src/kubernetes/clock.ts';
import { readAccess } from '../../src/kubernetes/kubeconfig.ts';
import { ControlPlane } from '../support/cluster/control-plane.ts';
import { workload } from '../support/cluster/manifests.ts';
import {
  installMetrics,
  type MetricsProcess,
  openMetricsProcess,
  SCALED_OBJECT_LABEL,
} from '../support/cluster/metrics-process.ts';
import { readAvailability } from '../support/cluster/metrics-service.ts';
import { needControlPlane } from '../support/cluster/requirements.ts';
import { until } from '../support/until.ts';

const API = '/apis/external.metrics.k8s.io/v1beta1';
const metricPath = (metric: string) =>
  `${API}/namespaces/default/${metric}?labelSelector=${encodeURIComponent(`${SCALED_OBJECT_LABEL}=orders`)}`;
const DAY_MS = 86_400_000;

describe('the external metrics API in a cluster', () => {
  let plane: ControlPlane;
  let api: MetricsProcess;
  let port: number;
  /** What waits for its time. */
  const waiting: { readonly ms: number; readonly act: () => void }[] = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, act) {
      const entry = { ms, act };
      waiting.push(entry);
      return { cancel: () => waiting.splice(waiting.indexOf(entry), 1) };
    },
  };
  /** The value of every metric. */
  let value = 10;

  before(async function () {
    await needControlPlane(this);
    plane = await ControlPlane.start();
    port = await installMetrics(plane);
    // An authority that is always about to end: each look at it brings the next one.
    const lifetimes = {
      authorityMs: DAY_MS,
      renewAuthorityBeforeMs: 2 * DAY_MS,
      certificateMs: DAY_MS,
      renewCertificateBeforeMs: 0,
    };
    api = await openMetricsProcess(plane, port, { clock, lifetimes });
    await api.serve(async (_namespace, name) => [{ name, value }]);
  });
  after(async () => {
    await api?.close();
    await plane?.stop();
  });

  const raw = async (path: string) => JSON.parse(await plane.kubectl('get', '--raw', path));

  it('is found by kubectl, and gives a metric through the API server', async () => {
    const resource =
      /^externalmetrics +external\.metrics\.k8s\.io\/v1beta1 +true +ExternalMetricValueList$/m;
    let known = '';
    await until(
      async () => {
        known = await plane.kubectl('api-resources', '--api-group=external.metrics.k8s.io');
        return resource.test(known);
      },
      () => known,
    );
    const list = await raw(metricPath('s0-cron'));
    expect(list.items).to.have.length(1);
    expect(list.items[0]).to.include({ metricName: 's0-cron', metricLabels: null, value: '10' });
    expect(list.items[0].timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('is part of the OpenAPI documents of the cluster', async () => {
    await until(
      async () => 'apis/external.metrics.k8s.io/v1beta1' in (await raw('/openapi/v3')).paths,
      () => api.problems,
    );
    const { paths } = await raw('/openapi/v3/apis/external.metrics.k8s.io/v1beta1');
    expect(Object.keys(paths)).to.deep.equal([`${API}/namespaces/{namespace}/{metric}`]);
  });

  it('hands its errors on to kubectl', async () => {
    const error = await plane
      .kubectl('get', '--raw', `${API}/namespaces/default/s0-cron`)
      .catch((e: Error) => e);
    expect(String(error)).to.include('scaledObject name is not specified');
  });

  it('is read by the HPA controller, which scales on it and back', async () => {
    await plane.apply(workload('Deployment', 'orders'), {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'orders', namespace: 'default' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'orders' },
        minReplicas: 1,
        maxReplicas: 10,
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
        metrics: [
          {
            type: 'External',
            external: {
              metric: {
                name: 's0-cron',
                selector: { matchLabels: { [SCALED_OBJECT_LABEL]: 'orders' } },
              },
              target: { type: 'AverageValue', averageValue: '10' },
            },
          },
        ],
      },
    });
    const replicas = () =>
      plane.kubectl('get', 'deployment', 'orders', '-o', 'jsonpath={.spec.replicas}');
    const seen = () => ({ problems: api.problems, value });
    value = 60;
    await until(async () => (await replicas()) === '6', seen);
    value = 25;
    await until(async () => (await replicas()) === '3', seen);
  });

  it('is given to whom the cluster gives the right, and to nobody else', async () => {
    const kubectlAs = async (name: string) => {
      const kubeconfig = await plane.kubeconfigFor(name);
      return plane.kubectl('--kubeconfig', kubeconfig, 'get', '--raw', metricPath('s0-cron'));
    };
    const error = await kubectlAs('eve').catch((e: Error) => e);
    expect(String(error)).to.match(/Forbidden|forbidden/);
    await plane.apply(
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'metrics', namespace: 'default' },
        rules: [
          { apiGroups: ['external.metrics.k8s.io'], resources: ['s0-cron'], verbs: ['list'] },
        ],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'metrics', namespace: 'default' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'metrics' },
      },
    );
    let answer = '';
    // The API server learns of a right a little later.
    await until(
      async () => {
        answer = await kubectlAs('ann').catch(String);
        return !/forbidden/i.test(answer);
      },
      () => answer,
    );
    expect(JSON.parse(answer).items).to.have.length(1);
  });

  /** Asks past the API server. */
  const askDirectly = (headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const path = metricPath('s0-cron');
      const { ca } = api.credentials.value;
      request({ host: 'localhost', port, path, ca, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  it('refuses who comes past the API server without a name, and asks it about tokens', async () => {
    const token = (await plane.kubectl('create', 'token', 'default')).trim();
    const forged = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
    expect(await askDirectly({})).to.equal(401);
    expect(await askDirectly(forged)).to.equal(401);
    expect(await askDirectly({ authorization: 'Bearer forged' })).to.equal(401);
    expect(await askDirectly({ authorization: `Bearer ${token}` })).to.equal(403);
    const hpa = ['create', 'token', 'horizontal-pod-autoscaler', '-n', 'kube-system'];
    const allowed = (await plane.kubectl(...hpa)).trim();
    expect(await askDirectly({ authorization: `Bearer ${allowed}` })).to.equal(200);
  });

  it('goes on without a failure while its authority is exchanged', async () => {
    const failures: unknown[] = [];
    let answers = 0;
    let isOver = false;
    const admin = new ApiClient({
      access: await readAccess({ kubeconfig: plane.kubeconfigPath }),
      userAgent: 'metrics-reader',
      qps: 1000,
    });
    const reading = (async () => {
      while (!isOver) {
        await admin.getRaw(metricPath('s0-cron')).then(
          () => {
            answers += 1;
          },
          (error) => failures.push(String(error)),
        );
      }
    })();
    const { problems } = api;
    const seen = () => ({ answers, failures, problems, waits: waiting.map(({ ms }) => ms) });
    /** Lets the wait of that length be over. */
    const pass = async (ms: number) => {
      await until(() => waiting.some((each) => each.ms === ms), seen);
      const entry = waiting.find((each) => each.ms === ms);
      if (entry !== undefined) waiting.splice(waiting.indexOf(entry), 1);
      entry?.act();
    };
    const bundleOf = () =>
      plane.kubectl(
        'get',
        'apiservice',
        'v1beta1.external.metrics.k8s.io',
        '-o',
        'jsonpath={.spec.caBundle}',
      );
    for (let round = 0; round < 3; round++) {
      const { cert, ca } = api.credentials.value;
      await pass(60_000);
      await until(() => api.credentials.value.ca !== ca, seen);
      const bundle = Buffer.from(await bundleOf(), 'base64').toString();
      expect(bundle).to.equal(api.credentials.value.ca);
      const before = answers;
      await until(() => answers > before + 50, seen);
      await pass(90_000);
      await until(() => api.credentials.value.cert !== cert, seen);
      const after = answers;
      await until(() => answers > after + 50, seen);
    }
    isOver = true;
    await reading;
    await admin.close();
    expect(failures).to.deep.equal([]);
    await until(
      async () => (await readAvailability(plane)) === 'True',
      () => problems,
    );
    expect(problems).to.deep.equal([]);
  });
});
