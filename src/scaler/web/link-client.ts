/** The side of the link that asks: one question to the operator for each request of the metrics API. */
import { Agent, request } from 'undici';
import { exponentialBackoff } from '../../kubernetes/backoff.ts';
import { sleep, systemClock } from '../../kubernetes/clock.ts';
import type { TlsCredentials } from '../certificates/material.ts';
import type { Changing } from '../changing.ts';
import { LINK_PATH, type LinkAnswer, type LinkQuestion } from './link.ts';
import type { AnswerMetric } from './metrics-api.ts';
import { type Status, StatusError } from './status.ts';

export interface LinkClientOptions {
  /** Of the operator, such as `https://scaler-operator.tsprov-scaler.svc:9666`. */
  readonly url: URL;
  /** The name that the operator's certificate must have, where it is not that of the URL. */
  readonly serverName?: string | undefined;
  readonly credentials: Changing<TlsCredentials>;
  /** For an answer, all attempts together. Default: 3 s. */
  readonly deadlineMs?: number;
  /** Asks once: somebody else can answer. */
  readonly isImpatient?: boolean;
}

export interface LinkClient {
  readonly answer: AnswerMetric;
  close(): Promise<void>;
}

const DEADLINE_MS = 3000;
const CONNECT_TIMEOUT_MS = 2000;
const backoff = exponentialBackoff(250, 2000);

/** Nobody answered: whoever comes to the address next may. */
class NoAnswer extends Error {}

/** Nobody has answered at the address, or nobody who may: the caller may try again. */
export class NobodyAnswered extends StatusError {
  constructor(message: string) {
    super(504, 'Timeout', message);
  }
}

/** Connects when the first question is asked. Certificates are exchanged as they change. */
export function connectLink(options: LinkClientOptions): LinkClient {
  const { url, credentials, deadlineMs = DEADLINE_MS, isImpatient = false } = options;
  let agent = makeAgent(options);
  const end = credentials.onChange(() => {
    // Requests that run end on the old connections.
    agent.close().catch(() => {});
    agent = makeAgent(options);
  });
  return {
    async answer(namespace, metric, scaledObject, signal) {
      const late = AbortSignal.timeout(deadlineMs);
      const question = { namespace, metric, scaledObject };
      const target = new URL(LINK_PATH, url);
      const attempt = () => ask(agent, target, question, AbortSignal.any([signal, late]));
      try {
        return await (isImpatient ? attempt() : persist(attempt, AbortSignal.any([signal, late])));
      } catch (error) {
        if (error instanceof StatusError || signal.aborted) throw error;
        const why = error instanceof NoAnswer ? `: ${error.message}` : '';
        throw new NobodyAnswered(
          `the operator at ${url.host} did not answer within ${deadlineMs} ms${why}`,
        );
      }
    },
    async close() {
      end();
      await agent.close();
    },
  };
}

/** Asks again, with growing delays, as long as nobody answers. Rejects with the last reason when the signal aborts. */
async function persist<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let problem: NoAnswer | undefined;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw signal.aborted ? (problem ?? error) : error;
      problem = error;
    }
    await sleep(systemClock, backoff(failures), signal).catch(() => {
      throw problem;
    });
  }
}

async function ask(
  agent: Agent,
  url: URL,
  question: LinkQuestion,
  signal: AbortSignal,
): Promise<LinkAnswer['values']> {
  const { statusCode, text } = await post(agent, url, question, signal).catch((error: Error) => {
    throw signal.aborted ? error : new NoAnswer(error.message, { cause: error });
  });
  if (statusCode === 200) return (JSON.parse(text) as LinkAnswer).values;
  const { reason, message } = readStatus(statusCode, text);
  if (statusCode === 503) throw new NoAnswer(message);
  throw new StatusError(statusCode, reason, message);
}

async function post(
  dispatcher: Agent,
  url: URL,
  question: LinkQuestion,
  signal: AbortSignal,
): Promise<{ statusCode: number; text: string }> {
  const { statusCode, body } = await request(url, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
    signal,
  });
  return { statusCode, text: await body.text() };
}

function readStatus(code: number, text: string): Pick<Status, 'reason' | 'message'> {
  try {
    return JSON.parse(text) as Status;
  } catch {
    return { reason: 'InternalError', message: `the operator answered with ${code}` };
  }
}

function makeAgent({ credentials, serverName }: LinkClientOptions): Agent {
  const { ca, cert, key } = credentials.value;
  const name = serverName === undefined ? {} : { servername: serverName };
  return new Agent({ connect: { ca, cert, key, timeout: CONNECT_TIMEOUT_MS, ...name } });
}
