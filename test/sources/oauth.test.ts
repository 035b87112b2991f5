import { expect } from 'chai';
import { httpTrigger } from '../support/scaler/http-trigger.ts';
import { readTrigger } from '../support/scaler/read-trigger.ts';
import { serve, type WebServer } from '../support/scaler/web-server.ts';
import { skipFor } from '../support/skip.ts';
import {
  type OauthServer,
  OTHER_AUDIENCE,
  startOauth,
  whyNoOauth,
} from '../support/sources/oauth.ts';

describe('Tokens of OAuth 2: a real server', () => {
  let server: OauthServer;
  let source: WebServer;
  /** What the server of tokens has said of the one that the source was shown. */
  let shown: Awaited<ReturnType<OauthServer['introspect']>> | undefined;

  before(async function () {
    skipFor(whyNoOauth(), this);
    server = await startOauth('metrics-api');
    source = await serve(async ({ headers }, response) => {
      const [, token = ''] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? [];
      shown = await server.introspect(token);
      response.writeHead(shown.active ? 200 : 401).end('{"v":7}');
    });
  });
  after(async () => {
    await source?.close();
    await server?.stop();
  });
  beforeEach(() => {
    shown = undefined;
  });

  const read = (more: object = {}) =>
    readTrigger(httpTrigger, {
      metadata: { url: source.url },
      authentication: {
        authModes: 'oauth',
        oauthTokenURI: server.url,
        clientID: 'client_secret_basic',
        clientSecret: server.secret,
        ...more,
      },
    });

  for (const clientID of ['client_secret_basic', 'client_secret_post']) {
    it(`are given to a client that logs in by ${clientID}`, async () => {
      expect(await read({ clientID })).to.deep.equal({ value: 7, isActive: true });
      expect(shown).to.deep.include({ active: true, client_id: clientID });
    });
  }

  it('have the scopes and the audience that are asked for', async () => {
    const endpointParams = new URLSearchParams({ audience: OTHER_AUDIENCE }).toString();
    expect(await read({ scopes: 'read,write', endpointParams })).to.include({ value: 7 });
    expect(shown).to.deep.include({ scope: 'read write', aud: [OTHER_AUDIENCE] });
  });

  const REFUSALS: readonly (readonly [string, object, string])[] = [
    ['a wrong secret', { clientSecret: 'h4nter' }, 'HTTP status 401, invalid_client'],
    ['a scope of others', { scopes: 'admin' }, 'HTTP status 400, invalid_scope'],
    [
      'an audience of others',
      { endpointParams: 'audience=x' },
      'HTTP status 400, invalid_request, and with the client in the body HTTP status 401, invalid_client',
    ],
  ];
  for (const [what, more, told] of REFUSALS) {
    it(`are refused for ${what}`, async () => {
      expect(await read(more)).to.equal(
        `${server.url} gives no token: ${told} (check clientID, clientSecret and scopes)`,
      );
      expect(shown).to.equal(undefined);
    });
  }
});
