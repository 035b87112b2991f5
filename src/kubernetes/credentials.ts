import type { Duplex } from 'node:stream';
import type { Clock } from './clock.ts';

/** What connections are made with. Texts are PEM. */
export interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must have, where it is not that of the URL. */
  readonly servername?: string;
  /** False: any certificate will do. */
  readonly rejectUnauthorized?: boolean;
}

/** Headers by their names in small letters; one that has several values is sent once for each. */
type Headers = Readonly<Record<string, string | readonly string[]>>;

/** What a request carries to be known to the API server. */
export interface Credentials {
  readonly headers: Headers;
  /** The same object as long as nothing in it changed, so that connections can be kept. */
  readonly tls: Tls;
}

/** Opens a TCP stream to an address, wherever it is looked for from. */
export type Dial = (to: { readonly host: string; readonly port: number }) => Promise<Duplex>;

/** Where the API server is, and who we are there. */
export interface ClusterAccess {
  readonly server: URL;
  /** The namespace of the context, or that of the pod we run in. */
  readonly namespace: string | undefined;
  /** A proxy that the kubeconfig names; those of the environment are not looked at then. */
  readonly proxy: URL | undefined;
  /** What the proxy alone is sent. */
  readonly proxyHeaders?: Readonly<Record<string, string>>;
  /** How connections are made, to the proxy too, where that is not this machine's to do. No proxy of its environment then. */
  readonly dial?: Dial | undefined;
  /** Asked before each request; reads files or runs a plugin only where what it had is used up. */
  credentials(): Promise<Credentials>;
  /** Forgets credentials that the server refused. */
  refuse(): void;
}

/** One way to be known: gives headers and, where it has its own, a certificate with its key. */
export interface Authenticator {
  authenticate(): Promise<Identity>;
  refuse(): void;
}

export interface Identity {
  readonly headers: Headers;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Files are read again after this long: bound tokens are exchanged well before they expire. */
const FILE_AGE_MS = 60_000;

/** Reads a text at most once a minute, sooner after `forget`. */
export class AgingText {
  readonly #read: () => Promise<string>;
  readonly #clock: Clock;
  #text: Promise<string> | undefined;
  #readAtMs = 0;

  constructor(read: () => Promise<string>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** The text. One that can no longer be read stays as it was until it is forgotten. */
  get(): Promise<string> {
    const nowMs = this.#clock.monotonicMs();
    const old = this.#text;
    if (old !== undefined && nowMs - this.#readAtMs < FILE_AGE_MS) return old;
    this.#readAtMs = nowMs;
    this.#text = this.#read().catch((error) => {
      if (old !== undefined) return old;
      this.#text = undefined;
      throw error;
    });
    return this.#text;
  }

  forget(): void {
    this.#text = undefined;
  }
}

/** Puts the parts of an access together: authorities, own certificate, headers. */
export class CredentialSource {
  readonly #fixed: Tls;
  readonly #authority: AgingText | undefined;
  readonly #authenticator: Authenticator;
  #tls: Tls | undefined;

  constructor(fixed: Tls, authority: AgingText | undefined, authenticator: Authenticator) {
    this.#fixed = fixed;
    this.#authority = authority;
    this.#authenticator = authenticator;
  }

  async credentials(): Promise<Credentials> {
    const [ca, { headers, cert, key }] = await Promise.all([
      this.#authority?.get(),
      this.#authenticator.authenticate(),
    ]);
    const old = this.#tls;
    if (old !== undefined && old.ca === ca && old.cert === cert && old.key === key) {
      return { headers, tls: old };
    }
    this.#tls = {
      ...this.#fixed,
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
    return { headers, tls: this.#tls };
  }

  refuse(): void {
    this.#authority?.forget();
    this.#authenticator.refuse();
  }
}
