/** What the tests of credentials keep in Vault, and who may read it. */
import { readFile } from 'node:fs/promises';
import type { VaultServer } from '../sources/vault.ts';
import type { ControlPlane } from './control-plane.ts';
import { account, VAULT_CONTENT, VAULT_TOKEN } from './credential-cases.ts';

const POLICY = `
path "kv/*" { capabilities = ["read"] }
path "secret/*" { capabilities = ["read"] }
path "pki/issue/*" { capabilities = ["create", "update"] }
`;
const REVIEWER = 'vault-reviewer';

/** Fills Vault, and lets in the token of the tests and the service account `vault-reader` of `default`. */
export async function fillVault(vault: VaultServer, plane: ControlPlane): Promise<void> {
  for (const [path, value] of Object.entries(VAULT_CONTENT)) await vault.write(path, value);
  await vault.write('sys/policies/acl/scaler', { policy: POLICY });
  await vault.write('auth/token/create', { id: VAULT_TOKEN, policies: ['scaler'], period: '1h' });
  await vault.write('sys/auth/kubernetes', { type: 'kubernetes' });
  await vault.write('auth/kubernetes/config', {
    kubernetes_host: plane.server.origin,
    kubernetes_ca_cert: await readFile(plane.authorityPath, 'utf8'),
    token_reviewer_jwt: await reviewer(plane),
  });
  await vault.write('auth/kubernetes/role/scaler', {
    bound_service_account_names: ['vault-reader'],
    bound_service_account_namespaces: ['default'],
    token_policies: ['scaler'],
  });
}

/** The token of an account that may ask the API server whose a token is. */
async function reviewer(plane: ControlPlane): Promise<string> {
  await plane.apply(account(REVIEWER), {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: REVIEWER },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:auth-delegator',
    },
    subjects: [{ kind: 'ServiceAccount', name: REVIEWER, namespace: 'default' }],
  });
  return (await plane.kubectl('create', 'token', REVIEWER)).trim();
}
