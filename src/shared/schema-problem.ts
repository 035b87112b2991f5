/** Wording of what Ajv finds, for the people who wrote the value. */
import { didYouMean } from './errors.ts';
import { table } from './table.ts';

/** One thing wrong in a value. The place in a file is found from the path. */
export interface ValueProblem {
  /** Keys and indexes from the outermost value to the one that is meant. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The part of Ajv's finding that is used here. */
export interface Finding {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** Makes problems of findings; what the branches of `anyOf` say is told as one. */
export function describeFindings(findings: readonly Finding[]): ValueProblem[] {
  const unions = findings.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const dropped = new Set<Finding>(unions.flatMap((union) => noise(union, findings)));
  return findings.filter((finding) => !dropped.has(finding)).map(describe);
}

/** What to leave out: all branches, or where one branch fits in type, the union and the other branches. */
function noise(union: Finding, findings: readonly Finding[]): readonly Finding[] {
  const prefix = `${union.schemaPath}/`;
  const inside = findings.filter(
    ({ schemaPath, instancePath }) =>
      schemaPath.startsWith(prefix) && instancePath.startsWith(union.instancePath),
  );
  const branch = (finding: Finding) => finding.schemaPath.slice(prefix.length).split('/')[0];
  const misfits = inside.filter(
    ({ keyword, instancePath }) => keyword === 'type' && instancePath === union.instancePath,
  );
  const unfit = new Set(misfits.map(branch));
  const near = new Set(inside.map(branch).filter((each) => !unfit.has(each)));
  if (near.size !== 1) return inside;
  return [union, ...inside.filter((finding) => !near.has(branch(finding)))];
}

function describe(finding: Finding): ValueProblem {
  const path = parsePointer(finding.instancePath);
  const wording: (finding: Finding) => Wording =
    WORDINGS[finding.keyword] ?? (() => ({ message: 'is not valid' }));
  const { key, message, hint } = wording(finding);
  const fullPath = key === undefined ? path : [...path, key];
  const subject = key === undefined && path.length > 0 ? `${formatPath(path)}: ` : '';
  return { path: fullPath, message: `${subject}${message}`, hint };
}

interface Wording {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The unknown key, where that is the place. */
  readonly key?: string;
}

const WORDINGS: Readonly<Record<string, (finding: Finding) => Wording>> = table({
  type: ({ params, data }) => ({ message: `${quoted(data)} is not ${typeNames(params['type'])}` }),
  enum: ({ params, data }) => {
    const values = params['allowedValues'] as readonly unknown[]; // Ajv's documented parameter.
    const hint = typeof data === 'string' ? didYouMean(data, values.map(String)) : undefined;
    return { message: `${quoted(data)} is not one of ${values.map(String).join(', ')}`, hint };
  },
  const: ({ params, data }) => ({
    message: `${quoted(data)} is not ${quoted(params['allowedValue'])}`,
  }),
  required: ({ params }) => ({ message: `"${String(params['missingProperty'])}" is missing` }),
  additionalProperties: ({ params, parentSchema }) => {
    const key = String(params['additionalProperty']);
    const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {}); // JSON Schema's own shape.
    return {
      key,
      message: `"${key}" is not known here`,
      hint: didYouMean(key, known) ?? `known: ${known.join(', ')}`,
    };
  },
  pattern: ({ params, data }) => ({
    message: `${quoted(data)} does not match ${String(params['pattern'])}`,
  }),
  minLength: ({ data }) => ({ message: data === '' ? 'is empty' : `${quoted(data)} is too short` }),
  minItems: () => ({ message: 'has too few entries' }),
  minimum: limit,
  maximum: limit,
  exclusiveMinimum: limit,
  exclusiveMaximum: limit,
  anyOf: ({ data, parentSchema }) => ({
    message: `${quoted(data)} is not ${branchTypes(parentSchema)}`,
  }),
});

function limit({ params, data }: Finding): Wording {
  return { message: `${quoted(data)} is not ${String(params['comparison'])} ${params['limit']}` };
}

function branchTypes(schema: Finding['parentSchema']): string {
  const branches = (schema?.['anyOf'] ?? schema?.['oneOf'] ?? []) as { type?: unknown }[]; // JSON Schema's own shape.
  return typeNames(branches.flatMap(({ type }) => type ?? 'something else'));
}

const TYPE_NAMES: Readonly<Record<string, string>> = table({
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'a mapping',
  null: 'empty',
});

function typeNames(types: unknown): string {
  const list = Array.isArray(types) ? types : [types];
  return [...new Set(list.map((type) => TYPE_NAMES[String(type)] ?? String(type)))].join(' or ');
}

function quoted(data: unknown): string {
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object' && data !== null) return 'a mapping';
  return data === null ? 'an empty value' : `"${String(data)}"`;
}

/** The keys and indexes of a JSON pointer. */
function parsePointer(pointer: string): (string | number)[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) =>
    /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
}

/** `items[2].name` for the path of a value. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${key}`))
    .join('');
}
