import { ApiError, ApiUnreachable } from './api-error.ts';
import { type Backoff, exponentialBackoff, type Random } from './backoff.ts';

/** How often an answer "not now" is waited for. */
const MOST_WAITS = 10;
/** How often a read whose connection broke is sent again. */
const MOST_RESETS = 3;
/** What a server that names no time is left alone for. */
const DEFAULT_WAIT_MS = 1000;
const RESETS = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Says for one request after which errors, and when, it is sent again. */
export class Patience {
  readonly #isRead: boolean;
  readonly #random: Random;
  readonly #backoff: Backoff;
  #waits = 0;
  #resets = 0;
  #refusals = 0;

  constructor(isRead: boolean, random: Random) {
    this.#isRead = isRead;
    this.#random = random;
    this.#backoff = exponentialBackoff(100, 2000, random);
  }

  /** How long to wait before the request is sent again; undefined: the error stands. */
  delayMs(error: unknown): number | undefined {
    if (error instanceof ApiError) return this.#afterAnswer(error);
    if (!this.#isRead || !isReset(error) || this.#resets >= MOST_RESETS) return undefined;
    this.#resets += 1;
    return this.#backoff(this.#resets);
  }

  #afterAnswer({ code, retryAfterMs }: ApiError): number | undefined {
    if (code === 401) {
      this.#refusals += 1;
      return this.#refusals === 1 ? 0 : undefined;
    }
    const isNotNow = code === 429 || (code === 503 && retryAfterMs !== undefined);
    if (!isNotNow || this.#waits >= MOST_WAITS) return undefined;
    this.#waits += 1;
    // A little longer than asked for, so that those who were refused together do not return together.
    return Math.max(retryAfterMs ?? DEFAULT_WAIT_MS, 100) * (1 + this.#random() / 4);
  }
}

/** The code of a system error; empty where there is none. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isReset(error: unknown): boolean {
  return error instanceof ApiUnreachable && RESETS.has(codeOf(error.cause));
}
