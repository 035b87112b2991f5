import {
  awsSecretManager,
  azureKeyVault,
  azureServicePrincipal,
  gcpSecretManager,
} from './cloud-secrets.ts';
import { parameter, podIdentity, secretKeyRef } from './credentials.ts';
import { list, mapOf, object, oneOf, optional, str, type TypeOf } from './openapi.ts';
import { defineResource, type ObjectOf } from './resource.ts';

const keyRef = (of: string) =>
  list(
    object(
      { parameter, name: str(`Name of the ${of}.`), key: str(`Key in the ${of}.`) },
      'One value.',
    ),
    `Values out of ${of}s.`,
  );
const hashiCorpVault = object(
  {
    address: str('URL of Vault.'),
    authentication: oneOf(['token', 'kubernetes'], 'How to log in.'),
    namespace: optional(str('Namespace of Vault.')),
    mount: optional(str('kubernetes: path of the login.')),
    role: optional(str('kubernetes: role.')),
    credential: optional(
      object(
        {
          token: optional(str('token: the token. Default: VAULT_TOKEN of the operator.')),
          serviceAccount: optional(str('kubernetes: file with the JWT.')),
          serviceAccountName: optional(
            str('kubernetes: service account whose token is asked for.'),
          ),
        },
        'With what to log in.',
      ),
    ),
    secrets: list(
      object(
        {
          parameter,
          path: str('Path in Vault.'),
          key: str('Key at the path.'),
          type: optional(
            oneOf(['', 'secretV2', 'secret', 'pki'], 'Engine; found out where it is empty.'),
          ),
          pkiData: optional(
            object(
              {
                commonName: optional(str('Common name.')),
                altNames: optional(str('Alternative names.')),
                ipSans: optional(str('IP addresses.')),
                uriSans: optional(str('URIs.')),
                otherSans: optional(str('Other names.')),
                ttl: optional(str('Life time.')),
                format: optional(str('Format.')),
              },
              'pki: what to certify.',
            ),
          ),
        },
        'One value.',
      ),
      'Values.',
      { minItems: 1 },
    ),
  },
  'Values out of HashiCorp Vault.',
);

const oauth2 = object(
  {
    type: oneOf(['clientCredentials'], 'The flow.', { default: 'clientCredentials' }),
    clientId: str('Client id.'),
    clientSecret: optional(secretKeyRef),
    tokenUrl: str('URL that gives tokens.'),
    scopes: optional(list(str('Scope.'), 'Scopes.')),
    tokenUrlParams: optional(mapOf(str('Value.'), 'More parameters of the request.')),
  },
  'OAuth2 client credentials.',
);

const spec = object(
  {
    podIdentity: optional(podIdentity),
    secretTargetRef: optional(keyRef('Secret')),
    configMapTargetRef: optional(keyRef('ConfigMap')),
    env: optional(
      list(
        object(
          {
            parameter,
            name: str('Name of the variable.'),
            containerName: optional(str('Container. Default: the first.')),
          },
          'One value.',
        ),
        'Values out of the environment of the scale target.',
      ),
    ),
    filePath: optional(str('JSON file of the operator; cluster-wide kind only.')),
    hashiCorpVault: optional(hashiCorpVault),
    azureServicePrincipal: optional(azureServicePrincipal),
    azureKeyVault: optional(azureKeyVault),
    gcpSecretManager: optional(gcpSecretManager),
    awsSecretManager: optional(awsSecretManager),
    boundServiceAccountToken: optional(
      list(
        object(
          { parameter, serviceAccountName: str('Name of the service account.') },
          'One token.',
        ),
        'Tokens of service accounts.',
      ),
    ),
    oauth2: optional(oauth2),
  },
  'Where credentials come from.',
);

const status = object(
  {
    scaledobjects: optional(str('ScaledObjects that use it.')),
    scaledjobs: optional(str('ScaledJobs that use it.')),
  },
  'Who uses it.',
);

export type AuthenticationSpec = TypeOf<typeof spec>;
export type VaultSpec = NonNullable<AuthenticationSpec['hashiCorpVault']>;
export type AuthenticationStatus = TypeOf<typeof status>;
export type TriggerAuthentication = ObjectOf<AuthenticationSpec, AuthenticationStatus>;

const columns = [
  { name: 'PodIdentity', path: '.spec.podIdentity.provider' },
  { name: 'Secret', path: '.spec.secretTargetRef[*].name' },
  { name: 'Env', path: '.spec.env[*].name' },
];
const vaultColumns = [
  { name: 'VaultAddress', path: '.spec.hashiCorpVault.address' },
  { name: 'ScaledObjects', path: '.status.scaledobjects', priority: 1 },
  { name: 'ScaledJobs', path: '.status.scaledjobs', priority: 1 },
];

export const triggerAuthentication = defineResource({
  kind: 'TriggerAuthentication',
  plural: 'triggerauthentications',
  shortNames: ['ta', 'triggerauth'],
  isNamespaced: true,
  description: 'Credentials for triggers of one namespace.',
  spec,
  status,
  columns: [...columns, ...vaultColumns],
});

export const clusterTriggerAuthentication = defineResource({
  kind: 'ClusterTriggerAuthentication',
  plural: 'clustertriggerauthentications',
  shortNames: ['cta', 'clustertriggerauth'],
  isNamespaced: false,
  description: 'Credentials for triggers of every namespace.',
  spec,
  status,
  columns: [...columns, { name: 'FilePath', path: '.spec.filePath' }, ...vaultColumns],
});
