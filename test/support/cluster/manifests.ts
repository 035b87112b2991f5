/** Objects that tests make, as data. */

/** Where the scaler's own objects are. */
export const SCALER_NAMESPACE = 'tsprov-scaler';

/** A ConfigMap with one text, of a group by which it is selected. */
export function configMap(name: string, text: string, group: string, namespace = 'default') {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { group } },
    data: { text },
  };
}

/** A workload of one replica, whose pods carry the label `app`. */
export function workload(kind: 'Deployment' | 'StatefulSet', name: string, replicas = 1) {
  const labels = { app: name };
  const container = { name: 'main', image: 'example.invalid/none' };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
      ...(kind === 'StatefulSet' && { serviceName: name }),
    },
  };
}

/** Endpoints of a Service of that name: whether each is ready, by its address. */
export function endpointSlice(name: string, endpoints: Readonly<Record<string, boolean>>) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [],
    endpoints: Object.entries(endpoints).map(([address, ready]) => ({
      addresses: [address],
      conditions: { ready },
    })),
  };
}

/** What may have any members. */
export const OPEN_SCHEMA = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The definition of a kind of version v1, whose objects are in namespaces. */
export function kindDefinition(
  group: string,
  kind: string,
  openAPIV3Schema: object = OPEN_SCHEMA,
  subresources: object = {},
) {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const schema = { openAPIV3Schema };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources }],
    },
  };
}

/** The definition of a kind `Queue` of `example.com/v1` whose number of replicas is `spec.size`. */
export function queueDefinition() {
  const spec = { type: 'object', properties: { size: { type: 'integer' } } };
  const schema = { type: 'object', properties: { spec, status: OPEN_SCHEMA } };
  const scale = {
    specReplicasPath: '.spec.size',
    statusReplicasPath: '.status.size',
    labelSelectorPath: '.status.selector',
  };
  return kindDefinition('example.com', 'Queue', schema, { status: {}, scale });
}
