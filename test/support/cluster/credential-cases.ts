/** Where credentials come from in tests of the operator, and what is said where they do not. */
import type { AuthenticationSpec } from '../../../src/scaler/resources/trigger-authentication.ts';

/** Where the operator and what it gives to all namespaces are. */
export const HOME = 'tsprov-scaler';
/** What reads from Vault. */
export const VAULT_TOKEN = 'secret-of-vault';

/** No other text of the test contains one of these. */
export const tokenOf = (name: string) => `secret-of-${name}-8c1f`;
/** A Secret or a ConfigMap. */
export const data = (
  kind: 'Secret' | 'ConfigMap',
  name: string,
  values: object,
  namespace = 'default',
) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace },
  ...(kind === 'Secret' ? { stringData: values } : { data: values }),
});
/** A Secret with the token of its name. */
export const secret = (name: string, namespace = 'default') =>
  data('Secret', name, { token: tokenOf(name) }, namespace);
/** The token out of an object. */
export const keyRef = (name: string, key = 'token') => [{ parameter: 'token', name, key }];
const variable = (containerName?: string): AuthenticationSpec => ({
  env: [
    { parameter: 'token', name: 'TOKEN', ...(containerName !== undefined && { containerName }) },
  ],
});
/** A container whose variable TOKEN is the key of an object. */
export const variableFrom = (source: string, name: string) => ({
  env: [{ name: 'TOKEN', valueFrom: { [source]: { name, key: 'token' } } }],
});
/** A service account. */
export const account = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'default' },
});

/** What is in Vault, by path. */
export const VAULT_CONTENT: Readonly<Record<string, object>> = {
  'kv/first': { token: tokenOf('vault-kv1') },
  'secret/data/second': { data: { token: tokenOf('vault-kv2') } },
  'kv/login': { token: tokenOf('vault-login-kv1') },
  'kv/file': { token: tokenOf('vault-file') },
  'secret/data/login': { data: { token: tokenOf('vault-login') } },
};

/** Where credentials are served. */
interface Urls {
  readonly vault: string;
  /** A server of tokens. */
  readonly tokens: string;
  /** One that says again what it hears, and gives no token. */
  readonly echo: string;
}

/** An authentication, and what it needs. */
export interface Case {
  readonly title: string;
  readonly name: string;
  readonly spec: (urls: Urls) => AuthenticationSpec;
  readonly isCluster?: boolean;
  readonly objects?: readonly object[];
  /** Of the container of the target. */
  readonly container?: object;
  readonly authMode?: string;
}

/** An authentication by a value of Vault. */
export const vault =
  (path: string, more: object = {}, login: object = {}): Case['spec'] =>
  ({ vault: address }) => ({
    hashiCorpVault: {
      address,
      authentication: 'token',
      credential: { token: VAULT_TOKEN },
      secrets: [{ parameter: 'token', path, key: 'token', ...more }],
      ...login,
    },
  });
/** The login with a service account, or with its token in a file. */
export const byAccount = (credential: object, role = 'scaler') => ({
  authentication: 'kubernetes',
  mount: 'kubernetes',
  role,
  credential,
});
const VAULT_READER = { serviceAccountName: 'vault-reader' };

/** A client of OAuth 2 with its secret in a Secret. */
export const clientCredentials = (clientId: string, tokenUrl: string, name: string) => ({
  oauth2: {
    type: 'clientCredentials' as const,
    clientId,
    clientSecret: { valueFrom: { secretKeyRef: { name, key: 'token' } } },
    tokenUrl,
  },
});

/** Whether a case reads from Vault. */
export const needsVault = ({ spec }: Pick<Case, 'spec'>) =>
  spec({ vault: '', tokens: '', echo: '' }).hashiCorpVault !== undefined;

/** Where the token of a trigger can come from. */
export const CASES: readonly Case[] = [
  {
    title: 'a Secret of its namespace',
    name: 'secret',
    spec: () => ({ secretTargetRef: keyRef('secret') }),
    objects: [secret('secret')],
  },
  {
    title: 'a ConfigMap of its namespace',
    name: 'config',
    spec: () => ({ configMapTargetRef: keyRef('config') }),
    objects: [data('ConfigMap', 'config', { token: tokenOf('config') })],
  },
  {
    title: 'a variable of its container, out of a Secret',
    name: 'env-secret',
    spec: () => variable(),
    objects: [secret('env-secret')],
    container: variableFrom('secretKeyRef', 'env-secret'),
  },
  {
    title: 'a variable of its container, out of a ConfigMap',
    name: 'env-config',
    spec: () => variable('main'),
    objects: [data('ConfigMap', 'env-config', { token: tokenOf('env-config') })],
    container: variableFrom('configMapKeyRef', 'env-config'),
  },
  {
    title: 'a variable of its container, out of a whole Secret under a prefix',
    name: 'env-prefix',
    spec: () => variable(),
    objects: [data('Secret', 'env-prefix', { KEN: tokenOf('env-prefix') })],
    container: { envFrom: [{ prefix: 'TO', secretRef: { name: 'env-prefix' } }] },
  },
  {
    title: 'a Secret of the operator, in the cluster-wide kind',
    name: 'cluster',
    spec: () => ({ secretTargetRef: keyRef('cluster') }),
    isCluster: true,
    objects: [secret('cluster', HOME)],
  },
  {
    title: 'a file of the operator',
    name: 'file',
    spec: () => ({ filePath: 'team/file.json' }),
    isCluster: true,
  },
  { title: 'Vault, engine kv 1', name: 'vault-kv1', spec: vault('kv/first') },
  {
    title: 'Vault, engine kv 2',
    name: 'vault-kv2',
    spec: vault('secret/data/second', { type: 'secretV2' }),
  },
  {
    title: 'Vault, after a login by a service account',
    name: 'vault-login',
    spec: vault('secret/data/login', {}, byAccount(VAULT_READER)),
    objects: [account('vault-reader')],
  },
  {
    title: 'Vault, engine kv 1, after a login by a service account',
    name: 'vault-login-kv1',
    spec: vault('kv/login', {}, byAccount(VAULT_READER)),
    objects: [account('vault-reader')],
  },
];

/** One that fails, and what users are told. */
export type ToldCase = Omit<Case, 'title'> & { readonly told: string };

/** What is not there. */
export const MISSING: readonly ToldCase[] = [
  {
    name: 'no-secret',
    spec: () => ({ secretTargetRef: keyRef('gone') }),
    told: 'Secret default/gone does not exist',
  },
  {
    name: 'no-key',
    spec: () => ({ secretTargetRef: keyRef('secret', 'tokn') }),
    told: 'Secret default/secret has no key "tokn"',
  },
  {
    name: 'no-config',
    spec: () => ({ configMapTargetRef: keyRef('gone') }),
    told: 'ConfigMap default/gone does not exist',
  },
  {
    name: 'no-variable',
    spec: () => variable(),
    told: 'environment variable TOKEN is not set in container main of the scale target',
  },
  {
    name: 'no-container',
    spec: () => variable('side'),
    told: 'the scale target has no container "side" (it has: main)',
  },
  {
    name: 'no-account',
    spec: () => ({
      boundServiceAccountToken: [{ parameter: 'token', serviceAccountName: 'gone' }],
    }),
    told: 'serviceaccounts "gone" not found',
  },
  {
    name: 'no-file',
    spec: () => ({ filePath: 'team/gone.json' }),
    isCluster: true,
    told: 'filePath "team/gone.json" cannot be read',
  },
  {
    name: 'no-file-here',
    spec: () => ({ filePath: 'team/file.json' }),
    told: 'filePath "team/file.json" works only in a ClusterTriggerAuthentication',
  },
  { name: 'no-path', spec: vault('kv/gone'), told: 'kv/gone' },
  {
    name: 'no-vault-key',
    spec: vault('kv/first', { key: 'tokn' }),
    told: 'hashiCorpVault: kv/first has no key "tokn"',
  },
  {
    name: 'no-login',
    spec: vault('kv/first', {}, byAccount({ serviceAccountName: 'default' })),
    told: 'answered with status 403: service account name not authorized',
  },
  {
    name: 'no-role',
    spec: vault('kv/first', {}, byAccount(VAULT_READER, 'stranger')),
    told: 'answered with status 400: invalid role name "stranger"',
  },
];

/** Credentials that lead to failures whose words could betray them: the servers echo what they were shown. */
export const FAILING: readonly ToldCase[] = [
  {
    name: 'refused',
    spec: () => ({ secretTargetRef: keyRef('refused') }),
    objects: [secret('refused')],
    told: 'HTTP status 401',
  },
  {
    name: 'broken',
    spec: () => ({ secretTargetRef: keyRef('broken') }),
    told: 'invalid authorization header',
    objects: [data('Secret', 'broken', { token: `${tokenOf('broken')}\n${tokenOf('end')}` })],
  },
  {
    name: 'stranger',
    spec: ({ echo }) => clientCredentials('stranger', echo, 'stranger'),
    objects: [secret('stranger')],
    told: 'gives no token: HTTP status 401, invalid_client',
    authMode: 'oauth',
  },
];
