import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import {
  createHttp,
  type HttpClient,
  type HttpSettings,
  httpSettings,
} from '../../src/scaler/http.ts';
import type { HttpRequest } from '../../src/scaler/trigger.ts';
import { freePort } from '../support/free-port.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';
import { serve, type WebServer } from '../support/scaler/web-server.ts';

const signal = new AbortController().signal;

describe('http of triggers', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });

  const start = async (...parameters: Parameters<typeof serve>): Promise<WebServer> => {
    const server = await serve(...parameters);
    opened.push(server);
    return server;
  };
  const client = (settings: Partial<HttpSettings> = {}): HttpClient => {
    const http = createHttp({ ...httpSettings({}), timeoutMs: 60_000, ...settings });
    opened.unshift(http);
    return http;
  };
  const get = (url: string | URL, request: Partial<HttpRequest> = {}, http = client()) =>
    http.request(new URL(url), { signal, ...request });
  const failure = async (attempt: Promise<unknown>): Promise<string> =>
    await attempt.then(
      () => 'no failure',
      (error: Error) => error.message,
    );

  it('gives status, headers and text of any answer', async () => {
    const { url } = await start((_, response) =>
      response.writeHead(418, { 'x-a': 'b' }).end('tea'),
    );
    const { status, headers, text } = await get(url);
    expect([status, headers['x-a'], text]).to.deep.equal([418, 'b', 'tea']);
  });

  it('sends method, headers and body', async () => {
    const { url } = await start(echo);
    const { text } = await get(`${url}/p?q=1`, {
      method: 'POST',
      headers: { 'x-a': 'b' },
      body: 'c',
    });
    expect(JSON.parse(text)).to.include({ method: 'POST', url: '/p?q=1', body: 'c', 'x-a': 'b' });
  });

  it('makes basic authentication of the user in a URL', async () => {
    const { port } = await start(echo);
    const { text } = await get(`http://me:p%40ss@127.0.0.1:${port}/`);
    expect(JSON.parse(text).authorization).to.equal(`Basic ${btoa('me:p@ss')}`);
  });

  it('keeps connections for the next request', async () => {
    const ports = new Set<number | undefined>();
    const { url } = await start((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const http = client();
    for (let i = 0; i < 6; i++) await get(url, {}, http);
    expect(ports.size).to.be.at.most(2); // A connection is free one tick after its answer.
  });

  it('asks again once where a kept connection has just ended', async () => {
    let requests = 0;
    const { url } = await start((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.end('there');
    });
    const http = client();
    await get(url, {}, http);
    expect((await get(url, {}, http)).text).to.equal('there');
  });

  it('follows redirections, and tells headers to no other host', async () => {
    const other = await start(echo);
    const { url } = await start((request, response) => {
      if (request.url === '/here') echo(request, response);
      else if (request.url === '/near') response.writeHead(302, { location: '/here' }).end();
      else response.writeHead(307, { location: other.url }).end();
    });
    const headers = { authorization: 'Bearer secret' };
    expect(JSON.parse((await get(`${url}/near`, { headers })).text)).to.include(headers);
    expect(JSON.parse((await get(url, { headers })).text)).not.to.have.property('authorization');
  });

  it('gives up on redirections in a circle', async () => {
    const { url } = await start((_, response) => response.writeHead(302, { location: '/' }).end());
    expect(await failure(get(url))).to.equal(`${url}/ redirects more than 10 times`);
  });

  it('gives up on slow servers', async () => {
    const { url } = await start((_, response) => void response.write('begun'));
    expect(await failure(get(`${url}/a?token=secret`, { timeoutMs: 50 }))).to.equal(
      `${url}/a did not answer within 50 ms`,
    );
    const http = client({ timeoutMs: 40 });
    expect(await failure(get(url, {}, http))).to.contain('did not answer within 40 ms');
  });

  it('gives up when it is told to', async () => {
    const { url } = await start(() => {});
    const message = await failure(get(url, { signal: AbortSignal.abort(new Error('stopping')) }));
    expect(message).to.equal(`${url}/ cannot be asked: stopping`);
  });

  it('refuses huge answers', async () => {
    const { url } = await start((_, response) => response.end('x'.repeat(2000)));
    const http = client({ answerBytes: 1000 });
    expect(await failure(get(url, {}, http))).to.equal(`${url}/ answers with more than 1000 bytes`);
  });

  it('tells what is wrong where nobody listens or nonsense comes, without the secrets of the URL', async () => {
    const gone = `127.0.0.1:${await freePort()}`;
    const message = await failure(get(`http://user:secret@${gone}/p?key=secret#secret`));
    expect(message).to.equal(`http://${gone}/p cannot be asked: connect ECONNREFUSED ${gone}`);
    const garbage = await start((request) => request.socket.end('not http at all\r\n\r\n'));
    expect(await failure(get(garbage.url))).to.match(/cannot be asked: .*HTTP/);
  });

  describe('over TLS', () => {
    let authority: TestAuthority;
    before(async () => {
      authority = await makeTestAuthority();
    });
    const secure = () => start(echo, { ...authority.server, ca: authority.ca });

    it('does not trust an unknown authority, and names the cure', async () => {
      const { url } = await secure();
      expect(await failure(get(url))).to.equal(
        `${url}/ shows a certificate of an authority that is not trusted: ` +
          'give its PEM text as ca in a TriggerAuthentication, or to the operator',
      );
    });

    it('trusts the authority of the trigger, of the operator, or anybody', async () => {
      const { url } = await secure();
      expect((await get(url, { tls: { ca: authority.ca } })).status).to.equal(200);
      expect((await get(url, { tls: { isUnsafe: true } })).status).to.equal(200);
      const tls = { authorities: [authority.ca], leastVersion: 'TLSv1.2' } as const;
      expect((await get(url, {}, client({ tls }))).status).to.equal(200);
    });

    it('shows a certificate of its own', async () => {
      const { url } = await start(
        (request, response) =>
          response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN),
        { ...authority.server, ca: authority.ca, requestCert: true, rejectUnauthorized: true },
      );
      const tls = { ca: authority.ca, ...authority.client };
      expect((await get(url, { tls })).text).to.equal('client');
      expect(await failure(get(url, { tls: { ca: authority.ca } }))).to.contain('cannot be asked');
    });

    it('refuses versions below the least', async () => {
      const { url } = await start(echo, { ...authority.server, maxVersion: 'TLSv1.2' });
      const tls = { authorities: [authority.ca], leastVersion: 'TLSv1.3' } as const;
      expect(await failure(get(url, {}, client({ tls })))).to.contain('cannot be asked');
    });

    it('goes through the proxy of the environment', async () => {
      const target = await secure();
      const proxy = await start(echo);
      const tunnel = await startTunnel(target.port);
      opened.push(tunnel);
      const http = client({ proxies: { HTTP_PROXY: proxy.url, HTTPS_PROXY: tunnel.url } });
      const plain = await get('http://source.example/metrics', {}, http);
      expect(JSON.parse(plain.text).url).to.equal('http://source.example/metrics');
      const tls = { ca: authority.ca };
      expect((await get('https://source.example/m', { tls }, http)).status).to.equal(200);
      expect(tunnel.targets).to.deep.equal(['source.example:443']);
    });
  });

  describe('line by line', () => {
    it('gives each line as it comes', async () => {
      let response: ServerResponse | undefined;
      const { url } = await start((_, answer) => {
        response = answer;
        answer.write('one\n\ntw');
      });
      const lines: string[] = [];
      for await (const line of client().lines(new URL(url), { signal })) {
        lines.push(line);
        if (line === 'one') response?.end('o\nthree');
      }
      expect(lines).to.deep.equal(['one', 'two', 'three']);
    });

    const read = async (url: string, request: Partial<HttpRequest> = {}) => {
      for await (const _ of client().lines(new URL(url), { signal, ...request }));
    };

    it('gives up after a silence', async () => {
      const { url } = await start((_, response) => void response.write('one\n'));
      expect(await failure(read(url, { timeoutMs: 50 }))).to.contain('within 50 ms');
    });

    it('throws where the status is no success', async () => {
      const { url } = await start((_, response) => response.writeHead(403).end('no\n'));
      expect(await failure(read(url))).to.equal(`${url}/ answers with HTTP status 403`);
    });
  });

  it('reads its settings from the environment, and names what is wrong in them', () => {
    const settings = httpSettings({ TSPROV_SCALER_HTTP_TIMEOUT_MS: '50' });
    expect(settings).to.deep.include({ timeoutMs: 50 });
    expect(() => httpSettings({ TSPROV_SCALER_HTTP_TIMEOUT_MS: '3s' })).to.throw(
      'TSPROV_SCALER_HTTP_TIMEOUT_MS must be a number of milliseconds and not "3s"',
    );
    expect(() => httpSettings({ TSPROV_SCALER_HTTP_MIN_TLS_VERSION: '1.2' })).to.throw(
      '"1.2" is no TLS version: give one of TLS10, TLS11, TLS12, TLS13',
    );
  });
});

/** Answers with what it was asked. */
const echo: RequestListener = (request: IncomingMessage, response: ServerResponse) => {
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, body, ...headers }));
  });
};

/** A proxy that connects every CONNECT to one port. */
async function startTunnel(port: number) {
  const targets: (string | undefined)[] = [];
  const { createServer } = await import('node:http');
  const server = createServer();
  server.on('connect', (request, socket) => {
    targets.push(request.url);
    const through = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    through.on('error', () => socket.destroy());
    socket.on('error', () => through.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    url,
    targets,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
