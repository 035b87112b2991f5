import type {
  CredentialReader,
  CredentialSettings,
} from '../../../src/scaler/authentication/credential-reader.ts';

const unused = () => Promise.reject(new Error('nobody asks for it here'));

/** Finds nothing; tests replace what they are about. */
export const NO_CREDENTIALS: CredentialReader = {
  authentication: unused,
  data: unused,
  serviceAccountToken: unused,
  file: unused,
  http: {
    request: unused,
    lines: () => ({ [Symbol.asyncIterator]: () => ({ next: unused }) }),
  },
  now: () => 0,
};

/** Of an operator that was started without options. */
export const PLAIN_SETTINGS: CredentialSettings = {
  clusterNamespace: 'scaler',
  fileRoot: undefined,
  secretNamespaces: undefined,
  vaultToken: undefined,
};
