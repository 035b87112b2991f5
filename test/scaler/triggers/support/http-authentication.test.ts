import type { IncomingMessage, RequestListener } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { makeTestAuthority, type TestAuthority } from '../../../support/scaler/certificates.ts';
import { configureTrigger, openTrigger } from '../../../support/scaler/configure-trigger.ts';
import { httpTrigger } from '../../../support/scaler/http-trigger.ts';
import { readTrigger, realHttp } from '../../../support/scaler/read-trigger.ts';
import { serve, type WebServer } from '../../../support/scaler/web-server.ts';

type Texts = Readonly<Record<string, string>>;
const signal = new AbortController().signal;

describe('authentication of triggers over HTTP', () => {
  const servers: WebServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const start = async (...parameters: Parameters<typeof serve>): Promise<string> => {
    const server = await serve(...parameters);
    servers.push(server);
    return server.url;
  };
  const ok: RequestListener = (_, response) => response.end('{"v":1}');

  /** What a request showed of who asks. */
  const shown = async (authentication: Texts, metadata: Texts = {}): Promise<Texts> => {
    let seen: IncomingMessage | undefined;
    const url = await start((request, response) => {
      seen = request;
      response.end('{"v":1}');
    });
    await readTrigger(httpTrigger, { metadata: { url, ...metadata }, authentication });
    const {
      authorization = '',
      'x-api-key': key = '',
      'x-custom': custom = '',
    } = seen?.headers ?? {};
    return { url: seen?.url ?? '', authorization, key: `${key}`, custom: `${custom}` };
  };
  const nothing = { url: '/', authorization: '', key: '', custom: '' };

  const MODES: readonly (readonly [string, Texts, Texts])[] = [
    ['nothing without a mode', { bearerToken: 't', username: 'u' }, {}],
    ['a bearer token', { authModes: 'bearer', bearerToken: 't' }, { authorization: 'Bearer t' }],
    ['names of old', { authMode: 'bearer', token: 't' }, { authorization: 'Bearer t' }],
    [
      'user and password',
      { authModes: 'basic', username: 'u', password: 'p:ü' },
      { authorization: `Basic ${Buffer.from('u:p:ü').toString('base64')}` },
    ],
    [
      'a user without password',
      { authModes: 'basic', username: 'u' },
      { authorization: `Basic ${btoa('u:')}` },
    ],
    [
      'a header of its own',
      { authModes: 'custom', customAuthHeader: 'X-Custom', customAuthValue: 'c' },
      { custom: 'c' },
    ],
    ['a key', { authModes: 'apiKey', apiKey: 'k' }, { key: 'k' }],
    [
      'a key in the query',
      { authModes: 'apiKey', apiKey: 'k&', method: 'query' },
      { url: '/?api_key=k%26' },
    ],
    [
      'a key under a name',
      { authModes: 'apiKey', apiKey: 'k', keyParamName: 'X-Custom' },
      { custom: 'k' },
    ],
    [
      'several at once',
      { authModes: 'apiKey,bearer', apiKey: 'k', bearerToken: 't' },
      { key: 'k', authorization: 'Bearer t' },
    ],
  ];
  for (const [title, authentication, expected] of MODES) {
    it(`shows ${title}`, async () => {
      expect(await shown(authentication)).to.deep.equal({ ...nothing, ...expected });
    });
  }

  it('takes modes and keys from metadata before those of the authentication', async () => {
    const authentication = { authModes: 'bearer', bearerToken: 't', apiKey: 'b' };
    const metadata = { authModes: 'apiKey', apiKey: 'a' };
    expect(await shown(authentication, metadata)).to.deep.equal({ ...nothing, key: 'a' });
  });

  describe('with certificates', () => {
    let authority: TestAuthority;
    before(async () => {
      authority = await makeTestAuthority();
    });

    it('shows one in mode tls, and trusts ca in any', async () => {
      const { server, client, ca } = authority;
      const url = await start(
        (request, response) => {
          const { subject } = (request.socket as TLSSocket).getPeerCertificate();
          response.end(`{"v":${subject?.CN === 'client' ? 1 : 2}}`);
        },
        { ...server, ca, requestCert: true, rejectUnauthorized: false },
      );
      const read = (authentication: Texts) =>
        readTrigger(httpTrigger, { metadata: { url }, authentication });
      expect(await read({ authModes: 'tls', ca, ...client })).to.include({ value: 1 });
      expect(await read({ ca, ...client })).to.include({ value: 2 });
      expect(await read({})).to.contain('an authority that is not trusted');
    });
  });

  const needs = (name: string, mode: string) =>
    `${name} is missing: authModes ${mode} needs it in a TriggerAuthentication`;
  const INVALID: readonly (readonly [Texts, readonly string[]])[] = [
    [{ authModes: 'basic' }, [needs('username', 'basic')]],
    [{ authModes: 'tls', cert: 'c' }, [needs('key', 'tls')]],
    [
      { authModes: 'basic,bearer', username: 'u', bearerToken: 't' },
      ['authModes has basic and bearer: choose one of them'],
    ],
    [{ authModes: 'oauth' }, ['oauthTokenURI', 'clientID'].map((name) => needs(name, 'oauth'))],
    [
      { oauthTokenURI: 'issuer/token' },
      ['oauthTokenURI must be a URL that begins with http:// or https://'],
    ],
    [
      { authModes: 'digest' },
      ['authModes must be one of apiKey, basic, tls, bearer, custom, oauth'],
    ],
  ];
  for (const [authentication, problems] of INVALID) {
    it(`refuses ${JSON.stringify(authentication)}`, () => {
      const metadata = { url: 'http://api/' };
      const found = configureTrigger(httpTrigger, { metadata, authentication });
      expect(found.problems).to.deep.equal(problems);
    });
  }

  it('masks what it sent where the source repeats it', async () => {
    const url = await start((request, response) =>
      response.writeHead(403).end(`no: ${request.headers.authorization}`),
    );
    const given = {
      metadata: { url },
      authentication: { authModes: 'bearer', bearerToken: 'hunter2' },
    };
    expect(await readTrigger(httpTrigger, given)).to.equal(
      `${url}/ answers with HTTP status 403: no: Bearer *** (check what its credentials allow)`,
    );
  });

  describe('by OAuth', () => {
    const client = { authModes: 'oauth', clientID: 'me', clientSecret: 's/1' };

    interface Issuer {
      /** The bodies of the requests. */
      readonly bodies: string[];
      readonly url: string;
    }
    const startIssuer = async (
      answer: (count: number, request: IncomingMessage) => readonly [status: number, body: object],
    ): Promise<Issuer> => {
      const bodies: string[] = [];
      const url = await start(async (request, response) => {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(piece);
        bodies.push(Buffer.concat(pieces).toString());
        const [status, body] = answer(bodies.length, request);
        response.writeHead(status).end(JSON.stringify(body));
      });
      return { bodies, url: `${url}/token?tenant=secret` };
    };
    /** A source that takes only some tokens. */
    const startSource = (accepted: string[], seen: string[] = []) =>
      start((request, response) => {
        const { authorization = '' } = request.headers;
        seen.push(authorization);
        response.writeHead(accepted.includes(authorization) ? 200 : 401).end('{"v":1}');
      });

    it('gets a token, keeps it, and gets another before it ends', async () => {
      const { bodies, url: oauthTokenURI } = await startIssuer((count) => [
        200,
        { access_token: `t${count}`, expires_in: 60 },
      ]);
      const seen: string[] = [];
      const url = await startSource(['Bearer t1', 'Bearer t2'], seen);
      let now = 0;
      const gauge = await openTrigger(
        httpTrigger,
        {
          metadata: { url },
          authentication: {
            ...client,
            oauthTokenURI,
            scopes: 'a, b',
            endpointParams: 'audience=x%20y',
          },
        },
        { http: realHttp, now: () => new Date(now) },
      );
      await gauge.read(signal, '');
      await gauge.read(signal, '');
      now = 50_000;
      await gauge.read(signal, '');
      expect(seen).to.deep.equal(['Bearer t1', 'Bearer t1', 'Bearer t2']);
      expect(bodies[0]).to.equal('audience=x+y&grant_type=client_credentials&scope=a+b');
    });

    it('replaces a token that is refused', async () => {
      const { url: oauthTokenURI } = await startIssuer((count) => [
        200,
        { access_token: `t${count}` },
      ]);
      const accepted = ['Bearer t1'];
      const url = await startSource(accepted);
      const gauge = await openTrigger(
        httpTrigger,
        { metadata: { url }, authentication: { ...client, oauthTokenURI } },
        { http: realHttp },
      );
      await gauge.read(signal, '');
      accepted.splice(0, 1, 'Bearer t2');
      expect(await gauge.read(signal, '')).to.include({ value: 1 });
    });

    it('logs in within the body where the header is refused', async () => {
      const { bodies, url: oauthTokenURI } = await startIssuer((_, { headers }) =>
        headers.authorization === undefined
          ? [200, { access_token: 't' }]
          : [401, { error: 'invalid_client' }],
      );
      const url = await startSource(['Bearer t']);
      const given = { metadata: { url }, authentication: { ...client, oauthTokenURI } };
      expect(await readTrigger(httpTrigger, given)).to.include({ value: 1 });
      expect(bodies[1]).to.contain('client_id=me&client_secret=s%2F1');
    });

    const REFUSALS: readonly (readonly [number, object, string])[] = [
      [
        403,
        { error: 'access_denied', error_description: 's/1 is wrong' },
        ' gives no token: HTTP status 403, access_denied (check clientID, clientSecret and scopes)',
      ],
      [200, { token: 't' }, ' gives no token: its answer has no access_token'],
    ];
    for (const [status, body, message] of REFUSALS) {
      it(`fails where the answer is ${JSON.stringify(body)}`, async () => {
        const { url: oauthTokenURI } = await startIssuer(() => [status, body]);
        const url = await start(ok);
        const given = { metadata: { url }, authentication: { ...client, oauthTokenURI } };
        const issuer = oauthTokenURI.replace(/\?.*/, '');
        expect(await readTrigger(httpTrigger, given)).to.equal(`${issuer}${message}`);
      });
    }
  });
});
