/** Gives the certificates that servers and clients of this process use, and keeps them good while it runs. */

import type { ApiClient } from '../../kubernetes/api-client.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import { Changing } from '../changing.ts';
import { publishAuthorities, type Registration } from './api-service.ts';
import { type CertificateFiles, readCertificateFiles, watchCertificateFiles } from './files.ts';
import { ensureCertificates, keepCertificates } from './keep.ts';
import { DEFAULT_LIFETIMES, type Lifetimes } from './make.ts';
import type { TlsCredentials } from './material.ts';
import { makeSecretStore, type SecretPlace } from './secret-store.ts';

/** Where the certificates come from: files of somebody else's, or a Secret that we keep. */
export type CertificateSource =
  | { readonly kind: 'files'; readonly files: CertificateFiles }
  | {
      readonly kind: 'secret';
      readonly secret: SecretPlace;
      /** DNS names and addresses that the certificate is for. */
      readonly names: readonly string[];
      readonly lifetimes?: Lifetimes;
    };

export interface Opening {
  readonly client: ApiClient;
  readonly source: CertificateSource;
  /** The registration that is told our authorities; absent: none is. */
  readonly registration?: Registration | undefined;
  readonly clock: Clock;
  /** Told what goes wrong later; it is tried again. */
  readonly onProblem: (error: unknown) => void;
}

type Publish = (authorities: string, signal: AbortSignal) => Promise<void>;

/**
 * Reads or makes the certificates, publishes their authorities, and goes on until the signal aborts. Rejects where
 * there are none to use; an APIService that cannot be written is only a problem: all else works without it.
 */
export async function openCredentials(
  opening: Opening,
  signal: AbortSignal,
): Promise<Changing<TlsCredentials>> {
  const { client, source, registration, onProblem } = opening;
  const publish: Publish = async (authorities, until) => {
    if (registration === undefined || authorities === '') return;
    await publishAuthorities(client, registration, authorities, until);
  };
  const credentials =
    source.kind === 'files'
      ? await openFiles(source.files, opening, publish, signal)
      : await openSecret(source, opening, publish, signal);
  await publish(credentials.value.ca, signal).catch(onProblem);
  return credentials;
}

async function openFiles(
  files: CertificateFiles,
  { clock, onProblem }: Opening,
  publish: Publish,
  signal: AbortSignal,
): Promise<Changing<TlsCredentials>> {
  const credentials = new Changing(await readCertificateFiles(files));
  credentials.onChange(({ ca }) => void publish(ca, signal).catch(onProblem));
  void watchCertificateFiles(files, credentials, { clock, onError: onProblem }, signal);
  return credentials;
}

async function openSecret(
  source: Extract<CertificateSource, { kind: 'secret' }>,
  { client, clock, onProblem }: Opening,
  publish: Publish,
  signal: AbortSignal,
): Promise<Changing<TlsCredentials>> {
  const { secret, names, lifetimes = DEFAULT_LIFETIMES } = source;
  const store = makeSecretStore(client, secret);
  const wanted = { names, lifetimes };
  const { ca, cert, key } = await ensureCertificates(
    store,
    wanted,
    new Date(clock.wallMs()),
    signal,
  );
  const credentials = new Changing<TlsCredentials>({ ca, cert, key });
  const keeping = { store, wanted, clock, credentials, publish, onError: onProblem };
  void keepCertificates(keeping, signal);
  return credentials;
}

/** The names by which a Service is called in a cluster, shortest first. */
export function serviceNames(
  service: string,
  namespace: string,
  clusterDomain: string,
): readonly string[] {
  const local = `${service}.${namespace}.svc`;
  return [service, `${service}.${namespace}`, local, `${local}.${clusterDomain}`];
}
