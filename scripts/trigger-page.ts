/** The reference page of a trigger, in Markdown. */
import { stringify } from 'yaml';
import { metricNameOf } from '../src/scaler/decide/metrics.ts';
import { apiVersionOf, TSPROV_NAMES } from '../src/scaler/names.ts';
import type { Parameters } from '../src/scaler/parameters.ts';
import type { AnyTrigger, Origin, Parameter } from '../src/scaler/trigger.ts';
import { exampleOf, readExample } from './trigger-examples.ts';

const API_VERSION = apiVersionOf(TSPROV_NAMES);

/** Title, summary, how it was proved, parameters, metric and an example. */
export function renderTriggerPage(trigger: AnyTrigger, proof: string): string {
  const parts = [
    `# ${trigger.type}`,
    trigger.summary,
    proof,
    '## Parameters',
    parameterTable(trigger.parameters as Parameters),
    ...(trigger.notes === undefined ? [] : ['## Notes', ...trigger.notes]),
    '## Metric',
    describeMetric(trigger),
    ...(trigger.canCache === false ? ['`useCachedMetrics` cannot be set.'] : []),
    '## Example',
    `\`\`\`yaml\n${renderExample(trigger).trimEnd()}\n\`\`\``,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The list of all triggers, with links. */
export function renderTriggerIndex(triggers: readonly AnyTrigger[]): string {
  const rows = triggers.map(
    ({ type, summary }) => `| [${type}](${type}.md) | ${inCell(summary)} |`,
  );
  return `# Triggers

Each page lists what goes into \`metadata\`, what a TriggerAuthentication may give, and what can be taken from the
environment of the scale target's container: there \`<parameter>FromEnv\` in the metadata names the variable.
\`tsprov-scaler validate\` checks manifests against these pages; \`../triggers.schema.json\` is the same for editors.

| trigger | what it does |
| --- | --- |
${rows.join('\n')}
`;
}

/** The manifests of the example: a ScaledObject, and where its credentials come from. */
export function renderExample(trigger: AnyTrigger): string {
  const { metadata, authentication = {}, metricType } = exampleOf(trigger);
  const hasCredentials = Object.keys(authentication).length > 0;
  const object = {
    apiVersion: API_VERSION,
    kind: 'ScaledObject',
    metadata: { name: 'orders', namespace: 'shop' },
    spec: {
      scaleTargetRef: { name: 'orders' },
      ...(trigger.open === undefined && { minReplicaCount: 1 }),
      triggers: [
        {
          type: trigger.type,
          ...(metricType !== undefined && { metricType }),
          metadata,
          ...(hasCredentials && { authenticationRef: { name: 'orders' } }),
        },
      ],
    },
  };
  const documents = hasCredentials ? [object, ...credentials(authentication)] : [object];
  return documents.map((document) => stringify(document, { lineWidth: 0 })).join('---\n');
}

function credentials(authentication: Readonly<Record<string, string>>): readonly object[] {
  const metadata = { name: 'orders', namespace: 'shop' };
  return [
    {
      apiVersion: API_VERSION,
      kind: 'TriggerAuthentication',
      metadata,
      spec: {
        secretTargetRef: Object.keys(authentication).map((parameter) => ({
          parameter,
          name: 'orders',
          key: parameter,
        })),
      },
    },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: authentication },
  ];
}

function parameterTable(parameters: Parameters): string {
  const rows = Object.entries(parameters).map(([name, parameter]) => parameterRow(name, parameter));
  const head = '| parameter | type | from | default | meaning |\n| --- | --- | --- | --- | --- |';
  return [head, ...rows].join('\n');
}

function parameterRow(name: string, parameter: Parameter<unknown>): string {
  const { aliases, description, deprecated, removed } = parameter;
  const names = [code(name), ...aliases.map((alias) => `(${code(alias)})`)].join(' ');
  const notes = [
    description,
    ...(removed === undefined ? [] : [`No longer supported: ${removed}.`]),
    ...(deprecated === undefined ? [] : [`Deprecated: ${deprecated}.`]),
  ];
  const cells = [
    names,
    typeOf(parameter),
    parameter.from.map((origin) => placeOf(origin, name)).join(', '),
    parameter.required ? '**required**' : defaultOf(parameter),
    inCell(notes.join(' ')),
  ];
  return `| ${cells.join(' | ')} |`;
}

function typeOf({ kind, choices, secret }: Parameter<unknown>): string {
  const type = choices === undefined ? kind : choices.map(code).join(', ');
  const whole = kind === 'list' && choices !== undefined ? `list of ${type}` : type;
  return secret ? `${whole}, secret` : whole;
}

function placeOf(origin: Origin, name: string): string {
  return origin === 'environment' ? code(`${name}FromEnv`) : origin;
}

function defaultOf(parameter: Parameter<unknown>): string {
  const text = defaultText(parameter);
  return text === undefined ? '' : code(text);
}

/** The default as a manifest would have it. */
export function defaultText({ kind, default: value }: Parameter<unknown>): string | undefined {
  if (value === undefined) return undefined;
  if (kind === 'duration') return `${value}ms`;
  if (value instanceof URLSearchParams) return value.toString();
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value ?? {})
    .map(([key, each]) => `${key}=${each}`)
    .join(',');
}

function describeMetric(trigger: AnyTrigger): string {
  const { metric } = readExample(trigger);
  if (metric === undefined) return 'The source names its metrics and their targets.';
  if (metric.kind === 'resource') {
    return 'None of ours: the HPA reads it from the metrics server. A ScaledObject with such triggers alone cannot go to zero.';
  }
  const name = metricNameOf(0, metric.name);
  return `Of the example below, as the first trigger: ${code(name)}, target ${code(String(metric.target))}.`;
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|').replaceAll('\n', '\\n')}\``;
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
