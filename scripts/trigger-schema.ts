/** The JSON Schema of all triggers, for editors and other programs. */
import { apiVersionOf, TSPROV_NAMES } from '../src/scaler/names.ts';
import type { Parameters } from '../src/scaler/parameters.ts';
import type { AnyTrigger, Parameter } from '../src/scaler/trigger.ts';
import { defaultText } from './trigger-page.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Types whose metadata is handed on to a source that knows what it means. */
const FREE_METADATA = new Set(['external', 'external-push']);

/** One schema for each type; `x-authentication` lists what a TriggerAuthentication may give. */
export function triggersSchema(triggers: readonly AnyTrigger[]): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Triggers of ${apiVersionOf(TSPROV_NAMES)}`,
    type: 'object',
    required: ['type', 'metadata'],
    properties: { type: { enum: triggers.map(({ type }) => type) } },
    oneOf: triggers.map(triggerSchema),
  };
}

function triggerSchema({ type, summary, parameters, open, canCache }: AnyTrigger): JsonSchema {
  const all = Object.entries(parameters as Parameters).filter(
    ([, { removed }]) => removed === undefined,
  );
  const metricTypes =
    open === undefined ? ['AverageValue', 'Utilization'] : ['AverageValue', 'Value'];
  const authentication = all.filter(([, { from }]) => from.includes('authentication'));
  return {
    title: type,
    description: summary,
    properties: {
      type: { const: type },
      name: { type: 'string', description: 'Unique in the object; formulas and metrics use it.' },
      metricType: { enum: metricTypes },
      ...(canCache !== false && { useCachedMetrics: { type: 'boolean' } }),
      metadata: metadataSchema(type, all),
      authenticationRef: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          kind: { enum: ['TriggerAuthentication', 'ClusterTriggerAuthentication'] },
        },
      },
    },
    'x-authentication': Object.fromEntries(
      authentication.flatMap(([name, parameter]) =>
        spellings(name, parameter).map((each) => [each, parameter.description]),
      ),
    ),
  };
}

type Entry = readonly [name: string, parameter: Parameter<unknown>];

function metadataSchema(type: string, all: readonly Entry[]): JsonSchema {
  const properties = all.flatMap(([name, parameter]) =>
    spellings(name, parameter).flatMap((spelling) => members(spelling, parameter)),
  );
  const required = all
    .filter(([, { required: isRequired, from, aliases }]) => {
      return isRequired && aliases.length === 0 && from.every((origin) => origin === 'metadata');
    })
    .map(([name]) => name);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
    additionalProperties: FREE_METADATA.has(type) ? { type: 'string' } : false,
  };
}

function members(
  name: string,
  parameter: Parameter<unknown>,
): readonly (readonly [string, JsonSchema])[] {
  const { from, description, deprecated, kind, choices } = parameter;
  const fallback = defaultText(parameter);
  const own = {
    type: 'string',
    description,
    ...(kind === 'choice' && { enum: choices }),
    ...(fallback !== undefined && { default: fallback }),
    ...(deprecated !== undefined && { deprecated: true }),
  };
  const variable = { type: 'string', description: `Environment variable that holds ${name}.` };
  return [
    ...(from.includes('metadata') ? [[name, own] as const] : []),
    ...(from.includes('environment') ? [[`${name}FromEnv`, variable] as const] : []),
  ];
}

function spellings(name: string, { aliases }: Parameter<unknown>): readonly string[] {
  return [name, ...aliases];
}
