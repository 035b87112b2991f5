/** The secret stores of clouds. They are declared so that manifests can be checked, and not built yet. */
import { parameter, podIdentity, secretKeyRef } from './credentials.ts';
import { list, object, optional, str } from './openapi.ts';

const SEVERAL = { minItems: 1 };
const NOT_BUILT = 'Not supported yet.';

export const azureServicePrincipal = object(
  {
    clientId: str('Client to act as.'),
    tenantId: str('Its tenant.'),
    clientSecret: optional(secretKeyRef),
    clientCertificate: optional(secretKeyRef),
    clientCertificatePassword: optional(secretKeyRef),
    cloud: optional(str('The cloud. Default: the public one.')),
    activeDirectoryEndpoint: optional(str('Where to log in.')),
  },
  `A client of Azure. ${NOT_BUILT}`,
);

export const azureKeyVault = object(
  {
    vaultUri: str('URL of the vault.'),
    secrets: list(
      object(
        {
          parameter,
          name: str('Name of the secret.'),
          version: optional(str('Its version. Default: the newest.')),
        },
        'One value.',
      ),
      'Values.',
      SEVERAL,
    ),
    credentials: optional(
      object(
        {
          clientId: str('Client that reads them.'),
          tenantId: str('Its tenant.'),
          clientSecret: secretKeyRef,
        },
        'With what to log in.',
      ),
    ),
    podIdentity: optional(podIdentity),
    cloud: optional(
      object(
        {
          type: str('AzurePublicCloud, AzureUSGovernmentCloud, AzureChinaCloud or Private.'),
          keyVaultResourceURL: optional(str('Private: resource of the vault.')),
          activeDirectoryEndpoint: optional(str('Private: where to log in.')),
        },
        'The cloud of the vault. Default: the public one.',
      ),
    ),
  },
  `Values out of Azure Key Vault. ${NOT_BUILT}`,
);

export const gcpSecretManager = object(
  {
    secrets: list(
      object(
        {
          parameter,
          id: str('Id of the secret, short or with its project.'),
          version: optional(str('Its version. Default: latest.')),
        },
        'One value.',
      ),
      'Values.',
      SEVERAL,
    ),
    credentials: optional(object({ clientSecret: secretKeyRef }, 'With what to log in.')),
    podIdentity: optional(podIdentity),
  },
  `Values out of GCP Secret Manager. ${NOT_BUILT}`,
);

export const awsSecretManager = object(
  {
    secrets: list(
      object(
        {
          parameter,
          name: str('Name of the secret.'),
          versionId: optional(str('Id of its version.')),
          versionStage: optional(str('Stage of its version.')),
          secretKey: optional(str('Member of the JSON object that the secret is.')),
        },
        'One value.',
      ),
      'Values.',
      SEVERAL,
    ),
    credentials: optional(
      object(
        {
          accessKey: secretKeyRef,
          accessSecretKey: secretKeyRef,
          accessToken: optional(secretKeyRef),
        },
        'With what to log in.',
      ),
    ),
    podIdentity: optional(podIdentity),
    region: optional(str('Region of the secrets.')),
  },
  `Values out of AWS Secrets Manager. ${NOT_BUILT}`,
);

/** The members of an authentication's spec that this file describes. */
export const CLOUD_SOURCES = [
  'azureServicePrincipal',
  'azureKeyVault',
  'gcpSecretManager',
  'awsSecretManager',
] as const;
