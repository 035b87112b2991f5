/** Which proxy the environment names for a URL, by the rules of Go programs (golang.org/x/net/http/httpproxy). */
import { BlockList, isIP } from 'node:net';

export interface ProxyEnvironment {
  readonly HTTP_PROXY?: string | undefined;
  readonly http_proxy?: string | undefined;
  readonly HTTPS_PROXY?: string | undefined;
  readonly https_proxy?: string | undefined;
  readonly NO_PROXY?: string | undefined;
  readonly no_proxy?: string | undefined;
}

/** The proxy for a URL, or undefined where it is reached directly: also always for this machine itself. */
export function proxyFor(url: URL, environment: ProxyEnvironment): URL | undefined {
  const { HTTP_PROXY, http_proxy, HTTPS_PROXY, https_proxy, NO_PROXY, no_proxy } = environment;
  const proxy = url.protocol === 'https:' ? HTTPS_PROXY || https_proxy : HTTP_PROXY || http_proxy;
  if (!proxy || isDirect(url, NO_PROXY || no_proxy || '')) return undefined;
  const withScheme = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!URL.canParse(withScheme)) {
    throw new Error('the proxy that the environment names is no URL: mend HTTP_PROXY, HTTPS_PROXY');
  }
  return new URL(withScheme);
}

function isDirect(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || isLoopback(host)) return true;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return exceptions
    .split(',')
    .map((exception) => exception.trim().toLowerCase())
    .some((exception) => exception !== '' && matches(exception, host, port));
}

function matches(exception: string, host: string, port: string): boolean {
  if (exception === '*') return true;
  if (exception.includes('/')) return isWithin(host, exception);
  const { name, port: onlyPort } = splitPort(exception);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(name) !== 0) return name === host;
  const domain = name.replace(/^\*?\./, '');
  return host.endsWith(`.${domain}`) || (domain === name && host === domain);
}

function splitPort(exception: string): { readonly name: string; readonly port?: string } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(exception);
  if (match === null) return { name: exception };
  const [, bracketed, plain = '', port] = match;
  return { name: bracketed ?? plain, ...(port !== undefined && { port }) };
}

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function isWithin(host: string, network: string): boolean {
  const [address = '', prefix] = network.split('/');
  if (isIP(host) === 0 || isIP(address) === 0) return false;
  const range = new BlockList();
  range.addSubnet(address, Number(prefix), family(address));
  return range.check(host, family(host));
}

function isLoopback(host: string): boolean {
  return isWithin(host, '127.0.0.0/8') || host === '::1';
}
