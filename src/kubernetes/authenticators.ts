import { Buffer } from 'node:buffer';
import type { AgingText, Authenticator, Identity } from './credentials.ts';

/** A client certificate with its key, as PEM texts. */
export function certificateIdentity(cert: AgingText, key: AgingText): Authenticator {
  return {
    async authenticate() {
      return { headers: {}, cert: await cert.get(), key: await key.get() };
    },
    refuse() {
      cert.forget();
      key.forget();
    },
  };
}

/** A bearer token that may be exchanged while we run. */
export function tokenIdentity(token: AgingText): Authenticator {
  return {
    async authenticate() {
      return { headers: { authorization: `Bearer ${(await token.get()).trim()}` } };
    },
    refuse: () => token.forget(),
  };
}

/** A user and a password. */
export function basicIdentity(user: string, password: string): Authenticator {
  const words = Buffer.from(`${user}:${password}`).toString('base64');
  return fixedIdentity({ headers: { authorization: `Basic ${words}` } });
}

/** What never changes; without anything the server sees an anonymous user. */
export function fixedIdentity(identity: Identity): Authenticator {
  return { authenticate: async () => identity, refuse: () => undefined };
}

/** Several ways at once: a certificate beside a token, or the headers that ask to act as somebody else. */
export function joinIdentities(parts: readonly Authenticator[]): Authenticator {
  return {
    async authenticate() {
      const identities = await Promise.all(parts.map((part) => part.authenticate()));
      const headers = Object.assign({}, ...identities.map((each) => each.headers));
      return Object.assign({}, ...identities, { headers });
    },
    refuse() {
      for (const part of parts) part.refuse();
    },
  };
}
