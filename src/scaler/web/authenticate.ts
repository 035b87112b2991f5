/** Says who makes a request: the front proxy's user, the holder of a client certificate, or the owner of a token. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../../kubernetes/clock.ts';
import type { Changing } from '../changing.ts';
import { type AccessReviews, reviewSignal } from './access.ts';
import { AnswerCache } from './answer-cache.ts';
import { isSignedBy, type PeerCertificate, readPeerCertificate } from './peer-certificate.ts';
import { type AuthenticationSettings, type Identity, readIdentity } from './requestheader.ts';
import { unauthorized, unavailable } from './status.ts';

export interface AuthenticationTools {
  readonly settings: Changing<AuthenticationSettings>;
  readonly reviews: Pick<AccessReviews, 'reviewToken'>;
  readonly clock: Clock;
}

export type Authenticate = (request: IncomingMessage) => Promise<Identity>;

/** The certificate of a connection, and what it was worth when it was looked at. */
interface Client {
  readonly peer: PeerCertificate;
  readonly settings: AuthenticationSettings;
  readonly atMs: number;
  readonly isFrontProxy: boolean;
  readonly isClient: boolean;
}

/** Tokens may be revoked: an answer about one is believed this long (as API servers do). */
const TOKEN_LIFE_MS = 10_000;
/** Certificates end, also while their connection lasts. */
const CLIENT_LIFE_MS = 10_000;
const BEARER = /^bearer +(\S+) *$/i;
const ANONYMOUS = 'system:anonymous';
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';

/** Tries the front proxy, then the client certificate, then the token. Rejects with a StatusError 401 where none is good. */
export function makeAuthenticate({ settings, reviews, clock }: AuthenticationTools): Authenticate {
  const tokens = new AnswerCache<Identity | undefined>(TOKEN_LIFE_MS, clock);
  const clients = new WeakMap<TLSSocket, Client>();

  return async function authenticate(request) {
    const { socket } = request;
    const client = socket instanceof TLSSocket ? clientOf(socket) : undefined;
    const known = client && fromCertificate(client, request);
    const identity = known ?? (await fromToken(request));
    if (identity === undefined) {
      throw unauthorized(
        'no client certificate of a known authority and no valid bearer token (ask through the API server, or with a token of a service account)',
      );
    }
    return withAuthenticatedGroup(identity);
  };

  /** What the certificate of a connection is worth: looked at once in a while, not with every request. */
  function clientOf(socket: TLSSocket): Client | undefined {
    const old = clients.get(socket);
    const atMs = clock.monotonicMs();
    const isFresh = old && old.settings === settings.value && atMs - old.atMs < CLIENT_LIFE_MS;
    if (isFresh) return old;
    const peer = old?.peer ?? readPeerCertificate(socket);
    if (peer === undefined) return undefined;
    const client = { peer, settings: settings.value, atMs };
    const trusted = { ...client, ...judge(client, new Date(clock.wallMs())) };
    clients.set(socket, trusted);
    return trusted;
  }

  async function fromToken(request: IncomingMessage): Promise<Identity | undefined> {
    const [, token] = BEARER.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined) return undefined;
    const digest = createHash('sha256').update(token).digest('base64');
    try {
      return await tokens.get(digest, () => reviews.reviewToken(token, reviewSignal()));
    } catch (error) {
      throw unavailable('the API server did not say whose token this is', { cause: error });
    }
  }
}

/** Whether a certificate is one of a front proxy that may speak for others, or of a client of the cluster. */
function judge(
  { peer, settings: { frontProxy, clientCa } }: Pick<Client, 'peer' | 'settings'>,
  now: Date,
): Pick<Client, 'isFrontProxy' | 'isClient'> {
  const names = frontProxy?.allowedNames ?? [];
  const isNamed = names.length === 0 || names.includes(peer.commonName);
  return {
    isFrontProxy: frontProxy !== undefined && isNamed && isSignedBy(peer, frontProxy.ca, now),
    isClient: peer.commonName !== '' && isSignedBy(peer, clientCa, now),
  };
}

function fromCertificate(
  { peer, settings: { frontProxy }, isFrontProxy, isClient }: Client,
  { headersDistinct }: IncomingMessage,
): Identity | undefined {
  const spokenFor =
    isFrontProxy && frontProxy ? readIdentity(headersDistinct, frontProxy) : undefined;
  if (spokenFor !== undefined || !isClient) return spokenFor;
  const { commonName: username, organizations: groups } = peer;
  return { username, groups, extra: {}, isFromFrontProxy: false };
}

/** Everybody who is known belongs to it; anonymous requests that the front proxy passes on do not. */
function withAuthenticatedGroup(identity: Identity): Identity {
  const { username, groups } = identity;
  const isDecided = groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  if (username === ANONYMOUS || isDecided) return identity;
  return { ...identity, groups: [...groups, AUTHENTICATED] };
}
