/** Errors of an API server, as Kubernetes clients understand them. */

/** An error with a place in the answer: HTTP code, one-word reason of Kubernetes, sentence for people. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.reason = reason;
  }
}

/** The object that Kubernetes clients expect in place of what they asked for (meta/v1 Status). */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly code: number;
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function unauthorized(message: string): StatusError {
  return new StatusError(401, 'Unauthorized', message);
}

export function forbidden(message: string): StatusError {
  return new StatusError(403, 'Forbidden', message);
}

export function notFound(message: string): StatusError {
  return new StatusError(404, 'NotFound', message);
}

/** No answer in time: the caller may try again. */
export function timedOut(message: string): StatusError {
  return new StatusError(504, 'Timeout', message);
}

/** Nobody can answer just now: the caller may try again. */
export function unavailable(message: string, options?: ErrorOptions): StatusError {
  return new StatusError(503, 'ServiceUnavailable', message, options);
}

/** Any error as a StatusError: what is none of ours is an internal error with its own message. */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StatusError(500, 'InternalError', message, { cause: error });
}

export function renderStatus({ code, reason, message }: StatusError): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  };
}
