import type { TriggerAuthentication } from '../resources/trigger-authentication.ts';
import type { ClusterReader, Http } from '../trigger.ts';

export type AuthenticationKind = 'TriggerAuthentication' | 'ClusterTriggerAuthentication';

/** What finding credentials needs of the outside world. */
export interface CredentialReader extends Pick<ClusterReader, 'data'> {
  /** Undefined where there is none. */
  authentication(
    kind: AuthenticationKind,
    namespace: string,
    name: string,
  ): Promise<TriggerAuthentication | undefined>;
  /** Asks for a token of a service account (TokenRequest). */
  serviceAccountToken(
    namespace: string,
    name: string,
  ): Promise<{ readonly token: string; readonly expiresMs: number }>;
  /** Text of a file that the operator can read. */
  file(path: string): Promise<string>;
  readonly http: Http;
  now(): number;
}

/** What the operator was started with. */
export interface CredentialSettings {
  /** Where the Secrets and ConfigMaps of ClusterTriggerAuthentications are. */
  readonly clusterNamespace: string;
  /** Folder of the files that `filePath` names; without it there are none. */
  readonly fileRoot: string | undefined;
  /** Namespaces whose Secrets may be read, `clusterNamespace` among them; undefined: all. */
  readonly secretNamespaces: readonly string[] | undefined;
  /** VAULT_TOKEN of the operator. */
  readonly vaultToken: string | undefined;
}

/** What was found. */
export interface Credentials {
  readonly values: Readonly<Record<string, string>>;
  /** When they have to be fetched anew; absent where they do not expire by themselves. */
  readonly expiresMs?: number | undefined;
}

/** A credential that cannot be had: says what is missing and where, never a value. */
export class MissingCredential extends Error {
  override readonly name = 'MissingCredential';
}
