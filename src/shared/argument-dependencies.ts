/** The rules of an argument specification that tie options to each other, in the words of Ansible. */

export type Mapping = Readonly<Record<string, unknown>>;

/** Options of which only one may be given. */
export function checkExclusive({ mutually_exclusive: groups }: Mapping, given: Mapping): string[] {
  const clashes = namesIn(groups).filter(
    (names) => names.filter((name) => Object.hasOwn(given, name)).length > 1,
  );
  if (clashes.length === 0) return [];
  const shown = clashes.map((names) => names.join('|')).join(', ');
  return [`parameters are mutually exclusive: ${shown}`];
}

/** Options that need others: of each rule the first fault. */
export function checkDependencies(rules: Mapping, given: Mapping): string[] {
  return [together, oneOf, conditional, needed].flatMap((check) => {
    const [first] = check(rules, given);
    return first === undefined ? [] : [first];
  });
}

function* together({ required_together: groups }: Mapping, given: Mapping) {
  for (const names of namesIn(groups)) {
    const count = names.filter((name) => Object.hasOwn(given, name)).length;
    if (count > 0 && count < names.length) {
      yield `parameters are required together: ${names.join(', ')}`;
    }
  }
}

function* oneOf({ required_one_of: groups }: Mapping, given: Mapping) {
  for (const names of namesIn(groups)) {
    if (!names.some((name) => Object.hasOwn(given, name))) {
      yield `one of the following is required: ${names.join(', ')}`;
    }
  }
}

function* conditional({ required_if: rules }: Mapping, given: Mapping) {
  for (const [name, value, wanted, any] of listsIn(rules)) {
    if (typeof name !== 'string' || given[name] !== value) continue;
    const names = asNames(wanted);
    const missing = names.filter((each) => !Object.hasOwn(given, each));
    if (missing.length === 0 || (any === true && missing.length < names.length)) continue;
    const number = any === true ? 'any' : 'all';
    yield `${name} is ${value} but ${number} of the following are missing: ${missing.join(', ')}`;
  }
}

function* needed({ required_by: rules }: Mapping, given: Mapping) {
  for (const [name, wanted] of isMapping(rules) ? Object.entries(rules) : []) {
    const missing = asNames(wanted).filter((each) => !Object.hasOwn(given, each));
    if (Object.hasOwn(given, name) && missing.length > 0) {
      yield `missing parameter(s) required by '${name}': ${missing.join(', ')}`;
    }
  }
}

function namesIn(groups: unknown): string[][] {
  return listsIn(groups).map(asNames);
}

function listsIn(value: unknown): unknown[][] {
  return Array.isArray(value) ? value.filter(Array.isArray) : [];
}

function asNames(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

/** Whether a value is a mapping, as values of playbooks reach modules. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
