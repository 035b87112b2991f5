/** Credentials out of HashiCorp Vault, over its HTTP API. */
import type { VaultSpec } from '../resources/trigger-authentication.ts';
import type { HttpAnswer } from '../trigger.ts';
import {
  type CredentialReader,
  type CredentialSettings,
  type Credentials,
  MissingCredential,
} from './credential-reader.ts';

type VaultSecret = VaultSpec['secrets'][number];

/** Vault has answered with a status of failure. */
class Refused extends MissingCredential {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

interface Login {
  readonly token: string;
  readonly expiresMs: number;
}
interface VaultAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly auth?: {
    readonly client_token?: string;
    readonly lease_duration?: number;
  } | null;
  readonly lease_duration?: number;
  readonly errors?: readonly string[];
  /** Where a path is of another kind than its engine, only they say so. */
  readonly warnings?: readonly string[] | null;
}

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
/** RFC 7519, signed: header, claims and signature, base64url each. */
const JWT = /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/;
/** How long an answer without a lease of its own is good for. */
const REFRESH_MS = 5 * 60_000;
/** Answers to a renewal that stay the same; others come while Vault is sealed, busy or changes its leader. */
const NOT_RENEWABLE: readonly number[] = [400, 403];
/** Part of a lease after which a new one is asked for. */
const LEASE_SHARE = 2 / 3;

/** Logs in where it has to, keeps tokens good as long as they are used, and reads secrets. */
export class VaultClient {
  readonly #reader: CredentialReader;
  readonly #settings: CredentialSettings;
  readonly #logins = new Map<string, Login>();
  /** When tokens that were given are to be renewed. */
  readonly #renewals = new Map<string, number>();

  constructor(reader: CredentialReader, settings: CredentialSettings) {
    this.#reader = reader;
    this.#settings = settings;
  }

  /**
   * @param home The namespace whose service account logs in.
   * @throws {MissingCredential} naming the path and key that are not there, or why there is no login.
   */
  async read(spec: VaultSpec, home: string): Promise<Credentials> {
    const key = keyOfLogin(spec, home);
    const isKept = this.#logins.has(key);
    try {
      return await this.#readSecrets(spec, await this.#token(spec, home));
    } catch (error) {
      if (!(error instanceof Refused && error.status === 403 && isKept)) throw error;
      this.#logins.delete(key); // A token that was good can be revoked before its time.
      return this.#readSecrets(spec, await this.#token(spec, home));
    }
  }

  async #readSecrets(spec: VaultSpec, token: string): Promise<Credentials> {
    const answers = new Map<string, Promise<VaultAnswer>>();
    const values = await Promise.all(
      spec.secrets.map(async (secret) => {
        const key = JSON.stringify([secret.type, secret.path, secret.pkiData]);
        const answer = answers.get(key) ?? this.#fetch(spec, token, secret);
        answers.set(key, answer);
        return [secret.parameter, valueIn(await answer, secret)] as const;
      }),
    );
    const leases = await Promise.all(answers.values());
    const expiresMs = this.#reader.now() + Math.min(...leases.map(leaseMs), REFRESH_MS);
    const renewMs = await this.#renew(spec, token);
    return { values: Object.fromEntries(values), expiresMs: Math.min(expiresMs, renewMs) };
  }

  /**
   * Renews a token that was given, where it is time; one that cannot be renewed is used as long as it lives.
   * @returns when it is time again.
   */
  async #renew(spec: VaultSpec, token: string): Promise<number> {
    if (spec.authentication !== 'token') return Number.POSITIVE_INFINITY;
    const key = JSON.stringify([spec.address, spec.namespace, token]);
    const now = this.#reader.now();
    const due = this.#renewals.get(key) ?? now;
    if (due > now) return due;
    const next = await this.#request(spec, token, 'auth/token/renew-self', {}).then(
      ({ auth }) => now + lifeMs(auth?.lease_duration),
      (error: unknown) => {
        const isFinal = error instanceof Refused && NOT_RENEWABLE.includes(error.status);
        return isFinal ? Number.POSITIVE_INFINITY : now + REFRESH_MS;
      },
    );
    this.#renewals.set(key, next);
    return next;
  }

  async #token(spec: VaultSpec, home: string): Promise<string> {
    if (spec.authentication === 'token') {
      const token = spec.credential?.token || this.#settings.vaultToken;
      if (token) return token;
      throw new MissingCredential(
        'hashiCorpVault: credential.token is missing, and VAULT_TOKEN too',
      );
    }
    const key = keyOfLogin(spec, home);
    const known = this.#logins.get(key);
    if (known !== undefined && known.expiresMs > this.#reader.now()) return known.token;
    const login = await this.#login(spec, home);
    this.#logins.set(key, login);
    return login.token;
  }

  async #login(spec: VaultSpec, home: string): Promise<Login> {
    const { role, mount } = spec;
    if (!role || !mount) {
      throw new MissingCredential('hashiCorpVault: kubernetes authentication needs role and mount');
    }
    const jwt = await this.#jwt(spec, home);
    const answer = await this.#request(spec, undefined, `auth/${mount}/login`, { role, jwt });
    const { client_token: token, lease_duration: seconds = 0 } = answer.auth ?? {};
    if (token === undefined) {
      throw new MissingCredential(`hashiCorpVault: the login at auth/${mount} gave no token`);
    }
    const goodMs = seconds > 0 ? seconds * 1000 * LEASE_SHARE : REFRESH_MS;
    return { token, expiresMs: this.#reader.now() + goodMs };
  }

  async #jwt({ credential }: VaultSpec, home: string): Promise<string> {
    if (credential?.serviceAccountName) {
      return (await this.#reader.serviceAccountToken(home, credential.serviceAccountName)).token;
    }
    const path = credential?.serviceAccount || SERVICE_ACCOUNT_TOKEN;
    const text = await this.#reader.file(path).catch((error: Error) => {
      throw new MissingCredential(
        `hashiCorpVault: the token ${path} cannot be read: ${error.message}`,
      );
    });
    // Whoever may write an authentication chooses both the file and who gets it.
    if (JWT.test(text.trim())) return text.trim();
    throw new MissingCredential(`hashiCorpVault: ${path} holds no token of a service account`);
  }

  async #fetch(
    spec: VaultSpec,
    token: string,
    { type, path, pkiData }: VaultSecret,
  ): Promise<VaultAnswer> {
    if (type !== 'pki') return this.#request(spec, token, path);
    return this.#request(spec, token, path, {
      common_name: pkiData?.commonName,
      alt_names: pkiData?.altNames,
      ip_sans: pkiData?.ipSans,
      uri_sans: pkiData?.uriSans,
      other_sans: pkiData?.otherSans,
      ttl: pkiData?.ttl,
      format: pkiData?.format,
    });
  }

  async #request(
    { address, namespace }: VaultSpec,
    token: string | undefined,
    path: string,
    body?: Readonly<Record<string, string | undefined>>,
  ): Promise<VaultAnswer> {
    const origin = `hashiCorpVault: ${path} at ${address}`;
    if (!URL.canParse(address)) throw new MissingCredential(`${origin}: the address is no URL`);
    const answer = await this.#reader.http
      .request(new URL(`${address.replace(/\/$/, '')}/v1/${path}`), {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'x-vault-request': 'true',
          ...(token !== undefined && { 'x-vault-token': token }),
          ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      })
      .catch((error: Error) => {
        throw new MissingCredential(`${origin} cannot be reached: ${error.message}`);
      });
    return parse(answer, origin);
  }
}

function keyOfLogin(spec: VaultSpec, home: string): string {
  const { address, namespace, mount, role, credential } = spec;
  return JSON.stringify([address, namespace, mount, role, home, credential]);
}

/** Where Vault itself gives no reason. */
const REASONS: Readonly<Record<number, string>> = {
  403: 'permission denied',
  404: 'there is nothing at this path',
};

function parse({ status, text }: HttpAnswer, origin: string): VaultAnswer {
  let answer: VaultAnswer = {};
  try {
    answer = (JSON.parse(text) as VaultAnswer | null) ?? {};
  } catch {
    if (status < 400)
      throw new MissingCredential(`${origin} answered with something that is no JSON`);
  }
  if (status >= 400) {
    const told = [...(answer.errors ?? []), ...(answer.warnings ?? [])].flatMap(split).join('; ');
    const reason = told || (REASONS[status] ?? 'it says nothing more');
    const message = `${origin} answered with status ${status}: ${reason}`;
    throw new Refused(message, status);
  }
  return answer;
}

/** The errors of one text: Vault puts several in a list with a heading, and also a single one. */
function split(text: string): readonly string[] {
  const [first = '', ...items] = text.split(/\n\s*\* /);
  return (items.length > 0 ? items : [first]).map((each) => each.trim());
}

/** The second version of the key-value engine wraps what it keeps in another `data`. */
function valueIn(answer: VaultAnswer, { type, path, key }: VaultSecret): string {
  const data = answer.data ?? {};
  const isWrapped = type !== 'pki' && isRecord(data['data']) && isRecord(data['metadata']);
  const found: unknown = (isWrapped ? (data['data'] as Record<string, unknown>) : data)[key];
  if (type === 'pki' && Array.isArray(found)) return found.join('\n');
  if (typeof found === 'string') return found;
  const what = found === undefined ? `has no key "${key}"` : `holds no text at "${key}"`;
  throw new MissingCredential(`hashiCorpVault: ${path} ${what}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** How long a token may be used before its renewal; one without an end needs none. */
function lifeMs(seconds = 0): number {
  return seconds > 0 ? seconds * 1000 * LEASE_SHARE : Number.POSITIVE_INFINITY;
}

function leaseMs({ lease_duration: seconds = 0 }: VaultAnswer): number {
  return seconds > 0 ? seconds * 1000 * LEASE_SHARE : REFRESH_MS;
}
