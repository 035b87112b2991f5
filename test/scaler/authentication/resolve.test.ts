import { expect } from 'chai';
import type {
  CredentialReader,
  CredentialSettings,
} from '../../../src/scaler/authentication/credential-reader.ts';
import type { PodTemplate } from '../../../src/scaler/authentication/environment.ts';
import { resolveCredentials } from '../../../src/scaler/authentication/resolve.ts';
import { VaultClient } from '../../../src/scaler/authentication/vault.ts';
import type { AuthenticationSpec } from '../../../src/scaler/resources/trigger-authentication.ts';

const AUTHENTICATIONS: Readonly<Record<string, AuthenticationSpec>> = {
  'TriggerAuthentication/shop/db': {
    secretTargetRef: [{ parameter: 'password', name: 'db', key: 'password' }],
  },
  'TriggerAuthentication/shop/variables': {
    env: [
      { parameter: 'password', name: 'PGPASSWORD' },
      { parameter: 'host', name: 'DB_HOST' },
    ],
  },
  'TriggerAuthentication/shop/absent': {
    env: [{ parameter: 'user', name: 'PGUSER' }],
    secretTargetRef: [
      { parameter: 'password', name: 'db', key: 'pasword' },
      { parameter: 'token', name: 'gone', key: 'token' },
    ],
  },
  'TriggerAuthentication/shop/cloud': { podIdentity: { provider: 'aws' } },
  'ClusterTriggerAuthentication//broker': {
    secretTargetRef: [{ parameter: 'host', name: 'broker', key: 'url' }],
  },
};
const DATA: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Secret/shop/db': { password: 'of the shop' },
  'Secret/scaler/broker': { url: 'amqp://user:pw@broker' },
  'ConfigMap/shop/settings': { DB_HOST: 'db.shop' },
};
const TEMPLATE: PodTemplate = {
  containers: [
    {
      name: 'app',
      env: [{ name: 'PGPASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }],
      envFrom: [{ configMapRef: { name: 'settings' } }],
    },
  ],
};
const SETTINGS: CredentialSettings = {
  clusterNamespace: 'scaler',
  fileRoot: undefined,
  secretNamespaces: undefined,
  vaultToken: undefined,
};

const unused = () => Promise.reject(new Error('nobody asks for it here'));
const reader: CredentialReader = {
  authentication: async (kind, namespace, name) => {
    const spec =
      AUTHENTICATIONS[`${kind}/${kind === 'TriggerAuthentication' ? namespace : ''}/${name}`];
    return spec && { apiVersion: 'scaler.tsprov.dev/v1alpha1', kind, metadata: { name }, spec };
  },
  data: async (kind, namespace, name) => DATA[`${kind}/${namespace}/${name}`],
  serviceAccountToken: unused,
  file: unused,
  http: { request: unused, lines: () => ({ [Symbol.asyncIterator]: () => ({ next: unused }) }) },
  now: () => 0,
};

async function resolve(
  name: string,
  {
    namespace = 'shop',
    kind = 'TriggerAuthentication',
    settings = SETTINGS,
  }: {
    readonly namespace?: string;
    readonly kind?: 'TriggerAuthentication' | 'ClusterTriggerAuthentication';
    readonly settings?: CredentialSettings;
  } = {},
) {
  const request = { ref: { name, kind }, namespace, template: TEMPLATE };
  const vault = new VaultClient(reader, settings);
  return (await resolveCredentials(request, { reader, settings, vault })).values;
}

const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing failed',
    (error: Error) => error.message,
  );

describe('credentials of a trigger', () => {
  it('come out of Secrets of the namespace, for that namespace alone', async () => {
    expect(await resolve('db')).to.deep.equal({ password: 'of the shop' });
    const elsewhere = await messageOf(resolve('db', { namespace: 'office' }));
    expect(elsewhere).to.equal('TriggerAuthentication office/db does not exist');
  });

  it('of the cluster-wide kind are there for every namespace, and lie in one', async () => {
    const kind = 'ClusterTriggerAuthentication';
    for (const namespace of ['shop', 'office']) {
      const values = await resolve('broker', { kind, namespace });
      expect(values).to.deep.equal({ host: 'amqp://user:pw@broker' });
    }
  });

  it('are those that the container of the target can reference', async () => {
    const values = await resolve('variables');
    expect(values).to.deep.equal({ password: 'of the shop', host: 'db.shop' });
  });

  it('that are missing are named, all of them, and become no empty text', async () => {
    const message = await messageOf(resolve('absent'));
    expect(message.split('; ')).to.deep.equal([
      'environment variable PGUSER is not set in container app of the scale target',
      'Secret shop/db has no key "pasword"',
      'Secret shop/gone does not exist',
    ]);
    expect(message).not.to.include('of the shop');
  });

  it('stay out of bounds where the operator may read Secrets of some namespaces alone', async () => {
    const settings = { ...SETTINGS, secretNamespaces: ['scaler', 'bank'] };
    const kind = 'ClusterTriggerAuthentication';
    expect(await messageOf(resolve('db', { settings }))).to.equal(
      'Secret shop/db must not be read: the operator reads Secrets of scaler, bank only',
    );
    const shop = { ...SETTINGS, secretNamespaces: ['scaler', 'shop'] };
    expect(await resolve('db', { settings: shop })).to.have.property('password');
    expect(await resolve('broker', { kind, settings })).to.have.property('host');
  });

  it('of clouds are refused, not left out', async () => {
    const message = await messageOf(resolve('cloud'));
    expect(message).to.equal('TriggerAuthentication cloud: podIdentity aws is not supported yet');
  });
});
