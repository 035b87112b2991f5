/** Asking a source through its client library: failures as sentences, aborts, nothing secret told. */

/** Who is asked, as errors name it, and what they must not show. */
export interface Source {
  /** E.g. `PostgreSQL at db:5432`. */
  readonly label: string;
  readonly secrets: readonly (string | undefined)[];
}

/** How long a connection may take, where the trigger has no timeout of its own. */
export const CONNECT_TIMEOUT_MS = 10_000;

const CURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: check host and port, and that the server runs',
  ENOTFOUND: 'there is no such host: check its name',
  EAI_AGAIN: 'names cannot be resolved now: check the host and the DNS of the cluster',
  ETIMEDOUT: 'no answer came in time: check host, port and network policies',
  EHOSTUNREACH: 'there is no way to this host: check the address and network policies',
  SELF_SIGNED_CERT_IN_CHAIN: 'give the authority that signed the certificate as ca',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'give the authority that signed the certificate as ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'give the authority that signed the certificate as ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use the host name that the certificate is made for',
};

/**
 * Does `work`. Where `signal` aborts first, `cancel` ends the work and the signal's reason is thrown.
 * @throws {Error} of `describeFailure` where the work fails.
 */
export async function askSource<T>(
  source: Source,
  work: () => Promise<T>,
  signal?: AbortSignal,
  cancel?: () => void,
): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await (signal === undefined ? work() : unlessAborted(work, signal, cancel));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw describeFailure(source, error);
  }
}

/**
 * Does `work`, which connects; `cancel` ends it where no answer comes in time.
 * @throws {Error} of `describeFailure` where the work fails or takes longer than `timeoutMs`.
 */
export async function openSource<T>(
  source: Source,
  work: () => Promise<T>,
  cancel: () => void,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await askSource(source, work, signal, cancel);
  } catch (error) {
    if (error !== signal.reason) throw error;
    throw new Error(`${source.label}: no answer came within ${timeoutMs / 1000} s`);
  }
}

/** Says who failed, why, and the cure where it is known. Without a `cause`: that may hold what is secret. */
export function describeFailure({ label, secrets }: Source, error: unknown): Error {
  const { message, code } = rootOf(error);
  const cure = CURES[code ?? ''] ?? CURES[/\bE[A-Z]{4,}\b/.exec(message)?.[0] ?? ''];
  const text = `${label}: ${message}${cure === undefined ? '' : ` (${cure})`}`;
  return new Error(maskSecrets(text, secrets));
}

/** Replaces each secret by `***`, also where it is written as in a URL. */
export function maskSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const forms = secrets
    .filter((secret) => secret !== undefined && secret !== '')
    .flatMap((secret) => [secret as string, encodeURIComponent(secret as string)]);
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, form) => masked.replaceAll(form, '***'), text);
}

function unlessAborted<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  cancel: (() => void) | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      cancel?.();
    };
    signal.addEventListener('abort', abort, { once: true });
    const settle = () => signal.removeEventListener('abort', abort);
    work().finally(settle).then(resolve, reject);
  });
}

/** Of several attempts, as at each address of a name, the first that failed. */
function rootOf(error: unknown): { readonly message: string; readonly code: string | undefined } {
  const first = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  if (!(first instanceof Error)) return { message: String(first), code: undefined };
  const { code } = first as NodeJS.ErrnoException;
  return { message: first.message || code || first.name, code };
}
