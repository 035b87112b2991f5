/** Checking values against JSON Schemas and fields. */
import { ArgumentReader } from './arguments.ts';
import { type ArgumentRules, checkConstraints } from './constraints.ts';
import { InvalidInput, type Place } from './errors.ts';
import type { Field } from './schema.ts';
import { type Schema, validatorOf } from './schema-compiler.ts';
import { describeFindings, type Finding, formatPath, type ValueProblem } from './schema-problem.ts';

/** A function that names everything in a value that a JSON Schema forbids. Compiles when first called. */
export function compileSchema(schema: Schema) {
  return (data: unknown): ValueProblem[] => describeFindings(findings(schema, data));
}

function findings(schema: Schema, data: unknown): readonly Finding[] {
  const validate = validatorOf(schema);
  return validate(data) ? [] : ((validate.errors ?? []) as readonly Finding[]); // Ajv types parentSchema loosely.
}

/**
 * What is wrong with the arguments of a module as they stand in a file. A value for which `isTemplated` holds
 * is accepted as anything, at any depth. Paths are the user's own, aliases included.
 */
export function checkArgs(
  field: Field<unknown>,
  rules: ArgumentRules,
  input: Readonly<Record<string, unknown>>,
  { isTemplated }: { readonly isTemplated: (value: unknown) => boolean },
): ValueProblem[] {
  return readArgs(field, rules, input, isTemplated).problems;
}

/**
 * The arguments of a module from rendered values: aliases resolved, types converted, defaults filled in.
 * Throws InvalidInput with every problem; `placeOf` finds where the value at a path was written.
 */
export function parseArgs<Args>(
  field: Field<Args>,
  rules: ArgumentRules,
  input: Readonly<Record<string, unknown>>,
  placeOf: (path: ValueProblem['path']) => Place | undefined = () => undefined,
): Args {
  const { values, problems } = readArgs(field, rules, input, () => false);
  if (problems.length === 0) return values as Args; // The schema that was checked describes Args.
  throw new InvalidInput(
    problems.map(({ path, message, hint }) => ({ place: placeOf(path), message, hint })),
  );
}

function readArgs(
  field: Field<unknown>,
  rules: ArgumentRules,
  input: Readonly<Record<string, unknown>>,
  isTemplated: (value: unknown) => boolean,
): { readonly values: Record<string, unknown>; readonly problems: ValueProblem[] } {
  const reader = new ArgumentReader(isTemplated);
  const values = reader.arguments(field.shape ?? {}, input, rules.openArgs ?? false);
  const limits = findings(field.schema, values).filter((finding) => isNews(reader, finding));
  const problems = [
    ...reader.problems,
    ...describeFindings(limits).map((problem, i) => inUserTerms(reader, limits[i], problem)),
    ...checkConstraints(rules, { presence: reader.presence, values }),
  ];
  return { values, problems };
}

/** Names and types were judged by the reader; what is left to the schema are limits on the values. */
function isNews({ settled }: ArgumentReader, { keyword, instancePath }: Finding): boolean {
  return (
    !['required', 'additionalProperties', 'type'].includes(keyword) && !settled.has(instancePath)
  );
}

function inUserTerms(
  { spots }: ArgumentReader,
  finding: Finding | undefined,
  problem: ValueProblem,
): ValueProblem {
  const spot = spots.get(finding?.instancePath ?? '');
  if (spot === undefined) return problem; // A default of the module's own: its author's mistake.
  if (spot.secret)
    return { path: spot.path, message: `${formatPath(spot.path)}: the value does not fit` };
  const [, fact = problem.message] = /: (.*)$/s.exec(problem.message) ?? [];
  return { ...problem, path: spot.path, message: `${formatPath(spot.path)}: ${fact}` };
}
