/** Whether a client's certificate leads to one of the given authorities, beyond what TLS itself has checked. */
import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { isValidAt, readBundle } from '../certificates/plan.ts';

/** The certificate that the client showed. */
export interface PeerCertificate {
  /** The client's own first, those that lead to an authority after it. */
  readonly chain: readonly X509Certificate[];
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const MAX_CHAIN = 10;

/**
 * The client's certificate, or undefined where it showed none, or one that TLS found wanting: not signed by any
 * authority of the server, out of date, not meant for clients.
 */
export function readPeerCertificate(socket: TLSSocket): PeerCertificate | undefined {
  if (!socket.authorized) return undefined;
  const leaf = socket.getPeerCertificate(true);
  if (leaf?.raw === undefined) return undefined;
  return {
    chain: readChain(leaf),
    commonName: [leaf.subject.CN ?? ''].flat()[0] ?? '',
    organizations: [leaf.subject.O ?? []].flat(),
  };
}

/** Whether the chain leads to an authority of `bundle`: TLS has checked it against all that the server knows. */
export function isSignedBy({ chain }: PeerCertificate, bundle: string, now: Date): boolean {
  const roots = readBundle(bundle).filter((each) => each.ca && isValidAt(each, now));
  const [leaf, ...others] = chain;
  let current = leaf;
  for (let depth = 0; current !== undefined && depth < MAX_CHAIN; depth++) {
    const below = current;
    if (roots.some((root) => isIssuedBy(below, root))) return true;
    current = others.find((each) => each.ca && isValidAt(each, now) && isIssuedBy(below, each));
  }
  return false;
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function readChain(leaf: DetailedPeerCertificate): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let current: DetailedPeerCertificate | undefined = leaf;
  while (current?.raw !== undefined && chain.length < MAX_CHAIN) {
    chain.push(new X509Certificate(current.raw));
    // A root is its own issuer.
    current = current.issuerCertificate === current ? undefined : current.issuerCertificate;
  }
  return chain;
}
