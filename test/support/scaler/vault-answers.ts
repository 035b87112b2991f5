/** Answers of Vault, as its HTTP API documents them (https://developer.hashicorp.com/vault/api-docs). */

/** The answer of Vault to a login. */
export function vaultLogin(token: string, leaseSeconds = 3600): object {
  return {
    ...ENVELOPE,
    data: null,
    auth: {
      client_token: token,
      accessor: 'afa306d0-be3d-c8d2-b0d7-2676e1c0d9b4',
      policies: ['default'],
      metadata: { role: 'scaler' },
      lease_duration: leaseSeconds,
      renewable: true,
    },
  };
}

/** The answer of Vault to a read of the first key-value engine, or to a certificate of `pki`. */
export function vaultData(data: object, leaseSeconds = 2_764_800): object {
  return { ...ENVELOPE, data, lease_duration: leaseSeconds };
}

/** The answer of Vault to a read of the second key-value engine. */
export function vaultVersion(data: object): object {
  const metadata = {
    created_time: '2018-03-22T02:24:06.945319214Z',
    custom_metadata: null,
    deletion_time: '',
    destroyed: false,
    version: 2,
  };
  return vaultData({ data, metadata }, 0);
}

const ENVELOPE = {
  request_id: '0f2b3a3c-6c1a-4b6f-9d3f-6d0a3f0c1b2a',
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  wrap_info: null,
  warnings: null,
  auth: null,
};
