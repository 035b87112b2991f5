/** HTTP from this machine, through the proxies that its environment names. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, fetch, type Response } from 'undici';
import { TaskError } from '../../../engine/module.ts';
import { redacted } from './place.ts';

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 60_000;

let agent: Dispatcher | undefined;

function dispatcher(): Dispatcher {
  agent ??= new EnvHttpProxyAgent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });
  return agent;
}

/** Where a page leads, without going there; undefined where it leads nowhere. Throws TaskError. */
export async function redirectOf(url: string): Promise<string | undefined> {
  const answer = await ask(url, 'manual');
  await answer.body?.cancel();
  const isRedirect = answer.status >= 300 && answer.status < 400;
  if (isRedirect) return answer.headers.get('location') ?? undefined;
  if (answer.ok) return undefined;
  throw refusal(url, answer.status);
}

/** A small text. Throws TaskError. */
export function fetchText(url: string): Promise<string> {
  return insistently(url, async (answer) => await answer.text());
}

/** Writes what a URL gives to a file; gives its SHA-256. Throws TaskError. */
export function fetchFile(url: string, file: string): Promise<string> {
  return insistently(url, async (answer) => {
    const hash = createHash('sha256');
    const body = Readable.fromWeb(answer.body ?? new ReadableStream());
    body.on('data', (piece: Buffer) => hash.update(piece));
    await pipeline(body, createWriteStream(file));
    return hash.digest('hex');
  });
}

/** Tries again after a while what a moment may cure: broken connections, overload. */
async function insistently<T>(url: string, read: (answer: Response) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await once(url, read);
    if (!(outcome instanceof Fault)) return outcome;
    if (!outcome.mayPass || attempt === ATTEMPTS) throw outcome.error;
    await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
  }
}

class Fault {
  readonly error: TaskError;
  readonly mayPass: boolean;

  constructor(error: TaskError, mayPass: boolean) {
    this.error = error;
    this.mayPass = mayPass;
  }
}

async function once<T>(url: string, read: (answer: Response) => Promise<T>): Promise<T | Fault> {
  try {
    const answer = await ask(url, 'follow');
    if (answer.ok) return await read(answer);
    await answer.body?.cancel();
    return new Fault(refusal(url, answer.status), answer.status === 429 || answer.status >= 500);
  } catch (error) {
    return new Fault(failure(url, error), true);
  }
}

async function ask(url: string, redirect: 'follow' | 'manual'): Promise<Response> {
  try {
    return await fetch(url, { redirect, dispatcher: dispatcher() });
  } catch (error) {
    throw failure(url, error);
  }
}

function refusal(url: string, status: number): TaskError {
  return new TaskError(`${redacted(url)} cannot be fetched: HTTP status ${status}`, {
    result: { status },
    hint:
      status === 404
        ? 'is there such a version? does the mirror have the file?'
        : 'try again later, or use a mirror',
  });
}

function failure(url: string, error: unknown): TaskError {
  if (error instanceof TaskError) return error;
  const { message, cause } = error as Error & { cause?: unknown }; // What fetch and streams throw.
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return new TaskError(`${redacted(url)} cannot be fetched: ${reason}`, {
    result: { reason },
    hint: 'use a mirror (`mirrors`, `files_repo`) or a directory of files (`files_dir`)',
    cause: error,
  });
}
