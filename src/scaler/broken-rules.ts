/** Holds a trigger's own rules against its parameters, also where some of them are not known. */
import type { Parameter, Parameters, ValuesOf } from './parameters.ts';
import type { AnyTrigger, TriggerContext } from './trigger.ts';

/** Parameters without a value that could be used. */
export interface Doubts {
  /** What was given for them is wrong. */
  readonly wrong: readonly string[];
  /** Their values stand where nobody looks now, or nowhere. */
  readonly elsewhere?: readonly string[];
}

/**
 * The sentences of the rules that are broken. A parameter in doubt has a stand-in, and sentences that name it are left
 * out, so that one mistake does not hide the others; one that decides which rules hold hides them all.
 */
export function brokenRules(
  trigger: AnyTrigger,
  values: ValuesOf<Parameters>,
  doubts: Doubts,
  context: TriggerContext,
): readonly string[] {
  return sentencesOf(trigger.check, trigger, values, doubts, context);
}

/** As `brokenRules`: the sentences of what the source cannot be asked with. */
export function sourceProblems(
  trigger: AnyTrigger,
  values: ValuesOf<Parameters>,
  doubts: Doubts,
  context: TriggerContext,
): readonly string[] {
  return sentencesOf(trigger.checkSource, trigger, values, doubts, context);
}

function sentencesOf(
  check: AnyTrigger['check'],
  { parameters }: AnyTrigger,
  values: ValuesOf<Parameters>,
  { wrong, elsewhere = [] }: Doubts,
  context: TriggerContext,
): readonly string[] {
  const of = (names: readonly string[]) => names.flatMap((name) => parameters[name] ?? []);
  const decisive = [...of(wrong), ...of(elsewhere).filter(({ required }) => required)];
  if (decisive.some(isDecisive)) return [];
  const doubtful = [...wrong, ...elsewhere];
  const standIns = doubtful.map((name) => [name, standInFor(parameters[name])] as const);
  const sentences = check?.({ ...values, ...Object.fromEntries(standIns) }, context) ?? [];
  const spellings = doubtful.flatMap((name) => [name, ...(parameters[name]?.aliases ?? [])]);
  return sentences.filter((sentence) => !spellings.some((name) => mentions(sentence, name)));
}

function isDecisive({ kind, choices }: Parameter<unknown>): boolean {
  return kind === 'boolean' || choices !== undefined;
}

/** A value of the right type of which little can be said. */
function standInFor(parameter: Parameter<unknown> | undefined): unknown {
  if (parameter === undefined || !parameter.required) return parameter?.default;
  const { kind } = parameter;
  if (kind === 'integer' || kind === 'number' || kind === 'duration') return 1;
  if (kind === 'list') return [];
  if (kind === 'map') return {};
  return kind === 'query' ? new URLSearchParams() : '';
}

function mentions(sentence: string, name: string): boolean {
  return new RegExp(`\\b${name.replace(/[^\w]/g, '\\$&')}\\b`, 'i').test(sentence);
}
