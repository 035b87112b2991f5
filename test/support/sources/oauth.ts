import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { isReplayed } from '../recording.ts';
import { OAUTH } from '../releases/components.ts';
import { standIn } from '../releases/go-build.ts';
import { type AddressedServer, recordedServer } from './recorded.ts';
import { findProgram, makeServerDirectory, startServer } from './server.ts';

export interface OauthServer extends AddressedServer {
  /** Where clients get tokens: `client_secret_basic` logs in by header, `client_secret_post` in the body. */
  readonly url: string;
  /** Of both clients. */
  readonly secret: string;
  /** The key of its signatures, as a set of JSON web keys. */
  keys(): Promise<string>;
  /** What it says of a token (RFC 7662). */
  introspect(token: string): Promise<Introspection>;
}

export interface Introspection {
  readonly active: boolean;
  readonly client_id?: string;
  readonly scope?: string;
  readonly aud?: readonly string[];
}

/** For whom tokens are where nobody asks for another audience. */
export const AUDIENCE = 'https://queue.example.com';
export const OTHER_AUDIENCE = 'https://other.example.com';
/** With characters that mean something in headers and bodies. */
const SECRET = 'secret-of-client: +%/é';

/** Why it cannot run here. */
export function whyNoOauth(): string | undefined {
  const canStart = isReplayed || findProgram('go') !== undefined;
  return canStart ? undefined : 'the server of tokens is built with Go: https://go.dev/dl';
}

/**
 * A server of OAuth 2 tokens, made of the library of Ory Hydra.
 * @param name Tells the servers of different tests apart, where their answers are recorded.
 */
export async function startOauth(name: string): Promise<OauthServer> {
  const server = await recordedServer(`oauth-${name}`, startProgram);
  const ask = (path: string, request?: RequestInit) => askAt(server.url, path, request);
  const basic = Buffer.from(`client_secret_basic:${encodeURIComponent(SECRET)}`);
  return {
    url: `${server.url}/token`,
    secret: SECRET,
    keys: () => ask('keys'),
    introspect: async (token) =>
      JSON.parse(
        await ask('introspect', {
          method: 'POST',
          headers: { authorization: `Basic ${basic.toString('base64')}` },
          body: new URLSearchParams({ token }),
        }),
      ),
    stop: () => server.stop(),
  };
}

async function startProgram(): Promise<AddressedServer> {
  const programs = await standIn(OAUTH);
  const directory = await makeServerDirectory('oauth');
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const running = await startServer(directory, {
    file: join(programs, 'oauth'),
    args: [
      ...['-address', address, '-secret', SECRET],
      ...['-scopes', 'read,write', '-audiences', `${AUDIENCE},${OTHER_AUDIENCE}`],
    ],
    probe: () => askAt(url, 'keys'),
  });
  return { url, stop: () => running.stop().then(() => directory.remove()) };
}

async function askAt(url: string, path: string, request: RequestInit = {}): Promise<string> {
  const answer = await fetch(`${url}/${path}`, request);
  if (!answer.ok) throw new Error(`oauth ${path}: ${answer.status} ${await answer.text()}`);
  return answer.text();
}
