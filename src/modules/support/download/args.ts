import { fileAttributes } from '../../../engine/module.ts';
import { withoutLogin } from '../../../shared/conceal.ts';
import {
  boolean,
  dict,
  type Infer,
  integer,
  list,
  object,
  optional,
  path,
  secret,
  string,
} from '../../../shared/schema.ts';
import { type DownloadRequest, withCredentials } from './request.ts';

/** Arguments of the get_url module. */
export const getUrlArgs = object({
  url: withoutLogin(string('What to fetch: http, https, ftp or file.')),
  dest: path('File to write, or a directory: then the server or the URL gives the name.'),
  checksum: string(
    '`algorithm:digest`, or `algorithm:URL` of a file of sums. A file that has it is not fetched again.',
    { default: '' },
  ),
  force: boolean('Fetch even where the server would say that nothing is newer.', {
    default: false,
  }),
  backup: boolean('Keep the old file beside the new one, with the time in its name.', {
    default: false,
  }),
  tmp_dest: optional(path('Directory for the file while it is fetched.')),
  timeout: integer('Seconds without progress after which to give up.', { default: 10 }),
  headers: optional(dict('Headers to send.')),
  unredirected_headers: list(
    string('Name of a header.'),
    'Headers that are not sent on after a redirection.',
    { default: [] },
  ),
  http_agent: string('What to be called in the logs of the server.', {
    default: 'ansible-httpget',
  }),
  url_username: optional(string('User for the server.', { aliases: ['username'] })),
  url_password: optional(secret('Password for the server.', { aliases: ['password'] })),
  force_basic_auth: boolean('Send the password before the server asks for it.', {
    default: false,
  }),
  use_gssapi: boolean('Log in by Kerberos; needs curl.', { default: false }),
  use_netrc: boolean('Take the password from `~/.netrc` where none is given.', { default: true }),
  use_proxy: boolean('Go through the proxy that the environment names.', { default: true }),
  validate_certs: boolean('Refuse a server whose certificate is not valid.', { default: true }),
  client_cert: optional(path('Certificate to show to the server, PEM.')),
  client_key: optional(path('Key of that certificate, PEM.')),
  ciphers: optional(list(string('Name of a cipher.'), 'Ciphers to allow.')),
  decompress: boolean('Unpack what the server packed by gzip for the way.', { default: true }),
  ...fileAttributes,
});

export type GetUrlArgs = Infer<typeof getUrlArgs>;

/** The request for a URL with everything that the task says about requests. */
export function requestOf(args: GetUrlArgs, url: string): DownloadRequest {
  const headers = Object.entries(args.headers ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    ...withCredentials(url, args.url_username, args.url_password),
    headers: Object.fromEntries(headers),
    unredirectedHeaders: args.unredirected_headers,
    basicAtOnce: args.force_basic_auth,
    gssapi: args.use_gssapi,
    timeoutSeconds: args.timeout,
    validateCerts: args.validate_certs,
    useProxy: args.use_proxy,
    useNetrc: args.use_netrc,
    agent: args.http_agent,
    clientCert: args.client_cert,
    clientKey: args.client_key,
    ciphers: args.ciphers ?? [],
  };
}
