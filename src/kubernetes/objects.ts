/** The shapes that all Kubernetes objects share, and how their addresses are written. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
}

export interface KubeObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: ObjectMeta;
}

export interface KubeList<T> {
  readonly metadata: {
    readonly resourceVersion?: string | undefined;
    /** Where the next page begins; empty or absent on the last one. */
    readonly continue?: string | undefined;
  };
  readonly items: readonly T[];
}

/** A kind of objects as paths name it. The core group is the empty text. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
}

/** The address of one object or, without a name, of all of a namespace or, without a namespace, of the cluster. */
export interface ObjectPath extends Resource {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The path of a URL for an address. */
export function renderPath(path: ObjectPath): string {
  const { group, version, resource, namespace, name, subresource } = path;
  const root = group === '' ? ['api', version] : ['apis', group, version];
  const scope = namespace === undefined ? [] : ['namespaces', namespace];
  const rest = [resource, name, subresource].filter((part) => part !== undefined);
  return `/${[...root, ...scope, ...rest].map(encodeURIComponent).join('/')}`;
}

/** Group and version of an `apiVersion`. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
}

/** `namespace/name`; without a namespace the slash stays. */
export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
