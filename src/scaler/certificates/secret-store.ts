import type { ApiClient } from '../../kubernetes/api-client.ts';
import { isConflict } from '../../kubernetes/api-error.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import type { CertificateStore } from './keep.ts';

interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** Where certificates are kept. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
  /** Who keeps it, for its label. */
  readonly manager: string;
}

/** Keeps certificates in a Secret. Its labels, its type and what else is in it stay as they are. */
export function makeSecretStore(
  client: Pick<ApiClient, 'find' | 'create' | 'replace'>,
  { namespace, name, manager }: SecretPlace,
): CertificateStore {
  const path = { ...SECRETS, namespace, name };
  /** As it was read: a write sends the whole object. */
  let known: Secret | undefined;
  return {
    place: `Secret ${namespace}/${name}`,

    async read(signal) {
      known = await client.find<Secret>(path, { signal });
      if (known === undefined) return undefined;
      const { metadata, data = {} } = known;
      return { data: decode(data), resourceVersion: metadata.resourceVersion ?? '' };
    },

    create(data, signal) {
      const secret: Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace, labels: { [MANAGED_BY]: manager } },
        data: encode(data),
      };
      const { name: _, ...collection } = path;
      return isFirst(client.create(collection, secret, { signal }));
    },

    replace(data, resourceVersion, signal) {
      const metadata = { ...known?.metadata, name, namespace, resourceVersion };
      const secret = { apiVersion: 'v1', kind: 'Secret', ...known, metadata, data: encode(data) };
      return isFirst(client.replace(path, secret, { signal }));
    },
  };
}

/** False where somebody else was first. */
async function isFirst(writing: Promise<unknown>): Promise<boolean> {
  try {
    await writing;
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

function decode(data: Readonly<Record<string, string>>): Record<string, string> {
  return mapValues(data, (value) => Buffer.from(value, 'base64').toString('utf8'));
}

function encode(data: Readonly<Record<string, string>>): Record<string, string> {
  return mapValues(data, (value) => Buffer.from(value, 'utf8').toString('base64'));
}

function mapValues(
  record: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
