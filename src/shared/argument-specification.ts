/** Checks values against a role's argument specification, as Ansible's argument_specs declare it. */
import {
  checkDependencies,
  checkExclusive,
  isMapping,
  type Mapping,
} from './argument-dependencies.ts';
import { checkChoices, readOption } from './argument-values.ts';

/** The options of one level, the rules between them, and the names of the options that led to it. */
interface Level {
  readonly options: Mapping;
  readonly rules: Mapping;
  readonly path: readonly string[];
}

interface Unknown {
  readonly name: string;
  readonly supported: string;
}

/** What is wrong, one sentence for each fault, those of all levels; values that no option knows come last. */
export function checkSpecification(options: Mapping, values: Mapping): string[] {
  const unknown: Unknown[] = [];
  const faults = checkLevel({ options, rules: {}, path: [] }, values, unknown);
  const last = unknown.at(-1);
  if (last === undefined) return faults;
  const names = unknown.map(({ name }) => name).sort();
  return [...faults, `${names.join(', ')}. Supported parameters include: ${last.supported}.`];
}

function checkLevel(level: Level, values: Mapping, unknown: Unknown[]): string[] {
  const { options, rules, path } = level;
  const given = withoutAliases(options, values);
  unknown.push(...unknownNames(level, given));
  const full = withDefaults(options, given);
  const readings = eachOption(options, (name, option) =>
    full[name] === undefined
      ? []
      : [{ name, option, ...readOption(name, option, full[name], path) }],
  );
  const read = { ...full, ...Object.fromEntries(readings.map(({ name, value }) => [name, value])) };
  const within = (faults: string[]) =>
    path.length === 0 ? faults : faults.map((fault) => `${fault} found in ${path.join(' -> ')}`);
  return [
    ...within(wrongOptions(options)),
    ...within(checkExclusive(rules, given)),
    ...within(missing(options, full)),
    ...readings.flatMap(({ faults }) => faults),
    ...within(readings.flatMap(({ name, option, value }) => checkChoices(name, option, value))),
    ...within(checkDependencies(rules, read)),
    ...readings.flatMap(({ name, option, value }) =>
      checkInside([...path, name], option, value, unknown),
    ),
  ];
}

function checkInside(
  path: readonly string[],
  option: Mapping,
  value: unknown,
  unknown: Unknown[],
): string[] {
  const { options, type, elements } = option;
  if (!isMapping(options) || value === null) return [];
  if (type !== 'dict' && !(type === 'list' && elements === 'dict')) return [];
  const items = Array.isArray(value) ? value : [value];
  const mappings = items.filter(isMapping);
  if (type === 'dict' && mappings.length === 0) {
    return [`value of '${path.at(-1)}' must be of type dict or list of dicts`];
  }
  return mappings.flatMap((item) => checkLevel({ options, rules: option, path }, item, unknown));
}

function eachOption<T>(options: Mapping, look: (name: string, option: Mapping) => T[]): T[] {
  return Object.entries(options).flatMap(([name, option]) => look(name, mappingOf(option)));
}

function mappingOf(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

function withoutAliases(options: Mapping, values: Mapping): Mapping {
  const names = new Map(
    Object.entries(options).flatMap(([name, option]) =>
      aliasesOf(option).map((alias) => [alias, name] as const),
    ),
  );
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [names.get(name) ?? name, value]),
  );
}

function aliasesOf(option: unknown): string[] {
  const { aliases } = mappingOf(option);
  return Array.isArray(aliases) ? aliases.map(String) : [];
}

function unknownNames({ options, path }: Level, given: Mapping): Unknown[] {
  const supported = Object.entries(options)
    .map(([name, option]) => {
      const aliases = aliasesOf(option);
      return aliases.length === 0 ? name : `${name} (${aliases.join(', ')})`;
    })
    .sort()
    .join(', ');
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(options, name))
    .map((name) => ({ name: [...path, name].join('.'), supported }));
}

function withDefaults(options: Mapping, given: Mapping): Mapping {
  const defaults = Object.entries(options).flatMap(([name, option]) => {
    const { default: value, apply_defaults: apply, options: inner } = mappingOf(option);
    if (value !== undefined && value !== null) return [[name, value]];
    return apply === true && isMapping(inner) ? [[name, {}]] : [];
  });
  return { ...Object.fromEntries(defaults), ...given };
}

function wrongOptions(options: Mapping): string[] {
  return Object.entries(options).flatMap(([name, option]) =>
    isMapping(option) ? [] : [`the specification of ${name} must be a mapping`],
  );
}

function missing(options: Mapping, given: Mapping): string[] {
  const names = Object.entries(options).flatMap(([name, option]) =>
    mappingOf(option)['required'] === true && given[name] === undefined ? [name] : [],
  );
  return names.length === 0 ? [] : [`missing required arguments: ${names.sort().join(', ')}`];
}
