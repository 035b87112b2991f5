/** Reads the parameters of a trigger out of metadata, authentication and environment (KEDA's typed configuration). */
import { didYouMean } from '../shared/errors.ts';
import type { Origin, Parameter, Parameters, ValuesOf } from './parameters.ts';

/** Texts by name, as they were found in each place. */
export interface ParameterSources {
  readonly metadata: Readonly<Record<string, string>>;
  readonly authentication: Readonly<Record<string, string>>;
  /** The environment of the scale target's container. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ParameterProblem {
  /** The metadata key or parameter that is wrong, as it was written. */
  readonly parameter: string;
  /** A sentence without the parameter's name at its start. */
  readonly message: string;
}

export interface ReadParameters<P extends Parameters> {
  /** Complete only where there are no problems. */
  readonly values: ValuesOf<P>;
  readonly problems: readonly ParameterProblem[];
  /** The parameters that have problems, as the trigger declares them. */
  readonly wrong: readonly string[];
  /** What will stop working some day. */
  readonly notices: readonly string[];
  /** Metadata keys that the trigger does not know, each with its near names. */
  readonly unknown: readonly ParameterProblem[];
}

interface Found {
  readonly name: string;
  readonly origin: Origin;
  readonly text: string;
  /** The next place that has it too. */
  readonly alsoIn?: Origin | undefined;
}

const FROM_ENV = 'FromEnv';

/** Reads every parameter; all problems at once. Values never appear in the messages about secret parameters. */
export function readParameters<P extends Parameters>(
  parameters: P,
  sources: ParameterSources,
): ReadParameters<P> {
  const values: Record<string, unknown> = {};
  const problems: ParameterProblem[] = [];
  const wrong: string[] = [];
  const notices: string[] = [];
  for (const [name, parameter] of Object.entries(parameters)) {
    const found = find(name, parameter, sources);
    const message =
      describeRemoved(name, parameter, sources) ?? assign(name, parameter, found, values);
    if (message !== undefined) {
      problems.push({ parameter: found?.name ?? name, message });
      wrong.push(name);
    }
    if (found !== undefined && parameter.deprecated !== undefined) {
      notices.push(`${found.name} is deprecated: ${parameter.deprecated}`);
    }
  }
  const unknown = findUnknown(parameters, sources.metadata);
  return { values: values as ValuesOf<P>, problems, wrong, notices, unknown };
}

/** The names that metadata may have, those that name an environment variable included. */
export function metadataNames(parameters: Parameters): readonly string[] {
  return Object.entries(parameters).flatMap(([name, { aliases, from }]) =>
    [name, ...aliases].flatMap((spelling) => [
      ...(from.includes('metadata') ? [spelling] : []),
      ...(from.includes('environment') ? [`${spelling}${FROM_ENV}`] : []),
    ]),
  );
}

/**
 * The metadata with `<parameter>FromEnv` in place of a parameter whose text is the name of an environment variable, or
 * of the key that one comes from, for parameters that may name one (`host: RabbitMqHost`, an old form of KEDA's).
 * @param isKnown Whether the container has it. Where nobody knows, the form of the text decides.
 */
export function spellOutVariables(
  parameters: Parameters,
  metadata: Readonly<Record<string, string>>,
  isKnown: (text: string) => boolean = (text) => /^[A-Za-z_][\w-]*$/.test(text),
): Readonly<Record<string, string>> {
  const namesVariable = (key: string, text: string) =>
    mayNameVariable(parameters, key) && isKnown(text.trim());
  return Object.fromEntries(
    Object.entries(metadata).map(([key, text]) => [
      namesVariable(key, text) ? `${key}${FROM_ENV}` : key,
      text,
    ]),
  );
}

/** Texts that may name a variable or key of the container, if that has it. */
export function possibleVariables(
  parameters: Parameters,
  metadata: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(metadata)
    .filter(([key]) => mayNameVariable(parameters, key))
    .map(([, text]) => text.trim())
    .filter((text) => /^[\w.-]+$/.test(text));
}

function mayNameVariable(parameters: Parameters, key: string): boolean {
  return Object.entries(parameters).some(
    ([name, { mayNameVariable: may, aliases }]) => may === true && [name, ...aliases].includes(key),
  );
}

/** The environment variables that metadata names, by the metadata key. */
export function namedVariables(
  metadata: Readonly<Record<string, string>>,
): readonly (readonly [key: string, variable: string])[] {
  return Object.entries(metadata)
    .filter(([key, variable]) => key.endsWith(FROM_ENV) && variable.trim() !== '')
    .map(([key, variable]) => [key, variable.trim()] as const);
}

function find(
  name: string,
  { from, aliases }: Parameter<unknown>,
  sources: ParameterSources,
): Found | undefined {
  const [first, second] = [name, ...aliases].flatMap((spelling) =>
    from.flatMap((origin) => {
      const text = textFrom(origin, spelling, sources)?.trim();
      return text ? [{ name: spelling, origin, text }] : [];
    }),
  );
  return first && { ...first, alsoIn: second?.origin };
}

function textFrom(origin: Origin, name: string, sources: ParameterSources): string | undefined {
  if (origin === 'metadata') return own(sources.metadata, name);
  if (origin === 'authentication') return own(sources.authentication, name);
  const variable = own(sources.metadata, `${name}${FROM_ENV}`)?.trim();
  return variable === undefined ? undefined : own(sources.environment, variable);
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function describeRemoved(
  name: string,
  { removedFromMetadata: cure }: Parameter<unknown>,
  { metadata }: ParameterSources,
): string | undefined {
  if (cure === undefined || !own(metadata, name)?.trim()) return undefined;
  return `may no longer stand in the metadata: ${cure}`;
}

/** Puts the value in its place, or says why there is none. */
function assign(
  name: string,
  parameter: Parameter<unknown>,
  found: Found | undefined,
  values: Record<string, unknown>,
): string | undefined {
  if (found === undefined) {
    if (parameter.default !== undefined) values[name] = parameter.default;
    return parameter.required ? `is missing: ${whereToGive(name, parameter)}` : undefined;
  }
  const refusal = refuse(parameter, found);
  if (refusal !== undefined) return refusal;
  try {
    values[name] = parameter.parse(found.text);
    return undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const quoted =
      parameter.secret || found.origin !== 'metadata' ? '' : ` and not "${found.text}"`;
    return `${error.message}${quoted}`;
  }
}

/** Why a value that was found may not be given at all. */
function refuse({ removed, isSingle }: Parameter<unknown>, found: Found): string | undefined {
  if (removed !== undefined) return `is no longer supported: ${removed}`;
  if (!isSingle || found.alsoIn === undefined) return undefined;
  return `is given twice, in ${found.origin} and ${found.alsoIn}: keep one`;
}

function whereToGive(name: string, { from }: Parameter<unknown>): string {
  const places: Readonly<Record<Origin, string>> = {
    metadata: `${name} in the trigger's metadata`,
    authentication: `${name} in a TriggerAuthentication`,
    environment: `${name}${FROM_ENV} in the metadata with the name of an environment variable`,
  };
  return `give ${from.map((origin) => places[origin]).join(', or ')}`;
}

function findUnknown(
  parameters: Parameters,
  metadata: Readonly<Record<string, string>>,
): readonly ParameterProblem[] {
  const known = metadataNames(parameters);
  const isRemoved = (key: string) => parameters[key]?.removedFromMetadata !== undefined;
  return Object.keys(metadata)
    .filter((key) => !known.includes(key) && !isRemoved(key))
    .map((key) => ({ parameter: key, message: describeUnknown(key, known) }));
}

function describeUnknown(key: string, known: readonly string[]): string {
  const suggestion = didYouMean(key, known);
  return `is not a parameter of this trigger${suggestion === undefined ? '' : ` (${suggestion})`}`;
}
