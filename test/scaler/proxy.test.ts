import { expect } from 'chai';
import { type ProxyEnvironment, proxyFor } from '../../src/scaler/proxy.ts';

const http = 'http://proxy.example:3128/';
const https = 'http://secure-proxy.example:3128/';
const both: ProxyEnvironment = { HTTP_PROXY: http, HTTPS_PROXY: https };
const except = (exceptions: string): ProxyEnvironment => ({ ...both, NO_PROXY: exceptions });

describe('proxyFor', () => {
  const CASES: readonly (readonly [string, string, ProxyEnvironment, string | undefined])[] = [
    ['none', 'http://a.example/', {}, undefined],
    ['http', 'http://a.example/', both, http],
    ['https', 'https://a.example/', both, https],
    ['lower-case name', 'http://a.example/', { http_proxy: http }, http],
    ['no scheme', 'http://a.example/', { HTTP_PROXY: 'proxy.example:3128' }, http],
    ['this machine', 'http://localhost:9090/', both, undefined],
    ['a loopback address', 'http://127.1.2.3/', both, undefined],
    ['the loopback address of IPv6', 'http://[::1]:80/', both, undefined],
    ['no exception', 'http://a.example/', except('b.example, c.example'), http],
    ['all excepted', 'http://a.example/', except('*'), undefined],
    ['an excepted name', 'http://a.example/', except('b.example, A.example'), undefined],
    ['below an excepted name', 'http://x.a.example/', except('a.example'), undefined],
    ['the end of another name', 'http://ba.example/', except('a.example'), http],
    ['below an excepted domain', 'http://p.ns.svc/', except('.svc'), undefined],
    ['below an excepted pattern', 'http://p.ns.svc/', except('*.svc'), undefined],
    ['not below an excepted domain', 'http://svc/', except('.svc'), http],
    ['within a network', 'http://10.2.3.4:9090/', except('10.0.0.0/8'), undefined],
    ['out of a network', 'http://11.2.3.4:9090/', except('10.0.0.0/8'), http],
    ['within a network of IPv6', 'http://[fd00::7]/', except('fd00::/8'), undefined],
    ['an address', 'http://10.2.3.4/', except('10.2.3.4'), undefined],
    ['a port', 'http://a.example:81/', except('a.example:81'), undefined],
    ['another port', 'http://a.example/', except('a.example:81'), http],
    ['the usual port', 'https://a.example/', except('a.example:443'), undefined],
  ];
  for (const [title, url, environment, expected] of CASES) {
    it(`knows ${title}`, () => {
      expect(proxyFor(new URL(url), environment)?.href).to.equal(expected);
    });
  }

  it('names the variables where one holds no URL, and not what they hold', () => {
    const environment = { HTTP_PROXY: 'http://user:secret@:x' };
    expect(() => proxyFor(new URL('http://a.example/'), environment)).to.throw(
      'the proxy that the environment names is no URL: mend HTTP_PROXY, HTTPS_PROXY',
    );
  });
});
