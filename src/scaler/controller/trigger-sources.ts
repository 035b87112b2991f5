/** Where the parameters of a trigger come from: metadata, authentication and the environment of the scale target. */
import type { CredentialSettings } from '../authentication/credential-reader.ts';
import { containerOf, Environment, type PodTemplate } from '../authentication/environment.ts';
import {
  type ResolveTools,
  resolveCredentials,
  restrictSecrets,
} from '../authentication/resolve.ts';
import type { VaultClient } from '../authentication/vault.ts';
import type { Parameters } from '../parameters.ts';
import {
  namedVariables,
  type ParameterSources,
  possibleVariables,
  spellOutVariables,
} from '../read-parameters.ts';
import type { TriggerSpec } from '../resources/triggers.ts';
import type { ScalerCluster } from './ports.ts';
import { TriggerProblem } from './trigger-problem.ts';

type Texts = Readonly<Record<string, string>>;
type ReadData = ScalerCluster['data'];

interface Place {
  readonly object: { readonly namespace: string };
  readonly spec: TriggerSpec;
  readonly template: PodTemplate | undefined;
  readonly containerName: string | undefined;
}
interface Readers {
  readonly cluster: ScalerCluster;
  readonly settings: CredentialSettings;
  readonly vault: VaultClient;
}

/**
 * Reads all places. A text that names a variable or key of the container stands under `<parameter>FromEnv`.
 * @throws {TriggerProblem} without a container whose variables are named; {MissingCredential}.
 */
export async function gatherSources(
  place: Place,
  parameters: Parameters,
  { cluster, settings, vault }: Readers,
): Promise<{ readonly sources: ParameterSources; readonly expiresMs: number | undefined }> {
  const { spec, object, template } = place;
  const tools: ResolveTools = { reader: cluster, settings, vault };
  const ref = spec.authenticationRef;
  const [{ metadata, environment }, credentials] = await Promise.all([
    readEnvironment(place, parameters, restrictSecrets(cluster.data.bind(cluster), settings)),
    ref && resolveCredentials({ ref, namespace: object.namespace, template }, tools),
  ]);
  return {
    sources: { metadata, authentication: credentials?.values ?? {}, environment },
    expiresMs: credentials?.expiresMs,
  };
}

/** The variables that the metadata names, and the metadata with each under a key that says so. */
async function readEnvironment(
  { spec, template, containerName, object }: Place,
  parameters: Parameters,
  read: ReadData,
): Promise<{ readonly metadata: Texts; readonly environment: Texts }> {
  const named = namedVariables(spec.metadata);
  const possible = possibleVariables(parameters, spec.metadata);
  if (named.length + possible.length === 0) return { metadata: spec.metadata, environment: {} };
  const container = template && containerOf(template, containerName);
  if (container === undefined && named.length > 0) {
    const keys = named.map(([key]) => key).join(', ');
    throw new TriggerProblem(
      `${keys}: the scale target has no pod template to read variables from, or the operator may not read it`,
    );
  }
  if (container === undefined) return { metadata: spec.metadata, environment: {} };
  const environment = new Environment(container, object.namespace, read);
  const [declared, found] = await Promise.all([
    valuesBy(
      named.map(([, variable]) => variable),
      (name) => environment.valueOf(name),
    ),
    valuesBy(possible, (name) => environment.find(name)),
  ]);
  const isKnown = (text: string) => Object.hasOwn(found, text);
  return {
    metadata: spellOutVariables(parameters, spec.metadata, isKnown),
    environment: { ...found, ...declared },
  };
}

/** Without the names that have no value. */
async function valuesBy(
  names: readonly string[],
  read: (name: string) => Promise<string | undefined>,
): Promise<Texts> {
  const entries = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

/** The metadata as external scalers get it: variables by the key that names them, with their values. */
export function metadataForSource({
  metadata,
  environment,
}: ParameterSources): Readonly<Record<string, string>> {
  const variables = new Map(namedVariables(metadata));
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, text]) => {
      const variable = variables.get(key);
      if (variable === undefined) return key.endsWith('FromEnv') ? [] : [[key, text]];
      const value = environment[variable];
      return value === undefined || value === '' ? [] : [[key, value]];
    }),
  );
}
