/** The operator's side of the link: processes that serve the metrics API alone ask it for values, over mutual TLS. */
import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TlsCredentials } from '../certificates/material.ts';
import type { Changing } from '../changing.ts';
import { checkValues } from './metric-query.ts';
import type { AnswerMetric } from './metrics-api.ts';
import { abortWhenLeft, sendError, sendJson, sendRefusal } from './replies.ts';
import {
  exchangeCertificates,
  type ListenAddress,
  listen,
  makeTlsServer,
  type RunningServer,
  type TlsFloor,
} from './server.ts';
import { badRequest, forbidden, unavailable } from './status.ts';

export const LINK_PATH = '/v1/metric';

/** What is asked. The answer is a `LinkAnswer`, or a Status object with its code. */
export interface LinkQuestion {
  readonly namespace: string;
  readonly metric: string;
  readonly scaledObject: string;
}

export interface LinkAnswer {
  readonly values: readonly { readonly name: string; readonly value: number }[];
}

export interface LinkOptions {
  readonly answer: AnswerMetric;
  readonly credentials: Changing<TlsCredentials>;
  /** Names of which a client's certificate must have one: those of our own Services. */
  readonly clientNames: readonly string[];
  readonly floor?: TlsFloor | undefined;
  /** Why nothing can be answered now (another process leads), or undefined. */
  readonly unavailable: () => string | undefined;
}

/** Starts to answer. A client without a certificate of our authority does not get past TLS. */
export async function startLink(
  options: LinkOptions,
  address: ListenAddress,
): Promise<RunningServer> {
  const { credentials, floor } = options;
  const tls = () => ({ ...floor, ...credentials.value });
  const app = makeTlsServer(tls(), 'required', sendError);
  app.setNotFoundHandler(sendRefusal);
  app.post<{ Body: unknown }>(LINK_PATH, (request, reply) => answerLink(request, reply, options));
  const running = await listen(app, address);
  const end = credentials.onChange(() => exchangeCertificates(app, tls()));
  return {
    port: running.port,
    async close() {
      end();
      await running.close();
    },
  };
}

async function answerLink(
  request: FastifyRequest<{ Body: unknown }>,
  reply: FastifyReply,
  { answer, clientNames, unavailable: whyUnavailable }: LinkOptions,
): Promise<FastifyReply> {
  requireName(request, clientNames);
  const problem = whyUnavailable();
  if (problem !== undefined) {
    // The next connection may lead to the process that can answer.
    reply.header('connection', 'close');
    throw unavailable(problem);
  }
  const { namespace, metric, scaledObject } = readQuestion(request.body);
  const { signal } = abortWhenLeft(reply);
  const values = await answer(namespace, metric, scaledObject, signal);
  checkValues(values);
  const document: LinkAnswer = { values };
  return sendJson(reply, document);
}

function requireName({ raw }: FastifyRequest, names: readonly string[]): void {
  const der = raw.socket instanceof TLSSocket ? raw.socket.getPeerCertificate().raw : undefined;
  const certificate = der && new X509Certificate(der);
  if (names.some((name) => certificate?.checkHost(name, { subject: 'never' }))) return;
  throw forbidden(`the client's certificate is for none of ${names.join(', ')}`);
}

function readQuestion(body: unknown): LinkQuestion {
  const question = (body ?? {}) as Partial<Record<keyof LinkQuestion, unknown>>;
  const { namespace, metric, scaledObject } = question;
  const texts = [namespace, metric, scaledObject];
  if (texts.every((text) => typeof text === 'string' && text !== '')) {
    return question as LinkQuestion;
  }
  throw badRequest('a question has namespace, metric and scaledObject, each a text');
}
