/** TLS of everything that the scaler asks: the operator's authorities and least version beside a trigger's own material. */
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConnectionOptions,
  createSecureContext,
  rootCertificates,
  type SecureVersion,
} from 'node:tls';
import type { TlsMaterial } from './trigger.ts';

export interface TlsPolicy {
  /** PEM texts of authorities that are trusted beside the usual ones. */
  readonly authorities: readonly string[];
  readonly leastVersion: SecureVersion;
}

const VERSIONS: Readonly<Record<string, SecureVersion>> = {
  TLS10: 'TLSv1',
  TLS11: 'TLSv1.1',
  TLS12: 'TLSv1.2',
  TLS13: 'TLSv1.3',
};

/** A version as the environment names it, `TLS12`. Throws an Error that lists the versions. */
export function parseTlsVersion(name: string): SecureVersion {
  const version = VERSIONS[name];
  if (version !== undefined) return version;
  throw new Error(`"${name}" is no TLS version: give one of ${Object.keys(VERSIONS).join(', ')}`);
}

/** The certificates in files of directories; a directory that is missing holds none. Throws where a file is no PEM. */
export function readAuthorities(directories: readonly string[]): readonly string[] {
  return directories.flatMap((directory) =>
    filesOf(directory).map((file) => {
      const pem = readFileSync(file, 'utf8');
      requireCertificate(pem, `the authority in ${file}`);
      return pem;
    }),
  );
}

/** Links are followed (mounted Secrets are made of them); what begins with a dot is passed over. */
function filesOf(directory: string): readonly string[] {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(directory)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile());
}

/** Options for `tls.connect` and clients that hand theirs to it. Throws an Error where the material cannot be used. */
export function tlsOptions(policy: TlsPolicy, material: TlsMaterial = {}): ConnectionOptions {
  requireUsable(material);
  const { ca, cert, key, keyPassword, isUnsafe = false } = material;
  const own = [...policy.authorities, ...(ca === undefined ? [] : [ca])];
  return {
    minVersion: policy.leastVersion,
    rejectUnauthorized: !isUnsafe,
    ...(own.length > 0 && { ca: [...rootCertificates, ...own] }),
    ...(cert !== undefined && { cert, key }),
    ...(keyPassword !== undefined && { passphrase: keyPassword }),
  };
}

function requireUsable({ ca, cert, key, keyPassword }: TlsMaterial): void {
  if (ca !== undefined) requireCertificate(ca, 'the certificate of the authority (ca)');
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
    throw new Error(`${given} is given without ${missing}: a client certificate needs both`);
  }
  try {
    createSecureContext({ cert, key, passphrase: keyPassword });
  } catch (cause) {
    throw new Error(
      'cert and key cannot be used together: give the PEM texts of one certificate and of its ' +
        'private key, and keyPassword where the key is encrypted',
      { cause },
    );
  }
}

function requireCertificate(pem: string, what: string): void {
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new Error(`${what} is no certificate: give its PEM text`, { cause });
  }
}
