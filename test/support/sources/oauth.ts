import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { OAUTH } from '../releases/components.ts';
import { standIn } from '../releases/go-build.ts';
import { findProgram, makeServerDirectory, type RunningServer, startServer } from './server.ts';

export interface OauthServer extends RunningServer {
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
  const hasGo = findProgram('go') !== undefined;
  return hasGo ? undefined : 'the server of tokens is built with Go: https://go.dev/dl';
}

/** A server of OAuth 2 tokens, made of the library of Ory Hydra. */
export async function startOauth(): Promise<OauthServer> {
  const programs = await standIn(OAUTH);
  const directory = await makeServerDirectory('oauth');
  const address = `127.0.0.1:${await freePort()}`;
  const ask = async (path: string, request: RequestInit = {}) => {
    const answer = await fetch(`http://${address}/${path}`, request);
    if (!answer.ok) throw new Error(`oauth ${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  };
  const running = await startServer(directory, {
    file: join(programs, 'oauth'),
    args: [
      ...['-address', address, '-secret', SECRET],
      ...['-scopes', 'read,write', '-audiences', `${AUDIENCE},${OTHER_AUDIENCE}`],
    ],
    probe: () => ask('keys'),
  });
  const basic = Buffer.from(`client_secret_basic:${encodeURIComponent(SECRET)}`);
  return {
    url: `http://${address}/token`,
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
    async stop() {
      await running.stop();
      await directory.remove();
    },
  };
}
