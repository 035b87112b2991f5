/** Follows what the cluster says about front proxies and client certificates. */

import type { ApiClient } from '../../kubernetes/api-client.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import type { Changing } from '../changing.ts';
import { ListWatch, type Selection } from '../cluster/list-watch.ts';
import {
  AUTHENTICATION_CONFIG,
  type AuthenticationSettings,
  parseAuthenticationSettings,
} from './requestheader.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const { namespace, name } = AUTHENTICATION_CONFIG;
/** Roles give it by its name, which only a selection of that one name meets. */
const SELECTION: Selection = {
  resource: CONFIG_MAPS,
  namespace,
  fieldSelector: `metadata.name=${name}`,
};

/** The settings as they are now. Rejects where the cluster does not have them, or does not let us read them. */
export async function readAuthenticationSettings(
  client: ApiClient,
  signal: AbortSignal,
): Promise<AuthenticationSettings> {
  const config = await client
    .get<ConfigMap>({ ...CONFIG_MAPS, namespace, name }, { signal })
    .catch((cause: Error) => {
      throw new Error(
        `whom to believe cannot be read from ConfigMap ${namespace}/${name}: ${cause.message} (bind the Role kube-system/extension-apiserver-authentication-reader to the operator's ServiceAccount)`,
        { cause },
      );
    });
  return parseAuthenticationSettings(config.data ?? {});
}

/** Hands on every change until `signal` aborts. What cannot be read leaves the old settings in force. */
export function followAuthenticationSettings(
  client: ApiClient,
  settings: Changing<AuthenticationSettings>,
  onProblem: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const take = ({ data = {} }: ConfigMap) => {
    try {
      const next = parseAuthenticationSettings(data);
      if (JSON.stringify(next) !== JSON.stringify(settings.value)) settings.set(next);
    } catch (error) {
      onProblem(error);
    }
  };
  const follower = {
    trim: (object: KubeObject) => object as ConfigMap,
    onList: (configs: readonly ConfigMap[]) => configs.forEach(take),
    onEvent: (type: string, config: ConfigMap) => {
      if (type !== 'DELETED') take(config);
    },
  };
  return new ListWatch<ConfigMap>(SELECTION, follower, { client, onProblem }).run(signal);
}
