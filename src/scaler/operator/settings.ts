/** What an operator is started with. */

import type { AccessOptions } from '../../kubernetes/kubeconfig.ts';
import type { CredentialSettings } from '../authentication/credential-reader.ts';
import type { CertificateFiles } from '../certificates/files.ts';
import type { Names } from '../names.ts';
import type { ListenAddress } from '../web/server.ts';

/** `operator`: controllers and scale loops. `metrics`: the external metrics API. */
export type Role = 'operator' | 'metrics';

export interface OperatorSettings {
  readonly access: AccessOptions;
  readonly names: Names;
  readonly version: string;
  readonly roles: ReadonlySet<Role>;
  /** Where the operator's own objects are. */
  readonly namespace: string;
  /** Namespaces that are watched; absent: all. */
  readonly watchedNamespaces: readonly string[] | undefined;
  /** Only ScaledObjects and ScaledJobs with these labels. */
  readonly labelSelector: string | undefined;
  /** Absent: this process leads without asking. */
  readonly election: ElectionSettings | undefined;
  readonly requests: { readonly qps: number; readonly burst: number };
  readonly metricsApi: ListenAddress;
  readonly observability: ListenAddress;
  /** Where the operator answers processes that serve metrics alone and other replicas; absent: nowhere. */
  readonly link: ListenAddress | undefined;
  /** Host at which other replicas reach the link; absent: that of the link, or whence the API server is reached. */
  readonly linkHost: string | undefined;
  /** Where a process that serves metrics alone asks the operator. */
  readonly operatorUrl: URL;
  readonly certificates: CertificateSettings;
  readonly credentials: CredentialSettings;
  /** Life of the tokens of service accounts that are asked for, in seconds. */
  readonly tokenSeconds: number;
  /** Folders with further authorities for connections to sources. */
  readonly authorityFolders: readonly string[];
}

export interface ElectionSettings {
  readonly lease: string;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface CertificateSettings {
  readonly secretName: string;
  /** The Service of the metrics API, and whether the APIService that leads to it is registered and kept. */
  readonly registration: {
    readonly service: { readonly name: string; readonly port: number };
    readonly isKept: boolean;
  };
  readonly operatorService: string;
  readonly clusterDomain: string;
  /** Certificates that somebody else makes; then none are made here. */
  readonly files: CertificateFiles | undefined;
}
