/** How answers of the API are written: documents that clients may keep, and errors as Status objects. */
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE, type MediaType, negotiate, renderMediaType } from './accept.ts';
import { fingerprint } from './discovery.ts';
import { notFound, renderStatus, StatusError, toStatusError } from './status.ts';

/**
 * The one of `offers` that the client accepts.
 * @throws StatusError 406 where it accepts none, as clients that speak protobuf alone.
 */
export function requireType(request: FastifyRequest, offers: readonly MediaType[]): MediaType {
  const { accept } = request.headers;
  const type = negotiate(accept, offers);
  if (type !== undefined) return type;
  throw new StatusError(
    406,
    'NotAcceptable',
    `only application/json is served, not ${accept} (add application/json to Accept)`,
  );
}

/** Sends a document, or 304 to who has it already. */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  type: MediaType,
  document: object,
): FastifyReply {
  const tag = `"${fingerprint(document)}"`;
  reply.header('etag', tag).header('vary', 'Accept');
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  return sendJson(reply, document, type);
}

/** Sends bytes: to texts Fastify would add a charset, which is no part of the types that clients look for. */
export function sendJson(
  reply: FastifyReply,
  document: object,
  type: MediaType = JSON_TYPE,
): FastifyReply {
  const body = Buffer.from(JSON.stringify(document));
  return reply.header('content-type', renderMediaType(type)).send(body);
}

/** Aborts when the caller goes without its answer. */
export function abortWhenLeft({ raw }: FastifyReply): AbortController {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller;
}

export function sendError(error: unknown, reply: FastifyReply): FastifyReply {
  return sendStatus(reply, toStatusError(fromFastify(error)));
}

/** Says that nothing is served at a path, or nothing by that method. */
export function sendRefusal({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path] = url.split('?');
  return sendStatus(
    reply,
    method === 'GET' || method === 'HEAD'
      ? notFound(`the server could not find the requested resource: ${path}`)
      : new StatusError(405, 'MethodNotAllowed', `${method} is not supported at ${path}`),
  );
}

function sendStatus(reply: FastifyReply, error: StatusError): FastifyReply {
  if (error.code === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(error.code)
    .type(JSON_TYPE.type)
    .send(JSON.stringify(renderStatus(error)));
}

/** What Fastify refuses itself (a broken URL, a body that is too long) has a code of its own. */
function fromFastify(error: unknown): unknown {
  if (error instanceof StatusError || !(error instanceof Error)) return error;
  const code = 'statusCode' in error ? Number(error.statusCode) : 500;
  if (!(code >= 400 && code < 500)) return error;
  const reason = (STATUS_CODES[code] ?? 'Bad Request').replaceAll(' ', '');
  return new StatusError(code, reason, error.message);
}
