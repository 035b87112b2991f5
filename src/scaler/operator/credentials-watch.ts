/** Notices Secrets, ConfigMaps and authentications that change, so that what was read from them is read anew. */
import type { ApiClient } from '../../kubernetes/api-client.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { type Change, ObjectCache } from '../cluster/object-cache.ts';
import type { Caches } from './caches.ts';

export type OnCredentialChange = (kind: string, namespace: string, name: string) => void;

interface Watching {
  readonly client: ApiClient;
  readonly caches: Caches;
  readonly namespaces: readonly string[] | undefined;
  /** Those whose Secrets may be read; absent: those that are watched. */
  readonly secretNamespaces: readonly string[] | undefined;
  readonly onChange: OnCredentialChange;
  readonly onProblem: (error: unknown) => void;
}

/** Watches until the signal aborts. Of Secrets and ConfigMaps nothing is kept but their names and versions. */
export async function watchCredentials(watching: Watching, signal: AbortSignal): Promise<void> {
  const { caches, onChange } = watching;
  const tell =
    (kind: string) =>
    (change: Change<KubeObject>): void => {
      const { metadata } = change.new ?? change.old;
      onChange(kind, metadata.namespace ?? '', metadata.name);
    };
  const endings = [
    caches.authentications.onChange(tell('TriggerAuthentication')),
    caches.clusterAuthentications.onChange(tell('ClusterTriggerAuthentication')),
  ];
  await Promise.all(
    [
      ['Secret', 'secrets'],
      ['ConfigMap', 'configmaps'],
    ].map(([kind = '', resource = '']) => {
      const cache = versionsOf(resource, watching);
      cache.onChange(tell(kind));
      return cache.start(signal);
    }),
  );
  for (const end of endings) end();
}

function versionsOf(
  resource: string,
  { client, namespaces, secretNamespaces = namespaces, onProblem }: Watching,
): ObjectCache<KubeObject> {
  return new ObjectCache<KubeObject>({
    client,
    resource: { group: '', version: 'v1', resource },
    namespaces: resource === 'secrets' ? secretNamespaces : namespaces,
    trim: ({ metadata: { name, namespace, uid, resourceVersion } }) => ({
      metadata: { name, namespace, uid, resourceVersion },
    }),
    onProblem,
  });
}
