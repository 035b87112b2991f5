/** Programs that fetch: how each is told what is wanted. */
import { TaskError } from '../../../engine/module.ts';
import { type Command, sh } from '../../../shared/shell.ts';
import type { DownloadRequest } from './request.ts';

export type Tool = 'curl' | 'wget' | 'busybox' | 'apt-helper';

/** One exchange. */
export interface Exchange {
  readonly request: DownloadRequest;
  /** `HEAD` brings no body; not every tool and server knows it. */
  readonly method: 'GET' | 'HEAD';
  readonly follow: boolean;
}

/** Prints the first of the tools that the host has. */
export const findTool: Command = sh`if command -v curl >/dev/null; then echo curl
elif command -v wget >/dev/null; then case $(wget --version 2>&1) in *GNU*) echo wget;; *) echo busybox;; esac
elif [ -x /usr/lib/apt/apt-helper ]; then echo apt-helper
fi`;

/**
 * A command that fetches `$u` into `$w/body`, and the answer's headers, where the tool tells them, into `$w/head`.
 * Secrets are handed over in files, where the tool reads any. Throws TaskError on what the tool cannot do.
 */
export function fetchCommand(tool: Tool, exchange: Exchange): Command {
  refuseUnable(tool, exchange.request);
  if (exchange.request.url.startsWith('file:')) return fromFile(exchange.request);
  return { curl, wget, busybox, 'apt-helper': aptHelper }[tool](exchange);
}

const UNABLE: Readonly<Record<Tool, readonly (keyof DownloadRequest)[]>> = {
  curl: [],
  wget: ['gssapi'],
  busybox: ['gssapi', 'unredirectedHeaders', 'clientCert', 'clientKey', 'ciphers'],
  'apt-helper': ['gssapi', 'unredirectedHeaders', 'headers', 'ciphers'],
};
const ARGUMENTS: Partial<Record<keyof DownloadRequest, string>> = {
  gssapi: 'use_gssapi',
  unredirectedHeaders: 'unredirected_headers',
  clientCert: 'client_cert',
  clientKey: 'client_key',
};

function refuseUnable(tool: Tool, request: DownloadRequest): void {
  const isGiven = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
  const unable = UNABLE[tool].filter((name) => isGiven(request[name]));
  if (unable.length === 0) return;
  const names = unable.map((name) => `"${ARGUMENTS[name] ?? name}"`).join(', ');
  const program = tool === 'busybox' ? "busybox's wget" : tool;
  throw new TaskError(`the host fetches files with ${program}, which cannot do ${names}`, {
    hint: 'install curl on the host',
  });
}

function fromFile({ url }: DownloadRequest): Command {
  const path = decodeURIComponent(new URL(url).pathname);
  return sh`cat -- ${path} >"$w/body"; c=$?; : >"$w/head"`;
}

function curl({ request, method, follow }: Exchange): Command {
  const lines = [
    ...headerLines(request).map((line) => `header = ${inQuotes(line)}`),
    ...curlLogin(request),
    `user-agent = ${inQuotes(request.agent)}`,
    `connect-timeout = ${request.timeoutSeconds}`,
    `speed-time = ${request.timeoutSeconds}`,
    'speed-limit = 1',
    !request.validateCerts && 'insecure',
    !request.useProxy && 'noproxy = "*"',
    request.clientCert !== undefined && `cert = ${inQuotes(request.clientCert)}`,
    request.clientKey !== undefined && `key = ${inQuotes(request.clientKey)}`,
    request.ciphers.length > 0 && `ciphers = ${inQuotes(request.ciphers.join(':'))}`,
    method === 'HEAD' && 'head',
    follow && 'location',
  ];
  const given = lines.filter((line) => line !== false);
  return sh`printf '%s\n' ${given} >"$w/rc"
curl -q -sS -K "$w/rc" -D "$w/head" -o "$w/body" -- "$u"; c=$?`;
}

function curlLogin({ username, password = '', gssapi, ...request }: DownloadRequest): string[] {
  if (username === undefined && !gssapi) return request.useNetrc ? ['netrc-optional'] : [];
  const scheme = request.basicAtOnce ? 'basic' : 'anyauth';
  const user = `user = ${inQuotes(`${username ?? ''}:${password}`)}`;
  return [user, gssapi ? 'negotiate' : scheme];
}

function wget({ request, method, follow }: Exchange): Command {
  const { username, password = '' } = request;
  const lines = [
    ...headerLines(request).map((line) => `header = ${line}`),
    username !== undefined && `user = ${username}`,
    username !== undefined && `password = ${password}`,
    request.basicAtOnce && 'auth_no_challenge = on',
    `user_agent = ${request.agent}`,
    `timeout = ${request.timeoutSeconds}`,
    'tries = 1',
    'server_response = on',
    !follow && 'max_redirect = 0',
    !request.validateCerts && 'check_certificate = off',
    !request.useProxy && 'use_proxy = off',
    !request.useNetrc && 'netrc = off',
    request.clientCert !== undefined && `certificate = ${request.clientCert}`,
    request.clientKey !== undefined && `private_key = ${request.clientKey}`,
    request.ciphers.length > 0 && `ciphers = ${request.ciphers.join(':')}`,
  ];
  const given = lines.filter((line) => line !== false);
  const verb = method === 'HEAD' ? ['--method=HEAD'] : [];
  return sh`printf '%s\n' ${given} >"$w/rc"
WGETRC="$w/rc" LC_ALL=C wget ${verb} -o "$w/head" -O "$w/body" -- "$u"; c=$?
[ $c -eq 0 ] || grep -v -e '^  ' -e '^--' -e '^Giving up' -e '^$' "$w/head" | tail -n 1 >&2`;
}

function busybox({ request, method }: Exchange): Command {
  const { username, password = '' } = request;
  const secret = Buffer.from(`${username}:${password}`).toString('base64');
  const authorization = username === undefined ? [] : [`Authorization: Basic ${secret}`];
  const options = [
    ...[...headerLines(request), ...authorization].flatMap((line) => ['--header', line]),
    ...['-U', request.agent],
    ...(request.validateCerts ? [] : ['--no-check-certificate']),
    ...(request.useProxy ? [] : ['-Y', 'off']),
    ...(method === 'HEAD' ? ['--spider'] : []),
  ];
  // Some builds of busybox know no -T and crash on it.
  return sh`: >"$w/body"
set -- ${options}
case $(wget --help 2>&1) in *' -T '*) set -- -T ${request.timeoutSeconds} "$@";; esac
wget -S "$@" -O "$w/body" "$u" 2>"$w/head"; c=$?
[ $c -eq 0 ] || grep '^wget:' "$w/head" | tail -n 1 >&2
sed -i 's/^wget: server returned error: /  /' "$w/head"`;
}

/** apt's own downloader: it follows redirections and tells no headers. */
function aptHelper({ request }: Exchange): Command {
  const { timeoutSeconds, username, password = '' } = request;
  const settings = {
    'http::Timeout': String(timeoutSeconds),
    'http::User-Agent': request.agent,
    Retries: '0',
    ...(!request.validateCerts && { 'https::Verify-Peer': 'false', 'https::Verify-Host': 'false' }),
    ...(!request.useProxy && { 'http::Proxy': 'DIRECT', 'https::Proxy': 'DIRECT' }),
    ...(request.clientCert !== undefined && { 'https::SslCert': request.clientCert }),
    ...(request.clientKey !== undefined && { 'https::SslKey': request.clientKey }),
  };
  const lines = Object.entries(settings).map(
    ([name, value]) => `Acquire::${name} ${inQuotes(value)};`,
  );
  const hasLogin = username !== undefined;
  const { origin } = new URL(request.url);
  if (/\s/.test(`${username ?? ''}${password}`)) {
    throw new TaskError('apt-helper cannot send a user or password with blanks', {
      hint: 'install curl on the host',
    });
  }
  const login = hasLogin ? [`machine ${origin} login ${username} password ${password}`] : [];
  return sh`printf '%s\n' ${lines} >"$w/rc"
printf '%s\n' ${login} >"$w/netrc"
${hasLogin ? sh`printf 'Dir::Etc::netrc "%s";\\n' "$w/netrc" >>"$w/rc"` : sh`:`}
APT_CONFIG="$w/rc" LC_ALL=C /usr/lib/apt/apt-helper download-file "$u" "$w/body" >"$w/log" 2>&1; c=$?
if [ $c -eq 0 ]; then echo 'HTTP/1.1 200 OK'
else
sed -n 's|^E: .*  \\([1-5][0-9][0-9]\\)  \\(.*\\) \\[IP.*|HTTP/1.1 \\1 \\2|p' "$w/log" | tail -n 1
grep '^E:' "$w/log" | grep -v 'Download Failed' >&2
fi >"$w/head"`;
}

function headerLines({ headers }: DownloadRequest): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function inQuotes(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`;
}
