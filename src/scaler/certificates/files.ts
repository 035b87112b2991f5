/** Certificates that somebody else puts into files: read at the start, and again whenever they change. */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InvalidInput } from '../../shared/errors.ts';
import type { Changing } from '../changing.ts';
import type { TlsCredentials } from './material.ts';
import { type Repetition, repeat } from './repeat.ts';

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** Absent: the authorities that Node trusts. */
  readonly ca?: string | undefined;
}

/** Files of mounted Secrets change by a link that is moved, which no watch of the file sees: they are read. */
const CHECK_MS = 10_000;

/** Reads the files. Rejects with InvalidInput where they are no certificate with its key. */
export async function readCertificateFiles(files: CertificateFiles): Promise<TlsCredentials> {
  const [cert, key, ca] = await Promise.all([
    read(files.cert),
    read(files.key),
    files.ca === undefined ? '' : read(files.ca),
  ]);
  if (!isPair(cert, key)) {
    throw InvalidInput.at(
      undefined,
      `${files.key} is not the key of the certificate in ${files.cert}`,
      'give both as PEM files of the same pair, the key without a passphrase',
    );
  }
  return { cert, key, ca };
}

/**
 * Hands on what changed in the files until `signal` aborts. A pair that does not fit together (files that are
 * being written) leaves the old one in use.
 */
export function watchCertificateFiles(
  files: CertificateFiles,
  credentials: Changing<TlsCredentials>,
  watching: Omit<Repetition, 'everyMs'>,
  signal: AbortSignal,
): Promise<void> {
  const reload = () => reloadCertificateFiles(files, credentials);
  return repeat(reload, { ...watching, everyMs: CHECK_MS }, signal);
}

/** One look at the files. */
export async function reloadCertificateFiles(
  files: CertificateFiles,
  credentials: Changing<TlsCredentials>,
): Promise<void> {
  const { cert, key, ca } = await readCertificateFiles(files);
  const old = credentials.value;
  if (old.cert !== cert || old.key !== key || old.ca !== ca) credentials.set({ cert, key, ca });
}

async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw InvalidInput.at(undefined, `${path} cannot be read: ${error.code ?? error.message}`);
  });
}

function isPair(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
