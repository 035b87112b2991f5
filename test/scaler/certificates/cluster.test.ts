import { expect } from 'chai';
import type { ApiClient } from '../../../src/kubernetes/api-client.ts';
import { ApiError } from '../../../src/kubernetes/api-error.ts';
import {
  ForeignApiService,
  publishAuthorities,
} from '../../../src/scaler/certificates/api-service.ts';
import { makeSecretStore } from '../../../src/scaler/certificates/secret-store.ts';

const { signal } = new AbortController();
const REGISTRATION = {
  service: { namespace: 'scaling', name: 'metrics', port: 443 },
  manager: 'scaler-operator',
};
const BUNDLE = Buffer.from('authorities').toString('base64');

type Stored = Record<string, unknown>;

/** An API server with one object, which notes what is written. */
function makeCluster(object?: Stored) {
  const writes: { verb: string; body: Stored }[] = [];
  const conflict = () => new ApiError(409, 'Conflict', 'somebody else was first');
  let stored = object;
  const cluster = {
    writes,
    whenCreating: () => {},
    whenReplacing: () => {},
    async find() {
      return stored;
    },
    async create(_path: unknown, body: Stored) {
      cluster.whenCreating();
      if (stored !== undefined) throw conflict();
      writes.push({ verb: 'create', body });
      stored = body;
    },
    async replace(_path: unknown, body: Stored) {
      cluster.whenReplacing();
      writes.push({ verb: 'replace', body });
      stored = body;
    },
    async patch(_path: unknown, _kind: unknown, body: Stored) {
      writes.push({ verb: 'patch', body });
    },
    put: (next: Stored) => {
      stored = next;
    },
    conflict,
  };
  // The methods that are used, as the client has them.
  const client = cluster as unknown as ApiClient;
  return { cluster, client };
}

const apiService = (spec: Stored, labels: Stored = {}): Stored => ({
  metadata: { name: 'v1beta1.external.metrics.k8s.io', labels },
  spec,
});

describe('the registration of the metrics API', () => {
  const publish = (client: ApiClient) =>
    publishAuthorities(client, REGISTRATION, 'authorities', signal);

  it('is made where there is none', async () => {
    const { cluster, client } = makeCluster();
    await publish(client);
    expect(cluster.writes).to.deep.equal([
      {
        verb: 'create',
        body: {
          apiVersion: 'apiregistration.k8s.io/v1',
          kind: 'APIService',
          metadata: {
            name: 'v1beta1.external.metrics.k8s.io',
            labels: { 'app.kubernetes.io/managed-by': 'scaler-operator' },
          },
          spec: {
            group: 'external.metrics.k8s.io',
            version: 'v1beta1',
            groupPriorityMinimum: 100,
            versionPriority: 100,
            service: REGISTRATION.service,
            caBundle: BUNDLE,
          },
        },
      },
    ]);
  });

  it('is given our authorities where manifests have made it', async () => {
    const service = { namespace: 'scaling', name: 'metrics' };
    const { cluster, client } = makeCluster(apiService({ service, insecureSkipTLSVerify: true }));
    await publish(client);
    const spec = { service: REGISTRATION.service, caBundle: BUNDLE, insecureSkipTLSVerify: null };
    expect(cluster.writes).to.deep.equal([{ verb: 'patch', body: { spec } }]);
  });

  it('is left alone where all is well', async () => {
    const service = { namespace: 'scaling', name: 'metrics' };
    const { cluster, client } = makeCluster(apiService({ service, caBundle: BUNDLE }));
    await publish(client);
    expect(cluster.writes).to.deep.equal([]);
  });

  it('follows our Service where that has moved', async () => {
    const service = { namespace: 'old', name: 'metrics' };
    const labels = { 'app.kubernetes.io/managed-by': 'scaler-operator' };
    const { cluster, client } = makeCluster(apiService({ service, caBundle: BUNDLE }, labels));
    await publish(client);
    expect(cluster.writes).to.have.length(1);
  });

  it('is not taken from another adapter', async () => {
    const service = { namespace: 'keda', name: 'keda-metrics-apiserver' };
    const { cluster, client } = makeCluster(apiService({ service }));
    const error = await publish(client).catch((e) => e);
    expect(error).to.be.instanceOf(ForeignApiService);
    expect(error.message).to.equal(
      'APIService v1beta1.external.metrics.k8s.io leads to the Service keda/keda-metrics-apiserver and not to scaling/metrics: a cluster has one external metrics API (remove the other adapter and delete that APIService)',
    );
    expect(cluster.writes).to.deep.equal([]);
  });

  it('of another adapter that came at the same moment is not taken either', async () => {
    const { cluster, client } = makeCluster();
    cluster.whenCreating = () =>
      cluster.put(apiService({ service: { namespace: 'x', name: 'y' } }));
    expect(await publish(client).catch((e) => e)).to.be.instanceOf(ForeignApiService);
  });
});

describe('the Secret of the certificates', () => {
  const place = { namespace: 'scaling', name: 'certs', manager: 'scaler-operator' };
  const encoded = { 'tls.crt': Buffer.from('pem').toString('base64') };

  it('is made with our label', async () => {
    const { cluster, client } = makeCluster();
    const store = makeSecretStore(client, place);
    expect(await store.read(signal)).to.equal(undefined);
    expect(await store.create({ 'tls.crt': 'pem' }, signal)).to.equal(true);
    expect(cluster.writes[0]?.body).to.deep.equal({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'certs',
        namespace: 'scaling',
        labels: { 'app.kubernetes.io/managed-by': 'scaler-operator' },
      },
      data: encoded,
    });
  });

  it('keeps its labels and its type when it is written', async () => {
    const metadata = {
      name: 'certs',
      namespace: 'scaling',
      labels: { a: 'b' },
      resourceVersion: '7',
    };
    const { cluster, client } = makeCluster({ metadata, type: 'kubernetes.io/tls', data: encoded });
    const store = makeSecretStore(client, place);
    const stored = await store.read(signal);
    expect(stored).to.deep.equal({ data: { 'tls.crt': 'pem' }, resourceVersion: '7' });
    await store.replace({ 'tls.crt': 'new' }, '7', signal);
    expect(cluster.writes[0]?.body).to.deep.include({ metadata, type: 'kubernetes.io/tls' });
  });

  it('says when somebody else was first', async () => {
    const { cluster, client } = makeCluster();
    const store = makeSecretStore(client, place);
    cluster.whenCreating = () => cluster.put({});
    expect(await store.create({}, signal)).to.equal(false);
    cluster.whenReplacing = () => {
      throw cluster.conflict();
    };
    expect(await store.replace({}, '1', signal)).to.equal(false);
  });
});
