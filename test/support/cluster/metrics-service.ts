/** What stands between the API server and a metrics API on loopback. */

import { ApiClient } from '../../../src/kubernetes/api-client.ts';
import { readAccess } from '../../../src/kubernetes/kubeconfig.ts';
import type { Registration } from '../../../src/scaler/certificates/api-service.ts';
import type { Lifetimes } from '../../../src/scaler/certificates/make.ts';
import { type CertificateSource, serviceNames } from '../../../src/scaler/certificates/open.ts';
import { until } from '../until.ts';
import type { ControlPlane } from './control-plane.ts';
import { SCALER_NAMESPACE as NAMESPACE } from './manifests.ts';

const SERVICE = 'scaler-metrics';
const USER = 'scaler';

/** The Secret in which the certificates are kept, and what they are for. */
export function certificateSource(lifetimes?: Lifetimes): CertificateSource {
  return {
    kind: 'secret',
    secret: { namespace: NAMESPACE, name: 'certificates', manager: 'scaler-operator' },
    names: [...serviceNames(SERVICE, NAMESPACE, 'cluster.local'), 'localhost'],
    ...(lifetimes && { lifetimes }),
  };
}

/** The registration of that Service. */
export function metricsRegistration(port: number): Registration {
  return {
    service: { namespace: NAMESPACE, name: SERVICE, port },
    manager: 'scaler-operator',
  };
}

/**
 * Waits until the API server hands on to the metrics API, which is a little after it says that it is available. It asks less and
 * less often after one that was away.
 */
export async function untilMetricsServed(
  plane: ControlPlane,
  seen: () => unknown = () => undefined,
): Promise<void> {
  let problem: unknown;
  const ask = () =>
    plane.kubectl('get', '--raw', '/apis/external.metrics.k8s.io/v1beta1').then(
      () => true,
      (error: Error) => {
        problem = error.message;
        return false;
      },
    );
  await until(ask, () => ({ problem, seen: seen() }));
}

/** Whether the API server reaches the metrics API: `True` or `False`. */
export function readAvailability(plane: ControlPlane): Promise<string> {
  const path = '{.status.conditions[?(@.type=="Available")].status}';
  const name = 'v1beta1.external.metrics.k8s.io';
  return plane.kubectl('get', 'apiservice', name, '-o', `jsonpath=${path}`);
}

/** A client of a user by certificate. */
export async function connectAs(plane: ControlPlane, user = USER): Promise<ApiClient> {
  const access = await readAccess({ kubeconfig: await plane.kubeconfigFor(user) });
  return new ApiClient({ access, userAgent: 'metrics-test', qps: 1000 });
}

/** The namespace, and a Service that leads to a port of this machine. */
export function metricsService(port: number, address?: string): readonly object[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    ...serviceOfHere({ name: SERVICE, namespace: NAMESPACE }, port, address),
  ];
}

/** A Service that leads to an address of this machine, by default to loopback: endpoints may not be there, names may. */
export function serviceOfHere(
  metadata: { readonly name: string; readonly namespace: string },
  port: number,
  address?: string,
): readonly object[] {
  const service = { apiVersion: 'v1', kind: 'Service', metadata };
  if (address === undefined) {
    return [
      { ...service, spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] } },
    ];
  }
  const labels = { 'kubernetes.io/service-name': metadata.name };
  return [
    { ...service, spec: { ports: [{ port }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels },
      addressType: 'IPv4',
      ports: [{ name: '', port }],
      endpoints: [{ addresses: [address] }],
    },
  ];
}

/** The registration of the metrics API. @param trust Which authority it trusts; nobody by default. */
export function metricsRegistry(
  service: { readonly namespace: string; readonly name: string; readonly port?: number },
  trust: object = {},
) {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.external.metrics.k8s.io' },
    spec: {
      group: 'external.metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service,
      ...trust,
    },
  };
}

/** What a user of that name needs to serve metrics and to keep its certificates, and nothing more. */
export function metricsRights(): readonly object[] {
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }];
  const bind = (kind: 'Role' | 'ClusterRole', name: string) => ({
    subjects,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
  });
  const rbac = (kind: string, name: string, namespace?: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
  });
  const verbs = ['get', 'create', 'update', 'patch'];
  return [
    {
      ...rbac('ClusterRoleBinding', 'scaler-reviews'),
      ...bind('ClusterRole', 'system:auth-delegator'),
    },
    {
      ...rbac('RoleBinding', 'scaler-front-proxy', 'kube-system'),
      ...bind('Role', 'extension-apiserver-authentication-reader'),
    },
    {
      ...rbac('Role', 'scaler-certificates', NAMESPACE),
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs }],
    },
    {
      ...rbac('RoleBinding', 'scaler-certificates', NAMESPACE),
      ...bind('Role', 'scaler-certificates'),
    },
    {
      ...rbac('ClusterRole', 'scaler-registration'),
      rules: [{ apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], verbs }],
    },
    {
      ...rbac('ClusterRoleBinding', 'scaler-registration'),
      ...bind('ClusterRole', 'scaler-registration'),
    },
  ];
}
