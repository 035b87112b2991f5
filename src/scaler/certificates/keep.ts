/** Keeps certificates in a Secret: makes them, renews them before they end, agrees with others that do the same. */

import { type Clock, sleep } from '../../kubernetes/clock.ts';
import type { Changing } from '../changing.ts';
import { issueCertificate, makeAuthority } from './make.ts';
import {
  type CertificateMaterial,
  parseSecretData,
  renderSecretData,
  type TlsCredentials,
} from './material.ts';
import {
  type CertificatePlan,
  isTrusted,
  planCertificates,
  readBundle,
  type Wanted,
} from './plan.ts';
import { repeat } from './repeat.ts';

/** The Secret; its data is decoded. */
export interface CertificateStore {
  /** Where it is, for messages: `Secret <namespace>/<name>`. */
  readonly place: string;
  /** Undefined where there is none. */
  read(signal: AbortSignal): Promise<StoredCertificates | undefined>;
  /** False where somebody else has made it meanwhile. */
  create(data: Readonly<Record<string, string>>, signal: AbortSignal): Promise<boolean>;
  /** False where somebody else has written it since it was read. */
  replace(
    data: Readonly<Record<string, string>>,
    resourceVersion: string,
    signal: AbortSignal,
  ): Promise<boolean>;
}

export interface StoredCertificates {
  readonly data: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
}

/** The certificates in the Secret cannot be used, and are not ours to replace. */
export class ForeignCertificates extends Error {
  override readonly name = 'ForeignCertificates';
}

/** A Secret that others keep writing is somebody's mistake, not a race. */
const MAX_ATTEMPTS = 10;
/** How often the Secret is read again: another replica may have renewed what is in it. */
const CHECK_MS = 60_000;
/** Longer than that: by then every other process trusts the authorities of the Secret, and so does the API server. */
const SETTLE_MS = 90_000;

/**
 * The certificates of the Secret, made or renewed where they must be. Where two do this at once, both end with
 * what the first of them wrote.
 */
export async function ensureCertificates(
  store: CertificateStore,
  wanted: Wanted,
  now: Date,
  signal: AbortSignal,
): Promise<CertificateMaterial> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await store.read(signal);
    const existing = stored && parseSecretData(stored.data);
    const plan = planCertificates(existing, wanted, now);
    if (plan.action === 'refuse') throw refuse(store.place, plan.reason);
    if (plan.action === 'keep' && existing !== undefined) return existing;

    const material = await carryOut(plan, existing, wanted, now);
    const data = { ...stored?.data, ...renderSecretData(material) };
    const isWritten =
      stored === undefined
        ? await store.create(data, signal)
        : await store.replace(data, stored.resourceVersion, signal);
    if (isWritten) return material;
  }
  throw new Error(
    `${store.place} was written by somebody else ${MAX_ATTEMPTS} times in a row (find out who, or give the certificate as files)`,
  );
}

export interface Keeping {
  readonly store: CertificateStore;
  readonly wanted: Wanted;
  readonly clock: Clock;
  /** What servers and clients use; replaced when the Secret holds something else. */
  readonly credentials: Changing<TlsCredentials>;
  /** Publishes the authorities, before anything is served that only the new ones have signed. */
  readonly publish: (authorities: string, signal: AbortSignal) => Promise<void>;
  /** What kept one round from its end; the next is tried all the same. */
  readonly onError: (error: unknown) => void;
}

/** Reads the Secret again and again until `signal` aborts, renews in time, and hands on what changed. */
export function keepCertificates(keeping: Keeping, signal: AbortSignal): Promise<void> {
  const { clock, onError } = keeping;
  const renew = () => renewCertificates(keeping, signal);
  return repeat(renew, { clock, everyMs: CHECK_MS, onError }, signal);
}

/**
 * One round of `keepCertificates`. Publishes every time: somebody may have changed the registration. A new authority
 * is trusted here and made known everywhere for a while before a certificate of it is shown.
 */
export async function renewCertificates(keeping: Keeping, signal: AbortSignal): Promise<void> {
  const { store, wanted, clock, credentials, publish } = keeping;
  const now = new Date(clock.wallMs());
  const { ca, cert, key } = await ensureCertificates(store, wanted, now, signal);
  await publish(ca, signal);
  const old = credentials.value;
  if (old.ca !== ca && isTrusted(old.cert, ca)) {
    credentials.set({ ...old, ca });
    await sleep(clock, SETTLE_MS, signal);
  }
  if (old.cert !== cert || old.key !== key || old.ca !== ca) credentials.set({ ca, cert, key });
}

async function carryOut(
  plan: Exclude<CertificatePlan, { action: 'refuse' }>,
  existing: CertificateMaterial | undefined,
  { names, lifetimes }: Wanted,
  now: Date,
): Promise<CertificateMaterial> {
  if (plan.action === 'issue' && existing?.caKey !== undefined) {
    const authority = { cert: plan.authority, key: existing.caKey };
    return { ...existing, ...(await issueCertificate(authority, names, now, lifetimes)) };
  }
  const authority = await makeAuthority(now, lifetimes);
  const trusted = plan.action === 'make' ? plan.trusted : [];
  const ca = readBundle([authority.cert, ...trusted].join('\n')).join('');
  const leaf = await issueCertificate(authority, names, now, lifetimes);
  return { ...leaf, ca, caKey: authority.key };
}

function refuse(place: string, reason: string): ForeignCertificates {
  return new ForeignCertificates(
    `${place} cannot be used: ${reason} (it has no ca.key, so somebody else makes it: have it renewed there, or delete it and the operator makes its own)`,
  );
}
