/** Makes certificates: an authority, and certificates of it that serve both ends of a connection. EC P-256. */
import { randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type CertificateField, generate } from 'selfsigned';
import type { CertificateMaterial } from './material.ts';

/** How long what is made lives, and how long before its end it is made anew. Milliseconds. */
export interface Lifetimes {
  readonly authorityMs: number;
  readonly renewAuthorityBeforeMs: number;
  readonly certificateMs: number;
  readonly renewCertificateBeforeMs: number;
}

const DAY_MS = 86_400_000;

/** An authority for ten years, certificates for one, renewed 90 days before their end (as OPA's cert-controller). */
export const DEFAULT_LIFETIMES: Lifetimes = {
  authorityMs: 3650 * DAY_MS,
  renewAuthorityBeforeMs: 400 * DAY_MS,
  certificateMs: 365 * DAY_MS,
  renewCertificateBeforeMs: 90 * DAY_MS,
};

/** Clocks differ: what is made now was valid a little earlier already. */
const BACKDATE_MS = 300_000;
const OPTIONS = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

export interface Authority {
  readonly cert: string;
  readonly key: string;
}

/** Makes an authority. Its name is its own: two of them in one bundle are never taken for each other. */
export async function makeAuthority(now: Date, lifetimes: Lifetimes): Promise<Authority> {
  const made = await generate(
    subject(`tsprov-scaler authority ${randomBytes(6).toString('hex')}`),
    {
      ...OPTIONS,
      notBeforeDate: before(now),
      notAfterDate: after(now, lifetimes.authorityMs),
      extensions: [
        { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    },
  );
  return { cert: made.cert, key: made.private };
}

/**
 * Makes a certificate for all of `names` (DNS names and addresses), for servers and for clients. It never
 * outlives its authority.
 */
export async function issueCertificate(
  authority: Authority,
  names: readonly string[],
  now: Date,
  lifetimes: Lifetimes,
): Promise<Pick<CertificateMaterial, 'cert' | 'key'>> {
  const last = Date.parse(new X509Certificate(authority.cert).validTo);
  const made = await generate(subject('tsprov-scaler'), {
    ...OPTIONS,
    ca: authority,
    notBeforeDate: before(now),
    notAfterDate: new Date(Math.min(last, after(now, lifetimes.certificateMs).getTime())),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) =>
          isIP(name) === 0 ? { type: 2 as const, value: name } : { type: 7 as const, ip: name },
        ),
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}

function subject(commonName: string): CertificateField[] {
  return [
    { name: 'commonName', value: commonName },
    { name: 'organizationName', value: 'tsprov' },
  ];
}

function before(now: Date): Date {
  return new Date(now.getTime() - BACKDATE_MS);
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
