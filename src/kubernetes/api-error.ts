/** The part of a Status object that says why. */
interface Status {
  readonly kind?: unknown;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly retryAfterSeconds?: number };
}

/** The API server answered a request with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The status of HTTP. */
  readonly code: number;
  /** One word of Kubernetes, such as `NotFound`, `Conflict`, `AlreadyExists`, `Expired`; empty where it gave none. */
  readonly reason: string;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(code: number, reason: string, message: string, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /**
   * The error of an answer.
   * @param request Method and path, for answers that say nothing of themselves.
   */
  static of(request: string, code: number, body: string, retryAfter: string | undefined): ApiError {
    const status = parseStatus(body);
    const seconds = Number(retryAfter ?? status?.details?.retryAfterSeconds ?? Number.NaN);
    const message =
      status?.message || `${request} was answered with ${code}: ${body.slice(0, 200).trim()}`;
    const retryAfterMs = seconds >= 0 ? seconds * 1000 : undefined;
    return new ApiError(code, status?.reason ?? '', message, retryAfterMs);
  }
}

/** No answer came from the API server: it is down, too slow, or the connection broke. */
export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable';
}

/** Whether an error says that the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** Whether an error says that somebody else has written the object meanwhile (or, when creating, has made it). */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409;
}

/** Whether an error says that a resource version is too old to go on from. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Expired');
}

function parseStatus(body: string): Status | undefined {
  try {
    const value = JSON.parse(body) as Status | null;
    return value?.kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}
