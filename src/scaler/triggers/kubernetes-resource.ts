import { parseQuantity } from '../../shared/quantity.ts';
import { choice, defineTrigger, number, optional, text, type ValuesOf } from '../trigger.ts';
import { LOCATION_NOTES, problemOfLocation, readDocumentValue } from './support/document-value.ts';
import { checkTarget } from './support/target.ts';

const parameters = {
  resourceKind: choice(['ConfigMap', 'Secret'], 'Kind of the object, in the same namespace.'),
  resourceName: text('Name of the object.'),
  key: text('Key of its data that holds the number.'),
  format: choice(['number', 'json', 'yaml'], 'What is under the key.', { default: 'number' }),
  valueLocation: optional(text('Path to the number within JSON or YAML, such as queue.length.')),
  valueType: choice(
    ['float64', 'int64', 'quantity'],
    'A number, a whole number, or an amount such as 2Gi.',
    { default: 'float64' },
  ),
  targetValue: number('What one replica should carry.'),
  activationTargetValue: number('Stay at zero up to this many.', { default: 0 }),
};
type Values = ValuesOf<typeof parameters>;

export const kubernetesResource = defineTrigger({
  type: 'kubernetes-resource',
  summary: 'Scales on a number in a ConfigMap or Secret of the same namespace.',
  notes: [
    ...LOCATION_NOTES,
    'With format `number` the number at the start counts, and what follows it does not.',
  ],
  parameters,

  check: (values, context) => [
    ...checkTarget('targetValue', values.targetValue, context),
    ...checkLocation(values),
  ],

  metric: ({ resourceKind, resourceName, key, targetValue }) => ({
    kind: 'external',
    name: `${resourceKind.toLowerCase()}-${resourceName}-${key}`,
    target: targetValue,
  }),

  open: (values, { cluster, object }) => ({
    async read() {
      const { resourceKind: kind, resourceName: name, key } = values;
      const data = await cluster.data(kind, object.namespace, name);
      if (data === undefined) {
        throw new Error(`${kind} ${name} does not exist in namespace ${object.namespace}`);
      }
      const content = Object.hasOwn(data, key) ? data[key] : undefined;
      if (content === undefined) throw new Error(`${kind} ${name} has no key ${key}`);
      const value = readValue(content, values);
      return { value, isActive: value > values.activationTargetValue };
    },
    close: async () => {}, // Nothing is kept open.
  }),
});

function checkLocation({ format, valueLocation }: Values): readonly string[] {
  if (format === 'number') {
    if (valueLocation === undefined) return [];
    return ['valueLocation has no meaning with format number: leave it out, or set json or yaml'];
  }
  if (valueLocation === undefined) return [`valueLocation is missing: format ${format} needs it`];
  const problem = problemOfLocation(format, valueLocation);
  return problem === undefined ? [] : [`valueLocation ${problem}`];
}

/** @throws {Error} without the content: it may be a Secret's. */
function readValue(content: string, values: Values): number {
  const { resourceKind, resourceName, key, format, valueLocation = '' } = values;
  const where = `${resourceKind} ${resourceName}: key ${key}`;
  try {
    const value =
      format === 'number'
        ? parseContent(content.trim(), values)
        : readDocumentValue(content, format, valueLocation);
    return values.valueType === 'int64' ? Math.trunc(value) : value;
  } catch (error) {
    throw new Error(`${where} ${(error as Error).message}`, { cause: error });
  }
}

/** Of a number, the digits at the start count and what follows does not. */
function parseContent(content: string, { valueType }: Values): number {
  if (valueType === 'quantity') return parseQuantity(content) ?? refuse('amount, such as 2Gi');
  const pattern =
    valueType === 'int64' ? /^[+-]?\d+/ : /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/;
  const [digits] = pattern.exec(content) ?? refuse('number');
  return Number(digits);
}

function refuse(expected: string): never {
  throw new Error(`holds no ${expected}`);
}
