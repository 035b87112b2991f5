/** What went wrong with a cluster, for the operator: what, why, and the cure. */
import { X509Certificate } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { TaskError } from '../../../engine/module.ts';
import { ApiError, ApiUnreachable } from '../../../kubernetes/api-error.ts';
import { table } from '../../../shared/table.ts';
import type { Cluster } from './cluster.ts';

/** Why no answer came, by the code of the system's or OpenSSL's error: a sentence, and what to do. */
const CAUSES: Readonly<Record<string, readonly [why: string, hint: string]>> = table({
  ECONNREFUSED: ['nothing listens there', 'is kube-apiserver running? is the port right?'],
  ECONNRESET: ['the connection was cut', 'is kube-apiserver starting? is there a proxy between?'],
  ENOTFOUND: ['the name is not known', 'correct the server in the kubeconfig, or give "host"'],
  EAI_AGAIN: ['the name cannot be looked up now', 'is the name server reachable?'],
  EHOSTUNREACH: [
    'there is no way to that host',
    'is it up? delegate the task to a host that reaches it',
  ],
  ENETUNREACH: ['there is no way to that network', 'delegate the task to a host that reaches it'],
  ETIMEDOUT: ['no answer in time', 'is it up? does a firewall drop the packets?'],
  UND_ERR_CONNECT_TIMEOUT: ['no answer in time', 'is it up? does a firewall drop the packets?'],
  CERT_HAS_EXPIRED: [
    'the certificate of the API server has expired',
    'renew it: kubeadm certs renew apiserver, then restart kube-apiserver',
  ],
  CERT_NOT_YET_VALID: [
    'the certificate of the API server is not valid yet',
    'compare the clocks of this machine and of the server',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'the certificate of the API server is for other names',
    'use one of its names, add this one to the certificate, or set tls-server-name in the kubeconfig',
  ],
  ...Object.fromEntries(
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'CERT_SIGNATURE_FAILURE',
    ].map((code) => [
      code,
      [
        'the certificate of the API server is signed by an authority that is not known here',
        'give its certificate with ca_cert, or use the kubeconfig of this cluster',
      ] as const,
    ]),
  ),
});

/** The error that the operator sees for one of a client of the cluster; what is none of those comes back as it is. */
export async function clusterError(error: unknown, cluster: Cluster): Promise<unknown> {
  if (error instanceof ApiUnreachable) return unreachable(error, cluster);
  if (error instanceof ApiError && error.code === 401) return await unknownUser(error, cluster);
  if (error instanceof ApiError && error.code === 403) return forbidden(error, cluster);
  if (error instanceof ApiError) return apiError(error);
  if (error instanceof Error && error.name === 'UnknownKind') {
    return new TaskError(error.message, {
      hint: 'is its CustomResourceDefinition installed?',
      cause: error,
    });
  }
  return error;
}

function unreachable(error: ApiUnreachable, { server, origin }: Cluster): Error {
  const { cause } = error;
  // What the host of the task has said is clear already.
  if (cause instanceof Error && /^(Unreachable|TaskError)$/.test(cause.name)) return cause;
  const code = deepestCode(error);
  const [why, hint] = CAUSES[code] ?? [error.message, 'is kube-apiserver running and reachable?'];
  return new TaskError(`the API server ${server} does not answer: ${why}`, {
    hint: `${hint} (kubeconfig ${origin})`,
    cause: error,
    result: { reason: code || 'Unreachable' },
  });
}

function deepestCode(error: Error): string {
  const { cause, code } = error as Error & { code?: unknown };
  const deeper = cause instanceof Error ? deepestCode(cause) : '';
  return deeper === '' && typeof code === 'string' ? code : deeper;
}

async function unknownUser(error: ApiError, cluster: Cluster): Promise<TaskError> {
  const { server, origin } = cluster;
  const expiry = await clientCertificateExpiry(cluster);
  const result = { status: 401, reason: 'Unauthorized' };
  if (expiry !== undefined && expiry.getTime() < Date.now()) {
    const when = expiry.toISOString().slice(0, 10);
    return new TaskError(`the client certificate of kubeconfig ${origin} expired on ${when}`, {
      hint: 'renew it: kubeadm certs renew admin.conf on a control-plane node',
      cause: error,
      result,
    });
  }
  return new TaskError(`the API server ${server} does not accept the credentials of ${origin}`, {
    hint: 'is the token still valid? is the kubeconfig of this cluster?',
    cause: error,
    result,
  });
}

async function clientCertificateExpiry({ access }: Cluster): Promise<Date | undefined> {
  const { tls } = await access.credentials();
  return tls.cert === undefined ? undefined : new Date(new X509Certificate(tls.cert).validTo);
}

function forbidden(error: ApiError, { origin }: Cluster): TaskError {
  return new TaskError(error.message, {
    hint: `grant the right with a Role and a binding, or use other credentials than those of ${origin}`,
    cause: error,
    result: resultOf(error),
  });
}

function apiError(error: ApiError): TaskError {
  const [, hint] = CURES.find(([pattern]) => pattern.test(error.message)) ?? [];
  return new TaskError(error.message, { hint, cause: error, result: resultOf(error) });
}

/** What can be done about refusals, by what the API server says. */
const CURES: readonly (readonly [says: RegExp, hint: string])[] = [
  [
    /immutable/,
    'what was made with it cannot be changed: delete the object (state: absent) and make it anew',
  ],
  [
    /^Apply failed with \d+ conflict/,
    'give the fields up, or take them with server_side_apply.force_conflicts',
  ],
  [
    /^admission webhook "[^"]+" denied/,
    'the cluster has a policy against it: change the definition',
  ],
  [/^failed calling webhook/, 'is the webhook running? see the pods and endpoints of its service'],
  [
    /because it is being terminated/,
    'wait until the namespace is gone: state: absent with wait: true',
  ],
  [/strict decoding error: unknown field/, 'correct the spelling, or leave the member out'],
  [/exceeded quota/, 'see the ResourceQuota of the namespace'],
];

/** As kubernetes.core has it: the reason in the words of HTTP. */
function resultOf({ code, reason }: ApiError): Record<string, unknown> {
  return { status: code, reason: STATUS_CODES[code] ?? reason };
}
