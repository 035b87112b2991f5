/** Checks the parameters of triggers without a cluster: what only the cluster knows counts as given. */
import { brokenRules, sourceProblems } from '../broken-rules.ts';
import { describeUnknownType } from '../known-types.ts';
import type { Parameter, Parameters } from '../parameters.ts';
import { readParameters, spellOutVariables } from '../read-parameters.ts';
import type { AnyTrigger, MetricType, TriggerContext } from '../trigger.ts';
import type { ObjectProblem } from './object-problem.ts';
import { isRecord, type Path } from './read-manifests.ts';

export type Registry = Readonly<Record<string, AnyTrigger>>;

export interface TriggerOwner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Its triggers feed a formula. */
  readonly hasFormula: boolean;
}

/** Types whose metadata is handed on to a source that knows what it means. */
const FREE_METADATA = new Set(['external', 'external-push']);

/** Every problem of the triggers of an object, as far as they have a shape that can be read. */
export function checkTriggers(
  specs: unknown,
  owner: TriggerOwner,
  registry: Registry,
): readonly ObjectProblem[] {
  if (!Array.isArray(specs)) return [];
  return specs.flatMap((spec: unknown, index) => {
    const path = ['spec', 'triggers', index];
    return isRecord(spec) ? checkTrigger(spec, index, path, owner, registry) : [];
  });
}

function checkTrigger(
  spec: Readonly<Record<string, unknown>>,
  index: number,
  path: Path,
  owner: TriggerOwner,
  registry: Registry,
): readonly ObjectProblem[] {
  const { type, metadata } = spec;
  if (typeof type !== 'string' || type === '') return [];
  const trigger = Object.hasOwn(registry, type) ? registry[type] : undefined;
  if (trigger === undefined) {
    const message = describeUnknownType(type, Object.keys(registry));
    return [{ path: [...path, 'type'], message, isSentence: true }];
  }
  const metricTypeProblems = checkMetricType(spec['metricType'], trigger, path);
  if (!isRecord(metadata)) return metricTypeProblems;
  const context: TriggerContext = {
    object: owner,
    index,
    name: typeof spec['name'] === 'string' ? spec['name'] : undefined,
    metricType: metricTypeOf(spec['metricType'], trigger),
    isMember: owner.hasFormula,
  };
  const texts = spellOutVariables(
    trigger.parameters,
    Object.fromEntries(Object.entries(metadata).map(([key, each]) => [key, String(each)])),
  );
  const isAuthenticated = spec['authenticationRef'] !== undefined;
  return [
    ...metricTypeProblems,
    ...checkParameters({ trigger, texts, isAuthenticated, path: [...path, 'metadata'] }, context),
  ];
}

interface Subject {
  readonly trigger: AnyTrigger;
  readonly texts: Readonly<Record<string, string>>;
  readonly isAuthenticated: boolean;
  readonly path: Path;
}

function checkParameters(subject: Subject, context: TriggerContext): readonly ObjectProblem[] {
  const { trigger, texts, path } = subject;
  const parameters: Parameters = trigger.parameters;
  const sources = { metadata: texts, authentication: {}, environment: {} };
  const { values, problems, wrong, notices, unknown } = readParameters(parameters, sources);
  const elsewhere = Object.entries(parameters)
    .filter(([name, parameter]) => !(name in values) && mayBeElsewhere(name, parameter, subject))
    .map(([name]) => name);
  const isHere = (name: string) => !elsewhere.includes(name);
  const doubts = { wrong: wrong.filter(isHere), elsewhere };
  return [
    ...problems
      .filter(({ parameter }) => isHere(parameter))
      .map(({ parameter, message }) => ({ path: [...path, parameter], message })),
    ...brokenRules(trigger, values, doubts, context).map((message) => ({
      path,
      message,
      isSentence: true,
    })),
    ...[...sourceProblems(trigger, values, doubts, context), ...notices].map((message) => ({
      path,
      message,
      isSentence: true,
      isWarning: true,
    })),
    ...(FREE_METADATA.has(trigger.type) ? [] : unknown).map(({ parameter, message }) => ({
      path: [...path, parameter],
      message,
      isKey: true,
      // Without a near name it may be a parameter of another version, which does no harm.
      isWarning: !message.includes('did you mean'),
    })),
  ];
}

/** Whether a value that is not in the metadata may come from the authentication or the environment. */
function mayBeElsewhere(
  name: string,
  { from, aliases }: Parameter<unknown>,
  { texts, isAuthenticated }: Subject,
): boolean {
  const isGiven = (spelling: string) => Object.hasOwn(texts, spelling) && texts[spelling] !== '';
  const spellings = [name, ...aliases];
  if (spellings.some(isGiven)) return false;
  if (isAuthenticated && from.includes('authentication')) return true;
  return from.includes('environment') && spellings.some((each) => isGiven(`${each}FromEnv`));
}

function metricTypeOf(given: unknown, trigger: AnyTrigger): MetricType | undefined {
  if (given === 'AverageValue' || given === 'Value' || given === 'Utilization') return given;
  return trigger.open === undefined ? undefined : 'AverageValue';
}

/** Triggers that only the HPA reads check it themselves. */
function checkMetricType(
  given: unknown,
  trigger: AnyTrigger,
  path: Path,
): readonly ObjectProblem[] {
  if (given === undefined || given === '' || typeof given !== 'string') return [];
  if (given === 'AverageValue' || given === 'Value') return [];
  if (trigger.open === undefined && given === 'Utilization') return [];
  const message =
    given === 'Utilization'
      ? 'Utilization works for cpu and memory only: use AverageValue or Value'
      : `must be AverageValue, Value or (cpu and memory) Utilization and not "${given}"`;
  return [{ path: [...path, 'metricType'], message }];
}
