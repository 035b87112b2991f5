/** Everything in `docs/` that is made of the scaler's own declarations: resources, options, metrics. */
import type { Option } from 'commander';
import { runCommand } from '../src/scaler/cli/commands/run.ts';
import { KEDA_NAMES, TSPROV_NAMES } from '../src/scaler/names.ts';
import { resources } from '../src/scaler/resources/all.ts';
import type { JsonSchema } from '../src/scaler/resources/openapi.ts';
import type { Resource } from '../src/scaler/resources/resource.ts';
import { BUCKETS, namesOf, readFamily } from '../src/scaler/web/metric-families.ts';

/** Texts by their path below `docs/`. */
export function renderScalerDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['scaler-resources.md', renderResources()],
    ['scaler-options.md', renderOptions()],
    ['scaler-metrics.md', renderMetrics()],
  ]);
}

function renderResources(): string {
  const intro = `# Resources of the scaler

Every field of \`${TSPROV_NAMES.group}/v1alpha1\`. \`tsprov-scaler crds\` prints the definitions for the cluster; what the fields
do together stands in [scaler.md](scaler.md). \`[]\` marks members of a list, \`<name>\` members with free names.`;
  return `${[intro, ...resources.map(renderResource)].join('\n\n')}\n`;
}

function renderResource(resource: Resource): string {
  const { kind, plural, shortNames, isNamespaced, description, spec, status } = resource;
  const head = [
    `\`${plural}\`, short ${shortNames.map(code).join(', ')}`,
    isNamespaced ? 'namespaced' : 'cluster-wide',
  ];
  return [
    `## ${kind}`,
    `${description} (${head.join('; ')})`,
    table(['field', 'type', 'meaning'], rowsBelow('spec', spec.json)),
    ...rulesOf(spec.json),
    'Written by the operator:',
    table(['field', 'type', 'meaning'], rowsBelow('status', status.json)),
  ].join('\n\n');
}

/** The checks that the API server makes beyond the types. */
function rulesOf({ 'x-kubernetes-validations': rules }: JsonSchema): readonly string[] {
  const messages = (rules ?? []) as readonly { readonly message: string }[]; // Our own builders.
  return messages.length === 0
    ? []
    : [`The API server refuses: ${messages.map(({ message }) => message).join('; ')}.`];
}

type Row = readonly string[];

/** A row for each member, at any depth. */
function rowsBelow(path: string, schema: JsonSchema): readonly Row[] {
  const { properties, items, additionalProperties, required = [] } = schema;
  if (isSchema(items)) return rowsBelow(`${path}[]`, items);
  if (isSchema(additionalProperties)) return rowsBelow(`${path}.<name>`, additionalProperties);
  if (!isSchema(properties)) return [];
  return Object.entries(properties).flatMap(([name, member]) => {
    if (!isSchema(member)) return [];
    const isRequired = (required as readonly string[]).includes(name);
    const row = [code(`${path}.${name}`), typeOf(member, isRequired), meaningOf(member)];
    return [row, ...rowsBelow(`${path}.${name}`, member)];
  });
}

function typeOf(schema: JsonSchema, isRequired: boolean): string {
  const words = [plainType(schema), limits(schema), isRequired ? '**required**' : ''];
  return words.filter((word) => word !== '').join(', ');
}

function plainType({ type, format, enum: choices, items, additionalProperties }: JsonSchema) {
  if (Array.isArray(choices))
    return choices.map((choice) => (choice === '' ? 'empty' : code(String(choice)))).join(', ');
  if (isSchema(items)) return `list of ${nounOf(items)}`;
  if (isSchema(additionalProperties)) return `map of ${nounOf(additionalProperties)}`;
  if (format === 'date-time') return 'time';
  return NOUNS[String(type)]?.one ?? String(type);
}

const NOUNS: Readonly<Record<string, { readonly one: string; readonly many: string }>> = {
  string: { one: 'text', many: 'texts' },
  integer: { one: 'integer', many: 'integers' },
  number: { one: 'number', many: 'numbers' },
  boolean: { one: 'boolean', many: 'booleans' },
  object: { one: 'object', many: 'objects' },
};

function nounOf({ type }: JsonSchema): string {
  return NOUNS[String(type)]?.many ?? String(type);
}

function limits({ minimum, maximum, minItems }: JsonSchema): string {
  if (typeof minItems === 'number') return `at least ${minItems}`;
  if (minimum === undefined) return '';
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}

function meaningOf({ description, default: fallback }: JsonSchema): string {
  const suffix = fallback === undefined ? '' : ` Default: ${String(fallback)}.`;
  return `${String(description)}${suffix}`;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function renderOptions(): string {
  const rows = runCommand().options.map((option) => [
    code(option.flags),
    defaultOf(option),
    `${option.description}${option.envVar === undefined ? '' : ` (also \`${option.envVar}\`)`}`,
  ]);
  return `# Options of \`tsprov-scaler run\`

What they are for stands in [scaler.md](scaler.md). Times are written as Go writes them: \`500ms\`, \`15s\`, \`1h30m\`.

${table(['option', 'default', 'meaning'], rows)}
`;
}

function defaultOf({ defaultValue, defaultValueDescription, negate }: Option): string {
  if (negate || defaultValue === undefined || defaultValue === false) return '';
  if (defaultValueDescription !== undefined) return code(defaultValueDescription);
  return Array.isArray(defaultValue) ? '' : code(String(defaultValue));
}

function renderMetrics(): string {
  const rows = (['gauge', 'counter', 'histogram'] as const).flatMap((kind) =>
    namesOf(kind).map((name) => {
      const { labels, help } = readFamily(name);
      return [code(`${TSPROV_NAMES.metricPrefix}${name}`), kind, labels.map(code).join(', '), help];
    }),
  );
  return `# Metrics of the scaler

Served at \`/metrics\` of \`--metrics-address\`. With \`--compat keda\` the prefix is \`${KEDA_NAMES.metricPrefix}\`; the rest of the names and the
labels are KEDA's in either case. Buckets of histograms, in seconds: ${BUCKETS.join(', ')}.

${table(['metric', 'kind', 'labels', 'meaning'], rows)}

Of the process itself: \`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`, \`process_start_time_seconds\`,
\`nodejs_heap_size_used_bytes\`.
`;
}

function table(head: Row, rows: readonly Row[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(inCell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function code(text: string): string {
  return `\`${text}\``;
}
