/** How the arguments of a module depend on each other. */
import { isDeepStrictEqual } from 'node:util';
import type { ValueProblem } from './schema-problem.ts';

/** Rules between arguments. Names are canonical ones; an alias counts as its argument. */
export interface ArgumentRules {
  readonly mutuallyExclusive?: readonly (readonly string[])[] | undefined;
  readonly requiredTogether?: readonly (readonly string[])[] | undefined;
  readonly requiredOneOf?: readonly (readonly string[])[] | undefined;
  readonly requiredIf?:
    | readonly {
        readonly argument: string;
        readonly value: unknown;
        readonly needs: readonly string[];
        readonly any?: boolean;
      }[]
    | undefined;
  readonly requiredBy?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Whether arguments beyond the declared ones are accepted. */
  readonly openArgs?: boolean | undefined;
}

/** What is known of the arguments: `maybe` is a template that might turn out to be omitted. */
export interface GivenArguments {
  readonly presence: ReadonlyMap<string, 'given' | 'maybe'>;
  /** Converted values and defaults; templates are absent. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Everything that the rules forbid. What a template may still mend is not a problem yet. */
export function checkConstraints(rules: ArgumentRules, given: GivenArguments): ValueProblem[] {
  const messages = [
    ...exclusive(rules, given),
    ...together(rules, given),
    ...oneOf(rules, given),
    ...conditional(rules, given),
    ...needed(rules, given),
  ];
  return messages.map((message) => ({ path: [], message }));
}

function* exclusive({ mutuallyExclusive = [] }: ArgumentRules, given: GivenArguments) {
  for (const group of mutuallyExclusive) {
    const present = group.filter((name) => isGiven(given, name));
    if (present.length > 1) yield `arguments are mutually exclusive: ${present.join(', ')}`;
  }
}

function* together({ requiredTogether = [] }: ArgumentRules, given: GivenArguments) {
  for (const group of requiredTogether) {
    const absent = group.filter((name) => isAbsent(given, name));
    if (absent.length > 0 && group.some((name) => isGiven(given, name))) {
      yield `arguments are required together: ${group.join(', ')}; missing: ${absent.join(', ')}`;
    }
  }
}

function* oneOf({ requiredOneOf = [] }: ArgumentRules, given: GivenArguments) {
  for (const group of requiredOneOf) {
    if (!group.every((name) => isAbsent(given, name))) continue;
    yield `one of these arguments is required: ${group.join(', ')}`;
  }
}

function* conditional({ requiredIf = [] }: ArgumentRules, given: GivenArguments) {
  for (const { argument, value, needs, any = false } of requiredIf) {
    if (!isDeepStrictEqual(given.values[argument], value)) continue;
    const absent = needs.filter((name) => isAbsent(given, name));
    if (absent.length === 0 || (any && absent.length < needs.length)) continue;
    const quantity = any ? 'one of these arguments is' : 'these arguments are';
    yield `${argument} is ${String(value)}, and ${quantity} missing: ${absent.join(', ')}`;
  }
}

function* needed({ requiredBy = {} }: ArgumentRules, given: GivenArguments) {
  for (const [name, needs] of Object.entries(requiredBy)) {
    const absent = needs.filter((need) => isAbsent(given, need));
    if (absent.length === 0 || !isGiven(given, name)) continue;
    yield `${name} requires these arguments, which are missing: ${absent.join(', ')}`;
  }
}

function isGiven({ presence }: GivenArguments, name: string): boolean {
  return presence.get(name) === 'given';
}

/** A default counts as given where an argument is needed. */
function isAbsent({ presence, values }: GivenArguments, name: string): boolean {
  return !presence.has(name) && values[name] === undefined;
}
