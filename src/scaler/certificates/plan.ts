/** Decides what becomes of the certificates in the Secret. Pure: the time is given. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Lifetimes } from './make.ts';
import type { CertificateMaterial } from './material.ts';

export type CertificatePlan =
  /** All is well until then. */
  | { readonly action: 'keep'; readonly until: Date }
  /** A certificate of the authority that there is. */
  | { readonly action: 'issue'; readonly reason: string; readonly authority: string }
  /** An authority and a certificate; those in `trusted` stay in the bundle beside it until they end. */
  | { readonly action: 'make'; readonly reason: string; readonly trusted: readonly string[] }
  /** Somebody else's certificates are unusable: not ours to replace. */
  | { readonly action: 'refuse'; readonly reason: string };

export interface Wanted {
  /** DNS names and addresses that the certificate must be valid for. */
  readonly names: readonly string[];
  readonly lifetimes: Lifetimes;
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** What has to be done so that `existing` serves `names` at `now`. A Secret without the authority's key is never rewritten. */
export function planCertificates(
  existing: CertificateMaterial | undefined,
  { names, lifetimes }: Wanted,
  now: Date,
): CertificatePlan {
  if (existing === undefined) return make('there are no certificates yet');
  const authorities = readBundle(existing.ca);
  const problem = findLeafProblem(existing, names, now);
  if (existing.caKey === undefined) return planForeign(existing, problem, now);

  const authority = findAuthority(authorities, existing.caKey);
  const trusted = authorities.filter((each) => isValidAt(each, now)).map(String);
  if (authority === undefined) return make('no authority in ca.crt belongs to ca.key', trusted);
  const authorityEnds = endOf(authority) - lifetimes.renewAuthorityBeforeMs;
  if (!isValidAt(authority, now)) return make('the authority is not valid now', trusted);
  if (now.getTime() >= authorityEnds) return make('the authority ends soon', trusted);

  const issue = (reason: string) =>
    ({ action: 'issue', reason, authority: authority.toString() }) as const;
  if (problem !== undefined) return issue(problem);
  const leafEnds = endOf(new X509Certificate(existing.cert)) - lifetimes.renewCertificateBeforeMs;
  if (now.getTime() >= leafEnds) return issue('the certificate ends soon');
  return { action: 'keep', until: new Date(Math.min(leafEnds, authorityEnds)) };
}

/** The certificates of a bundle in their order; what is no certificate is left out. */
export function readBundle(pem: string): readonly X509Certificate[] {
  return (pem.match(PEM) ?? []).flatMap((text) => parseCertificate(text) ?? []);
}

/** Whether a certificate is valid at a time, by its own dates. */
export function isValidAt(certificate: X509Certificate, now: Date): boolean {
  return Date.parse(certificate.validFrom) <= now.getTime() && now.getTime() < endOf(certificate);
}

/** Whether a certificate, or one of those that follow it in the text, is signed by an authority of a bundle. */
export function isTrusted(cert: string, bundle: string): boolean {
  const authorities = readBundle(bundle);
  return readBundle(cert).some((each) => authorities.some((issuer) => isIssuedBy(each, issuer)));
}

function make(reason: string, trusted: readonly string[] = []): CertificatePlan {
  return { action: 'make', reason, trusted };
}

function planForeign(
  { cert }: CertificateMaterial,
  problem: string | undefined,
  now: Date,
): CertificatePlan {
  if (problem !== undefined) return { action: 'refuse', reason: problem };
  const end = endOf(new X509Certificate(cert));
  return { action: 'keep', until: new Date(Math.max(end, now.getTime())) };
}

/** Why the certificate cannot be served now, if so. */
function findLeafProblem(
  { ca, cert, key }: CertificateMaterial,
  names: readonly string[],
  now: Date,
): string | undefined {
  const leaf = readBundle(cert)[0];
  const privateKey = parseKey(key);
  if (leaf === undefined) return 'tls.crt holds no certificate';
  if (privateKey === undefined || !leaf.checkPrivateKey(privateKey)) {
    return 'tls.key is not the key of tls.crt';
  }
  if (!isValidAt(leaf, now)) return 'the certificate is not valid now';
  const missing = names.filter((name) => !isFor(leaf, name));
  if (missing.length > 0) return `the certificate is not for ${missing.join(', ')}`;
  return isTrusted(cert, ca) ? undefined : 'no authority in ca.crt signed the certificate';
}

function isFor(certificate: X509Certificate, name: string): boolean {
  const found =
    isIP(name) === 0
      ? certificate.checkHost(name, { subject: 'never' })
      : certificate.checkIP(name);
  return found !== undefined;
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function findAuthority(
  authorities: readonly X509Certificate[],
  caKey: string,
): X509Certificate | undefined {
  const key = parseKey(caKey);
  return key && authorities.find((each) => each.ca && each.checkPrivateKey(key));
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function parseKey(pem: string): ReturnType<typeof createPrivateKey> | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function endOf(certificate: X509Certificate): number {
  return Date.parse(certificate.validTo);
}
