/** Rules of TriggerAuthentications beyond their schema. */
import { CLOUD_SOURCES } from '../resources/cloud-secrets.ts';
import type { AuthenticationSpec } from '../resources/trigger-authentication.ts';
import type { ObjectProblem } from './object-problem.ts';
import type { Path } from './read-manifests.ts';

/** Every problem of a spec that its schema accepts. */
export function checkAuthentication(
  kind: string,
  spec: AuthenticationSpec,
): readonly ObjectProblem[] {
  return [
    ...checkIdentity(spec.podIdentity),
    ...CLOUD_SOURCES.filter((source) => spec[source] !== undefined).map((source) =>
      problem([source], 'is not supported yet'),
    ),
    ...(spec.filePath && kind !== 'ClusterTriggerAuthentication'
      ? [problem(['filePath'], 'works only in a ClusterTriggerAuthentication')]
      : []),
    ...checkOauth(spec.oauth2),
    ...checkVault(spec.hashiCorpVault),
  ];
}

function checkIdentity(identity: AuthenticationSpec['podIdentity']): readonly ObjectProblem[] {
  if (identity === undefined) return [];
  const { provider, identityId, roleArn, externalID, identityOwner } = identity;
  const at = (key: string, message: string) => problem(['podIdentity', key], message);
  return [
    ...(provider === 'none' ? [] : [at('provider', `${provider} is not supported yet`)]),
    ...(identityId === ''
      ? [at('identityId', 'must not be empty: leave it out to use the default')]
      : []),
    ...(roleArn && identityOwner === 'workload'
      ? [at('roleArn', 'and identityOwner workload exclude each other: keep one')]
      : []),
    ...(externalID && !roleArn ? [at('externalID', 'needs roleArn')] : []),
  ];
}

function checkOauth(oauth2: AuthenticationSpec['oauth2']): readonly ObjectProblem[] {
  if (oauth2 === undefined) return [];
  const { tokenUrl, clientSecret } = oauth2;
  const isUrl = URL.canParse(tokenUrl) && /^https?:$/.test(new URL(tokenUrl).protocol);
  return [
    ...(isUrl
      ? []
      : [problem(['oauth2', 'tokenUrl'], `must be an http or https URL and not "${tokenUrl}"`)]),
    ...(clientSecret === undefined
      ? [problem(['oauth2'], 'needs clientSecret.valueFrom.secretKeyRef')]
      : []),
  ];
}

function checkVault(vault: AuthenticationSpec['hashiCorpVault']): readonly ObjectProblem[] {
  if (vault === undefined) return [];
  const { address, authentication, role } = vault;
  const at = (key: string, message: string) => problem(['hashiCorpVault', key], message);
  return [
    ...(URL.canParse(address) ? [] : [at('address', `must be a URL and not "${address}"`)]),
    ...(authentication === 'kubernetes' && !role
      ? [at('authentication', 'is kubernetes: that needs role')]
      : []),
  ];
}

function problem(path: Path, message: string): ObjectProblem {
  return { path: ['spec', ...path], message };
}
