/** Registers the external metrics API with the API server, and tells it which authority to trust. */
import type { ApiClient } from '../../kubernetes/api-client.ts';
import { isConflict } from '../../kubernetes/api-error.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';

interface ApiService extends KubeObject {
  readonly spec?: {
    readonly service?: ServicePlace | undefined;
    readonly caBundle?: string | undefined;
    readonly insecureSkipTLSVerify?: boolean | undefined;
  };
}

interface ServicePlace {
  readonly namespace?: string;
  readonly name?: string;
  /** Default of Kubernetes: 443. */
  readonly port?: number;
}

export interface Registration {
  /** The Service behind which the metrics API listens. */
  readonly service: Required<ServicePlace>;
  /** Who keeps the registration, for its label. */
  readonly manager: string;
}

/** The cluster has one external metrics API, and it is somebody else's. */
export class ForeignApiService extends Error {
  override readonly name = 'ForeignApiService';
}

const NAME = 'v1beta1.external.metrics.k8s.io';
const API_SERVICES = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
const MANAGED_BY = 'app.kubernetes.io/managed-by';

/**
 * Sees that the APIService leads to our Service and trusts `authorities` (PEM). Writes only where something differs.
 * Rejects with ForeignApiService where it leads to the Service of another adapter.
 */
export async function publishAuthorities(
  client: Pick<ApiClient, 'find' | 'create' | 'patch'>,
  { service, manager }: Registration,
  authorities: string,
  signal: AbortSignal,
): Promise<void> {
  const path = { ...API_SERVICES, name: NAME };
  const caBundle = Buffer.from(authorities).toString('base64');
  const existing = await client.find<ApiService>(path, { signal });
  if (existing === undefined) {
    const isMade = await create(client, { service, manager }, caBundle, signal);
    // Somebody else was first: what they made may lead elsewhere.
    if (!isMade) await publishAuthorities(client, { service, manager }, authorities, signal);
    return;
  }
  const isOurs = existing.metadata.labels?.[MANAGED_BY] === manager;
  if (!isOurs && !isSame(existing.spec?.service, service)) throw refuse(existing, service);
  if (isUpToDate(existing, service, caBundle)) return;
  // An API server takes no authorities together with the order not to look at certificates.
  const spec = { service, caBundle, insecureSkipTLSVerify: null };
  await client.patch(path, 'merge', { spec }, { signal });
}

/** False where somebody else has made it meanwhile. */
async function create(
  client: Pick<ApiClient, 'create'>,
  { service, manager }: Registration,
  caBundle: string,
  signal: AbortSignal,
): Promise<boolean> {
  const body = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: NAME, labels: { [MANAGED_BY]: manager } },
    spec: {
      group: 'external.metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service,
      caBundle,
    },
  };
  try {
    await client.create(API_SERVICES, body, { signal });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

function isUpToDate(
  { spec }: ApiService,
  service: Required<ServicePlace>,
  caBundle: string,
): boolean {
  const isSamePort = (spec?.service?.port ?? 443) === service.port;
  const isChecked = spec?.insecureSkipTLSVerify !== true;
  return isSame(spec?.service, service) && isSamePort && isChecked && spec?.caBundle === caBundle;
}

function isSame(found: ServicePlace | undefined, service: Required<ServicePlace>): boolean {
  return found?.namespace === service.namespace && found.name === service.name;
}

function refuse({ spec }: ApiService, service: Required<ServicePlace>): ForeignApiService {
  const found = spec?.service;
  const where =
    found === undefined ? 'the API server itself' : `the Service ${found.namespace}/${found.name}`;
  return new ForeignApiService(
    `APIService ${NAME} leads to ${where} and not to ${service.namespace}/${service.name}: a cluster has one external metrics API (remove the other adapter and delete that APIService)`,
  );
}
