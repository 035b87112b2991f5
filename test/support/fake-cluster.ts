/** A cluster made of data: an API server without validation, defaults or controllers, reached over streams. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { isEqual } from '../../src/kubernetes/merge-patch.ts';

type Json = Record<string, unknown>;
export interface FakeObject extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Json;
}

interface Kind {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly isScalable?: boolean;
}

const namespaced = (kind: string, name = `${kind.toLowerCase()}s`): Kind => ({
  kind,
  name,
  namespaced: true,
});
const scalable = (kind: string): Kind => ({ ...namespaced(kind), isScalable: true });

/** What it serves, by version. */
const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  v1: [
    ...['Pod', 'Service', 'ConfigMap', 'Secret', 'ServiceAccount'].map((kind) => namespaced(kind)),
    { kind: 'Namespace', name: 'namespaces', namespaced: false },
    { kind: 'Node', name: 'nodes', namespaced: false },
  ],
  'apps/v1': [
    ...['Deployment', 'StatefulSet', 'ReplicaSet'].map(scalable),
    namespaced('DaemonSet'),
  ],
  'batch/v1': [namespaced('Job'), namespaced('CronJob')],
};

interface Address {
  readonly version: string;
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

interface Selectors {
  readonly labels: readonly string[];
  readonly fields: readonly string[];
}

/** An answer: an object and its code. */
type Answer = readonly [code: number, body: Json];

export class FakeCluster {
  readonly #server: Server;
  #objects: FakeObject[];
  #version = 100;

  constructor(objects: readonly FakeObject[]) {
    this.#objects = objects.map((each) => this.#stamped(each));
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** A connection to the API server. */
  connect(): Duplex {
    const [near, far] = duplexPair();
    this.#server.emit('connection', far);
    return near;
  }

  /** Puts objects there, in the place of those with the same names. */
  put(objects: readonly FakeObject[]): void {
    for (const each of objects) {
      this.#remove(each);
      this.#objects.push(this.#stamped(each));
    }
  }

  #remove(object: FakeObject): void {
    this.#objects = this.#objects.filter((each) => keyOf(each) !== keyOf(object));
  }

  #stamped(object: FakeObject): FakeObject {
    this.#version += 1;
    const metadata = { generation: 1, ...object.metadata, resourceVersion: String(this.#version) };
    return { ...object, metadata };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const [code, body] = this.#answer(request, text === '' ? {} : (JSON.parse(text) as Json));
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  #answer({ method = 'GET', url = '/' }: IncomingMessage, body: Json): Answer {
    const { pathname, searchParams } = new URL(url, 'http://cluster');
    const found = discovered(pathname);
    if (found !== undefined) return found;
    const address = parsePath(pathname);
    if (address === undefined) return failure(404, 'NotFound', 'the server could not find it');
    if (method === 'GET' && address.name === undefined) {
      return this.#list(address, {
        labels: searchParams.get('labelSelector')?.split(',') ?? [],
        fields: searchParams.get('fieldSelector')?.split(',') ?? [],
      });
    }
    if (method === 'POST' && address.name === undefined)
      return this.#create(address, body, searchParams.has('dryRun'));
    const object = this.#find(address);
    const label = `${address.kind.name} "${address.name}"`;
    if (object === undefined) return failure(404, 'NotFound', `${label} not found`);
    return this.#act(method, address, object, { body, isDry: searchParams.has('dryRun') });
  }

  #act(
    method: string,
    address: Address,
    object: FakeObject,
    { body, isDry }: { readonly body: Json; readonly isDry: boolean },
  ): Answer {
    if (method === 'DELETE' || address.subresource === 'eviction') {
      this.#remove(object);
      return [200, { kind: 'Status', apiVersion: 'v1', status: 'Success' }];
    }
    if (method === 'GET') return [200, seen(address, object)];
    const { resourceVersion: current } = object.metadata;
    const { resourceVersion = current } = (body['metadata'] ?? {}) as Json;
    if (resourceVersion !== current) {
      return failure(409, 'Conflict', 'the object has been modified');
    }
    const wanted = method === 'PUT' ? body : (merged(object, body) as FakeObject);
    return [200, seen(address, this.#write(object, wanted as FakeObject, isDry))];
  }

  #list({ version, kind, namespace }: Address, { labels, fields }: Selectors): Answer {
    const items = this.#objects
      .filter((each) => each.apiVersion === version && each.kind === kind.kind)
      .filter(({ metadata }) => namespace === undefined || metadata['namespace'] === namespace)
      .filter((each) => labels.every((label) => hasLabel(each, label)))
      .filter((each) => fields.every((field) => hasField(each, field)))
      // As the real one: items of a list do not say what they are.
      .map(({ apiVersion: _version, kind: _kind, ...rest }) => rest);
    return [200, { apiVersion: version, kind: `${kind.kind}List`, metadata: {}, items }];
  }

  #create({ namespace }: Address, body: Json, isDry: boolean): Answer {
    const object = body as FakeObject; // What the tests' modules send.
    const made = this.#stamped({
      ...object,
      metadata: { ...(namespace && { namespace }), ...object.metadata },
    });
    if (!isDry) this.#objects.push(made);
    return [201, made];
  }

  #find({ version, kind, namespace, name }: Address): FakeObject | undefined {
    return this.#objects.find(
      (each) =>
        each.apiVersion === version &&
        each.kind === kind.kind &&
        each.metadata['name'] === name &&
        each.metadata['namespace'] === namespace,
    );
  }

  #write(old: FakeObject, wanted: FakeObject, isDry: boolean): FakeObject {
    if (isEqual(old, wanted)) return old;
    const made = this.#stamped(wanted);
    if (isDry) return made;
    this.put([made]);
    return made;
  }
}

function keyOf({ apiVersion, kind, metadata }: FakeObject): string {
  return [apiVersion, kind, metadata['namespace'], metadata['name']].join(' ');
}

/** The lists of versions and kinds. */
function discovered(path: string): Answer | undefined {
  if (path === '/apis') return [200, { kind: 'APIGroupList', groups: GROUPS }];
  const version = path.replace(/^\/apis?\//, '');
  const kinds = KINDS[version];
  if (kinds === undefined) return undefined;
  const resources = kinds.flatMap(({ name, kind, namespaced: isNamespaced, isScalable }) => [
    { name, kind, namespaced: isNamespaced, singularName: kind.toLowerCase() },
    ...(isScalable === true ? [{ name: `${name}/scale`, kind: 'Scale', namespaced: true }] : []),
  ]);
  return [200, { kind: 'APIResourceList', groupVersion: version, resources }];
}

const GROUPS = Object.keys(KINDS)
  .filter((version) => version.includes('/'))
  .map((groupVersion) => ({ versions: [{ groupVersion }], preferredVersion: { groupVersion } }));

function parsePath(path: string): Address | undefined {
  const [, version = '', namespace, resource, name, subresource] =
    /^\/apis?\/(v1|[^/]+\/[^/]+?)(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
      path,
    ) ?? [];
  const kind = KINDS[version]?.find((each) => each.name === resource);
  return kind && { version, kind, namespace, name, subresource };
}

/** The object, or its scale. */
function seen({ subresource }: Address, object: FakeObject): Json {
  if (subresource !== 'scale') return object;
  const { metadata, spec } = object;
  const replicas = (spec as Json)['replicas'];
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } };
}

function hasField(object: FakeObject, selector: string): boolean {
  const [path = '', value] = selector.split('=');
  const at = (from: unknown, name: string) => (from as Json | undefined)?.[name];
  return path.split('.').reduce(at, object as unknown) === value;
}

function hasLabel({ metadata }: FakeObject, selector: string): boolean {
  const [key = '', value = ''] = selector.split('=').map((part) => part.trim());
  return (metadata['labels'] as Json | undefined)?.[key] === value;
}

function merged(base: unknown, patch: unknown): unknown {
  const isMapping = (value: unknown): value is Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMapping(patch)) return patch;
  const result: Json = { ...(isMapping(base) ? base : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

function failure(code: number, reason: string, message: string): Answer {
  return [code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code }];
}
