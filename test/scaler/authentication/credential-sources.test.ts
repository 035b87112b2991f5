import { expect } from 'chai';
import type {
  CredentialReader,
  CredentialSettings,
} from '../../../src/scaler/authentication/credential-reader.ts';
import { resolveCredentials } from '../../../src/scaler/authentication/resolve.ts';
import { VaultClient } from '../../../src/scaler/authentication/vault.ts';
import type { AuthenticationSpec } from '../../../src/scaler/resources/trigger-authentication.ts';
import { fakeCluster, newState } from '../controller/fake-cluster.ts';

const GIVEN: CredentialSettings = {
  clusterNamespace: 'scaler',
  fileRoot: '/files',
  secretNamespaces: undefined,
  vaultToken: undefined,
};
const FILES: Readonly<Record<string, string>> = {
  '/files/good.json': '{"password":"f"}',
  '/files/list.json': '["f"]',
  '/files/bad.json': 'password=f',
};
const template = {
  containers: [
    { name: 'main', env: [{ name: 'V', value: 'v' }] },
    { name: 'side', env: [{ name: 'V', value: 's' }] },
  ],
};
const password = { parameter: 'password', name: 'login', key: 'password' };

interface Case {
  readonly title: string;
  readonly spec: AuthenticationSpec;
  /** Of a ClusterTriggerAuthentication. */
  readonly isCluster?: boolean;
  readonly settings?: Partial<CredentialSettings>;
  /** Values, or what the error includes. */
  readonly expected: Readonly<Record<string, string>> | string;
}

const CASES: readonly Case[] = [
  { title: 'nothing out of nothing', spec: {}, expected: {} },
  { title: 'a Secret', spec: { secretTargetRef: [password] }, expected: { password: 'own' } },
  {
    title: 'a Secret of the operator for all namespaces',
    spec: { secretTargetRef: [password] },
    isCluster: true,
    expected: { password: 'of all' },
  },
  {
    title: 'a variable, of the first container or a named one',
    spec: {
      env: [
        { parameter: 'a', name: 'V' },
        { parameter: 'b', name: 'V', containerName: 'side' },
      ],
    },
    expected: { a: 'v', b: 's' },
  },
  {
    title: 'the later source',
    spec: {
      env: [{ parameter: 'password', name: 'V' }],
      configMapTargetRef: [{ parameter: 'password', name: 'settings', key: 'password' }],
      secretTargetRef: [password],
    },
    expected: { password: 'own' },
  },
  {
    title: 'a token of a service account',
    spec: { boundServiceAccountToken: [{ parameter: 't', serviceAccountName: 'reader' }] },
    expected: { t: 'token' },
  },
  {
    title: 'a client of OAuth 2',
    spec: {
      oauth2: {
        type: 'clientCredentials',
        clientId: 'me',
        clientSecret: { valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } },
        tokenUrl: 'https://id.example/token',
        scopes: ['a', 'b'],
        tokenUrlParams: { audience: 'x y' },
      },
    },
    expected: {
      oauthTokenURI: 'https://id.example/token',
      clientID: 'me',
      clientSecret: 'own',
      scopes: 'a,b',
      endpointParams: 'audience=x+y',
    },
  },
  {
    title: 'a file, and nothing else then',
    spec: { filePath: 'good.json', secretTargetRef: [password] },
    isCluster: true,
    expected: { password: 'f' },
  },
  ...[
    ['good.json', false, {}, 'works only in a ClusterTriggerAuthentication'],
    ['good.json', true, { fileRoot: undefined }, '--filepath-auth-root-path'],
    ['../x', true, {}, 'must be a path below /files'],
    ['/etc/passwd', true, {}, 'must be a path below /files'],
    ['none.json', true, {}, 'cannot be read'],
    ['bad.json', true, {}, 'holds no JSON'],
    ['list.json', true, {}, 'must hold an object of texts'],
  ].map(
    ([filePath, isCluster, settings, expected]) =>
      ({
        title: `no file: ${expected}`,
        spec: { filePath },
        isCluster,
        settings,
        expected,
      }) as Case,
  ),
  {
    title: 'Secrets of the operator within the bounds',
    spec: { secretTargetRef: [password] },
    isCluster: true,
    settings: { secretNamespaces: ['scaler'] },
    expected: { password: 'of all' },
  },
];

describe('the sources of credentials', () => {
  const resolve = async ({ spec, isCluster = false, settings = {} }: Omit<Case, 'expected'>) => {
    const kind = isCluster ? 'ClusterTriggerAuthentication' : 'TriggerAuthentication';
    const state = newState();
    const metadata = { name: 'auth', namespace: isCluster ? '' : 'shop' };
    state.authentications.set(`${kind}/${metadata.namespace}/auth`, {
      apiVersion: 'scaler.tsprov.dev/v1alpha1',
      kind,
      metadata,
      spec,
    });
    state.secrets.set('Secret/shop/login', { password: 'own' });
    state.secrets.set('Secret/scaler/login', { password: 'of all' });
    state.secrets.set('ConfigMap/shop/settings', { password: 'open' });
    const reader: CredentialReader = {
      ...fakeCluster(state),
      file: async (path) => FILES[path] ?? Promise.reject(new Error('there is none')),
    };
    const all = { ...GIVEN, ...settings };
    const tools = { reader, settings: all, vault: new VaultClient(reader, all) };
    return resolveCredentials({ ref: { name: 'auth', kind }, namespace: 'shop', template }, tools);
  };

  for (const each of CASES) {
    it(`gives ${each.title}`, async () => {
      const seen = await resolve(each).catch((error: Error) => error.message);
      if (typeof each.expected === 'string') expect(seen).to.include(each.expected);
      else expect(seen).to.have.deep.property('values', each.expected);
    });
  }
});
