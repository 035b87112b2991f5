/** What several kinds of credentials are made of. */
import { object, oneOf, optional, str } from './openapi.ts';

export const parameter = str('The parameter of the trigger that it gives.');

export const secretKeyRef = object(
  {
    valueFrom: object(
      {
        secretKeyRef: object({ name: str('Name of the Secret.'), key: str('Its key.') }, 'Where.'),
      },
      'Where from.',
    ),
  },
  'A value out of a Secret.',
);

export const podIdentity = object(
  {
    provider: oneOf(
      ['azure-workload', 'gcp', 'aws', 'aws-eks', 'none'],
      'Who vouches for the pod.',
    ),
    identityId: optional(str('azure-workload: client to act as.')),
    identityTenantId: optional(str('azure-workload: tenant.')),
    identityAuthorityHost: optional(str('azure-workload: authority.')),
    roleArn: optional(str('aws: role to take on.')),
    externalID: optional(str('aws: external id of the role.')),
    identityOwner: optional(oneOf(['keda', 'workload'], 'aws: whose identity counts.')),
  },
  'Identity of the pod.',
);
