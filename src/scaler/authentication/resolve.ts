/** Credentials of a trigger, out of its TriggerAuthentication. Whatever is missing is named; nothing becomes empty. */
import { posix } from 'node:path';
import { CLOUD_SOURCES } from '../resources/cloud-secrets.ts';
import type { AuthenticationSpec } from '../resources/trigger-authentication.ts';
import type { TriggerSpec } from '../resources/triggers.ts';
import {
  type AuthenticationKind,
  type CredentialReader,
  type CredentialSettings,
  type Credentials,
  MissingCredential,
} from './credential-reader.ts';
import { containerOf, Environment, type PodTemplate } from './environment.ts';
import type { VaultClient } from './vault.ts';

export interface ResolveRequest {
  readonly ref: NonNullable<TriggerSpec['authenticationRef']>;
  /** Of the ScaledObject or ScaledJob. */
  readonly namespace: string;
  /** Undefined where the scale target has none. */
  readonly template: PodTemplate | undefined;
}

export interface ResolveTools {
  readonly reader: CredentialReader;
  readonly settings: CredentialSettings;
  readonly vault: VaultClient;
}

interface Place extends ResolveRequest {
  readonly kind: AuthenticationKind;
  readonly spec: AuthenticationSpec;
  /** Where the Secrets, ConfigMaps and service accounts are. */
  readonly home: string;
}

/**
 * The credentials that a reference gives. Later sources win over earlier ones, in KEDA's order; a file wins over all.
 * @throws {MissingCredential} naming every credential that cannot be had.
 */
export async function resolveCredentials(
  request: ResolveRequest,
  tools: ResolveTools,
): Promise<Credentials> {
  const place = await findPlace(request, tools);
  refuseUnsupported(place);
  const { filePath } = place.spec;
  if (filePath !== undefined && filePath !== '') return readFile(place, filePath, tools);
  const sources = [
    fromEnvironment(place, tools),
    fromData('ConfigMap', place, tools),
    fromData('Secret', place, tools),
    fromVault(place, tools),
    fromServiceAccounts(place, tools),
    fromOauth(place, tools),
  ];
  return merge(await Promise.allSettled(sources));
}

async function findPlace(
  request: ResolveRequest,
  { reader, settings }: ResolveTools,
): Promise<Place> {
  const { ref, namespace } = request;
  const kind = ref.kind ?? 'TriggerAuthentication';
  const found = await reader.authentication(kind, namespace, ref.name);
  const isNamespaced = kind === 'TriggerAuthentication';
  if (found === undefined) {
    const where = isNamespaced ? `${namespace}/${ref.name}` : ref.name;
    throw new MissingCredential(`${kind} ${where} does not exist`);
  }
  const home = isNamespaced ? namespace : settings.clusterNamespace;
  return { ...request, kind, spec: found.spec, home };
}

function refuseUnsupported({ kind, spec, ref }: Place): void {
  const provider = spec.podIdentity?.provider ?? 'none';
  const found = [
    ...(provider === 'none' ? [] : [`podIdentity ${provider}`]),
    ...CLOUD_SOURCES.filter((source) => spec[source] !== undefined),
  ];
  if (found.length === 0) return;
  throw new MissingCredential(`${kind} ${ref.name}: ${found.join(', ')} is not supported yet`);
}

function merge(results: readonly PromiseSettledResult<Credentials>[]): Credentials {
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  const unexpected = reasons.find((reason) => !(reason instanceof MissingCredential));
  if (unexpected !== undefined) throw unexpected;
  if (reasons.length > 0) {
    throw new MissingCredential(reasons.map((reason) => (reason as Error).message).join('; '));
  }
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const expiries = found.flatMap(({ expiresMs }) => expiresMs ?? []);
  return {
    values: Object.assign({}, ...found.map(({ values }) => values)),
    ...(expiries.length > 0 && { expiresMs: Math.min(...expiries) }),
  };
}

async function fromEnvironment(
  place: Place,
  { reader, settings }: ResolveTools,
): Promise<Credentials> {
  const { env = [] } = place.spec;
  const wanted = env.map(async ({ parameter, name, containerName }) => {
    const container = place.template && containerOf(place.template, containerName);
    if (container === undefined) {
      throw new MissingCredential(
        `env ${name}: the scale target has no pod template to read it from`,
      );
    }
    const read = restrictSecrets(reader.data.bind(reader), settings);
    return [parameter, await new Environment(container, place.namespace, read).valueOf(name)];
  });
  return collect(wanted);
}

async function fromData(
  source: 'ConfigMap' | 'Secret',
  { spec, home }: Place,
  { reader, settings }: ResolveTools,
): Promise<Credentials> {
  const refs = (source === 'Secret' ? spec.secretTargetRef : spec.configMapTargetRef) ?? [];
  const read = restrictSecrets(reader.data.bind(reader), settings);
  return collect(
    refs.map(async ({ parameter, name, key }) => [
      parameter,
      await keyOf(read, source, home, { name, key }),
    ]),
  );
}

async function fromVault(place: Place, { vault }: ResolveTools): Promise<Credentials> {
  const { hashiCorpVault } = place.spec;
  if (hashiCorpVault === undefined) return { values: {} };
  return vault.read(hashiCorpVault, place.home);
}

async function fromServiceAccounts(
  { spec, home }: Place,
  { reader }: ResolveTools,
): Promise<Credentials> {
  const tokens = await Promise.all(
    (spec.boundServiceAccountToken ?? []).map(async ({ parameter, serviceAccountName }) => ({
      parameter,
      ...(await reader.serviceAccountToken(home, serviceAccountName)),
    })),
  );
  const values = Object.fromEntries(tokens.map(({ parameter, token }) => [parameter, token]));
  if (tokens.length === 0) return { values };
  return { values, expiresMs: Math.min(...tokens.map(({ expiresMs }) => expiresMs)) };
}

async function fromOauth(
  { spec, home }: Place,
  { reader, settings }: ResolveTools,
): Promise<Credentials> {
  const { oauth2 } = spec;
  if (oauth2 === undefined) return { values: {} };
  const read = restrictSecrets(reader.data.bind(reader), settings);
  const { clientId, clientSecret, tokenUrl, scopes = [], tokenUrlParams = {} } = oauth2;
  const secret = clientSecret?.valueFrom.secretKeyRef;
  return {
    values: {
      oauthTokenURI: tokenUrl,
      clientID: clientId,
      ...(secret !== undefined && { clientSecret: await keyOf(read, 'Secret', home, secret) }),
      scopes: scopes.join(','),
      endpointParams: new URLSearchParams(tokenUrlParams).toString(),
    },
  };
}

async function readFile(
  { kind, ref }: Place,
  path: string,
  { reader, settings }: ResolveTools,
): Promise<Credentials> {
  const origin = `${kind} ${ref.name}: filePath "${path}"`;
  if (kind !== 'ClusterTriggerAuthentication') {
    throw new MissingCredential(`${origin} works only in a ClusterTriggerAuthentication`);
  }
  if (settings.fileRoot === undefined) {
    throw new MissingCredential(
      `${origin} needs an operator that runs with --filepath-auth-root-path`,
    );
  }
  if (posix.isAbsolute(path) || path.split('/').includes('..')) {
    throw new MissingCredential(`${origin} must be a path below ${settings.fileRoot}`);
  }
  const text = await reader.file(posix.join(settings.fileRoot, path)).catch((error: Error) => {
    throw new MissingCredential(`${origin} cannot be read: ${error.message}`);
  });
  return { values: parseFile(text, origin) };
}

function parseFile(text: string, origin: string): Readonly<Record<string, string>> {
  const isTexts = (value: unknown): value is Record<string, string> =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member === 'string');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new MissingCredential(`${origin} holds no JSON`);
  }
  if (!isTexts(parsed)) throw new MissingCredential(`${origin} must hold an object of texts`);
  return parsed;
}

async function keyOf(
  read: CredentialReader['data'],
  kind: 'ConfigMap' | 'Secret',
  namespace: string,
  { name, key }: { readonly name: string; readonly key: string },
): Promise<string> {
  const data = await read(kind, namespace, name);
  if (data === undefined)
    throw new MissingCredential(`${kind} ${namespace}/${name} does not exist`);
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined) return value;
  throw new MissingCredential(`${kind} ${namespace}/${name} has no key "${key}"`);
}

/** Where the operator may read Secrets of some namespaces only, others are told to be out of bounds. */
export function restrictSecrets(
  read: CredentialReader['data'],
  { secretNamespaces }: CredentialSettings,
): CredentialReader['data'] {
  if (secretNamespaces === undefined) return read;
  return (kind, namespace, name) => {
    if (kind === 'Secret' && !secretNamespaces.includes(namespace)) {
      throw new MissingCredential(
        `Secret ${namespace}/${name} must not be read: the operator reads Secrets of ${secretNamespaces.join(', ')} only`,
      );
    }
    return read(kind, namespace, name);
  };
}

async function collect(wanted: readonly Promise<readonly string[]>[]): Promise<Credentials> {
  const settled = await Promise.allSettled(wanted);
  return merge(
    settled.map((result) =>
      result.status === 'rejected'
        ? result
        : {
            status: 'fulfilled',
            value: { values: { [result.value[0] ?? '']: result.value[1] ?? '' } },
          },
    ),
  );
}
