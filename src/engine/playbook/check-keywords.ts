/** Checks a mapping of the playbook language against the schema of its level, at the place of each fault. */

import { didYouMean } from '../../shared/errors.ts';
import { compileSchema } from '../../shared/validate.ts';
import {
  Float,
  type Position,
  Timestamp,
  TrustedTemplate,
  type Value,
  VaultText,
} from '../values.ts';
import { toValue, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { actionGroupKeys, actionGroups, isActionGroup } from './action-groups.ts';
import { KEYWORD_SCHEMA, KEYWORDS, type Level, TYPE_NAMES } from './keywords.ts';
import { isNotYet } from './not-yet.ts';
import { entryOf, type Source, textOf } from './source.ts';

const check = compileSchema(KEYWORD_SCHEMA);

/** Records a problem for every keyword of the mapping whose value has the wrong type or is not built yet. */
export function checkKeywords(source: Source, level: Level, map: YamlMap): void {
  const data = Object.fromEntries(
    map.entries
      .filter(({ key }) => typeof key === 'string' && KEYWORDS[key]?.levels.includes(level))
      .map(({ key, node }) => [key, toJson(toValue(node))]),
  );
  const faulty = new Set(check(data).map(({ path }) => String(path[0])));
  for (const name of faulty) wrongType(source, map, name);
  for (const name of Object.keys(data)) if (!faulty.has(name)) notYet(source, map, name);
  checkModuleDefaults(source, entryOf(map, 'module_defaults')?.node);
}

/** Every key of module_defaults must be a module: a misspelt one would silently set nothing. */
function checkModuleDefaults(source: Source, node: YamlNode | undefined): void {
  if (node === undefined || node.kind === 'scalar') return;
  const maps = node.kind === 'list' ? node.items : [node];
  for (const map of maps) {
    if (map.kind !== 'map') continue;
    for (const { key, keyPosition } of map.entries)
      checkDefaultsOf(source, String(key), keyPosition);
  }
}

function checkDefaultsOf(source: Source, name: string, position: Position): void {
  if (isActionGroup(name)) {
    if (actionGroups(name).length > 0) return;
    const hint = didYouMean(name, actionGroupKeys()) ?? 'name the modules one by one';
    source.problem(position, `module_defaults: there is no action group "${name}"`, hint);
    return;
  }
  // Defaults of a module that no task can use do no harm.
  if (source.options.resolveModule(name) !== undefined || isNotYet(name)) return;
  const hint = didYouMean(name, source.options.moduleNames());
  source.problem(position, `module_defaults: there is no module "${name}"`, hint);
}

function wrongType(source: Source, map: YamlMap, name: string): void {
  const entry = entryOf(map, name);
  const type = KEYWORDS[name]?.type ?? 'any';
  source.problem(entry?.node.position, `${name} is ${TYPE_NAMES[type]}${butIs(entry?.node)}`);
}

function butIs(node: YamlNode | undefined): string {
  if (node?.kind === 'map') return ', not a mapping';
  if (node?.kind === 'list') return ', not a list';
  const value = textOf(node?.value);
  return value === undefined ? '' : `, not "${value}"`;
}

function notYet(source: Source, map: YamlMap, name: string): void {
  const entry = entryOf(map, name);
  const reason = KEYWORDS[name]?.notYet;
  if (reason !== undefined) {
    source.problem(entry?.keyPosition, `the keyword "${name}" is not supported yet`, reason);
  }
  if (KEYWORDS[name]?.literal === true && entry?.node.kind === 'scalar') {
    const template = entry.node.value instanceof TrustedTemplate;
    if (template) source.problem(entry.node.position, `${name} takes no template`);
  }
}

/** Plain data for a JSON Schema; a template is its text. */
function toJson(value: Value): unknown {
  if (value instanceof TrustedTemplate) return value.text;
  if (value instanceof VaultText) return '{{ vault }}';
  if (value instanceof Float) return value.value;
  if (value instanceof Timestamp) return value.text;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, member]) => [String(key), toJson(member)]));
  }
  return value;
}
