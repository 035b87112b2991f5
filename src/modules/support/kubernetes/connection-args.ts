import { withoutLogin } from '../../../shared/conceal.ts';
import {
  boolean,
  type Infer,
  list,
  object,
  optional,
  path,
  raw,
  secret,
  string,
} from '../../../shared/schema.ts';

/** Members of a kubeconfig that let somebody in. */
const SECRETS = [
  ...['client-key-data', 'token', 'password', 'client-secret', 'id-token', 'refresh-token'],
  'access-token',
];

/**
 * How a task reaches the API server; the same for every module that works on a cluster. What is left out comes from the
 * environment of the task (`K8S_AUTH_…`), then from a kubeconfig.
 */
export const connectionArgs = {
  kubeconfig: optional({
    ...raw(
      'Kubeconfig: a path, several joined by `:`, or its content as a mapping. On a host with a connection it is a file of the host, else one of the controller. Default: `K8S_AUTH_KUBECONFIG`, `KUBECONFIG`, the service account of a pod, `~/.kube/config`.',
    ),
    secretMembers: SECRETS,
  }),
  context: optional(string('Context of the kubeconfig, instead of its current one.')),
  host: withoutLogin(
    optional(string('URL of the API server, instead of the one that the kubeconfig names.')),
  ),
  api_key: optional(secret('Bearer token, instead of the credentials of the kubeconfig.')),
  username: optional(string('User, for a server that takes passwords.')),
  password: optional(secret('Password of that user.')),
  client_cert: optional(path('File of a client certificate, PEM.', { aliases: ['cert_file'] })),
  client_key: optional(path('File of its key, PEM.', { aliases: ['key_file'] })),
  ca_cert: optional(
    path('File of the authorities that the certificate of the server is checked against, PEM.', {
      aliases: ['ssl_ca_cert'],
    }),
  ),
  validate_certs: optional(
    boolean('Refuse a server whose certificate is not valid.', { aliases: ['verify_ssl'] }),
  ),
  proxy: withoutLogin(optional(string('URL of an HTTP proxy to go through.'))),
  no_proxy: optional(
    string('Hosts, domains, addresses and ranges, joined by commas, that are reached without it.'),
  ),
  proxy_headers: optional(
    object(
      {
        proxy_basic_auth: optional(secret('`user:password` for the proxy.')),
        basic_auth: optional(secret('`user:password` in the header `authorization`.')),
        user_agent: optional(string('What to be called by the proxy.')),
      },
      'What the proxy is sent.',
    ),
  ),
  impersonate_user: optional(string('Act as this user; yours must be allowed to.')),
  impersonate_groups: optional(
    list(string('Name of a group.'), 'Act as a member of these groups.'),
  ),
  persist_config: optional(
    boolean(
      'Write renewed tokens of OpenID Connect back to the kubeconfig. Refused where there are such tokens: they are kept for the run alone.',
    ),
  ),
};

const connection = object(connectionArgs);

export type ConnectionArgs = Infer<typeof connection>;
