/** Checks a mapping of the playbook language against the schema of its level, at the place of each fault. */

import { didYouMean, type Problem } from '../../shared/errors.ts';
import { compileSchema } from '../../shared/validate.ts';
import {
  type Dict,
  Float,
  type Position,
  Timestamp,
  TrustedTemplate,
  type Value,
  VaultText,
} from '../values.ts';
import { toValue, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { actionGroupKeys, actionGroups, isActionGroup } from './action-groups.ts';
import {
  KEYWORD_SCHEMA,
  KEYWORDS,
  type KeywordType,
  keywordsOf,
  type Level,
  LOOP_CONTROL,
  TYPE_NAMES,
} from './keywords.ts';
import { nameElsewhere } from './module-names.ts';
import { entryOf, type Source, textOf } from './source.ts';

const check = compileSchema(KEYWORD_SCHEMA);

/** Records a problem for every keyword of the mapping whose value has the wrong type or is not built yet. */
export function checkKeywords(source: Source, level: Level, map: YamlMap): void {
  const data = Object.fromEntries(
    map.entries
      .filter(({ key }) => typeof key === 'string' && KEYWORDS[key]?.levels.includes(level))
      .map(({ key, node }) => [key, toJson(toValue(node))]),
  );
  const isIdle = (name: string) => isIdleNull(level, name, data[name]);
  const faulty = wrongIn(data);
  for (const name of faulty) if (!isIdle(name)) wrongType(source, map, name);
  for (const name of Object.keys(data))
    if (!faulty.has(name) && !isIdle(name)) checkLiteral(source, map, name);
  if (level !== 'task' && level !== 'handler') source.problems.push(...notBuiltYet(level, map));
  checkModuleDefaults(source, entryOf(map, 'module_defaults')?.node);
  checkLoopControl(source, entryOf(map, 'loop_control')?.node);
}

/** Most keywords of an import_playbook have no effect, so that null is no fault. */
function isIdleNull(level: Level, name: string, value: unknown): boolean {
  return level === 'import_playbook' && value === null && name !== 'tags';
}

/** What is no single value can be no text; other types are rendered first. */
function checkLoopControl(source: Source, node: YamlNode | undefined): void {
  if (node?.kind !== 'map') return;
  for (const entry of node.entries) {
    const name = String(entry.key);
    const type = LOOP_CONTROL[name];
    if (type === undefined) source.unknownKey(entry, 'loop_control', Object.keys(LOOP_CONTROL));
    else if (type === 'text' && entry.node.kind !== 'scalar') wrongType(source, node, name, type);
  }
}

/** Names of the keywords whose values have the wrong type. */
function wrongIn(data: Readonly<Record<string, unknown>>): Set<string> {
  const missing = Object.keys(data).filter(
    (name) => data[name] === null && KEYWORDS[name]?.needed === true,
  );
  return new Set([...check(data).map(({ path }) => String(path[0])), ...missing]);
}

/** Types that the tasks find out about: their keywords may be templates. */
const RENDERED: ReadonlySet<KeywordType | undefined> = new Set(['bool', 'int', 'float']);

/** What is wrong with keywords that an include hands down under `apply`, or undefined. */
export function appliedProblem(keywords: Dict): string | undefined {
  const known = keywordsOf('block');
  const stranger = [...keywords.keys()].find((name) => !known.includes(name));
  if (stranger !== undefined) return `"${stranger}" under apply is not a keyword of a block`;
  const data = Object.fromEntries([...keywords].map(([name, value]) => [name, toJson(value)]));
  const [wrong] = [...wrongIn(data)].filter((name) => !RENDERED.has(KEYWORDS[name]?.type));
  if (wrong === undefined) return undefined;
  return `${wrong} under apply is ${TYPE_NAMES[KEYWORDS[wrong]?.type ?? 'any']}`;
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
  if (source.options.resolveModule(name) !== undefined) return;
  if (nameElsewhere(source.options, name) !== undefined) return;
  const hint = didYouMean(name, source.options.moduleNames());
  source.problem(position, `module_defaults: there is no module "${name}"`, hint);
}

function wrongType(
  source: Source,
  map: YamlMap,
  name: string,
  type: KeywordType = KEYWORDS[name]?.type ?? 'any',
): void {
  const entry = entryOf(map, name);
  source.problem(entry?.node.position, `${name} is ${TYPE_NAMES[type]}${butIs(entry?.node)}`);
}

function butIs(node: YamlNode | undefined): string {
  if (node?.kind === 'map') return ', not a mapping';
  if (node?.kind === 'list') return ', not a list';
  const value = node?.value === null ? 'null' : textOf(node?.value);
  return value === undefined ? '' : `, not "${value}"`;
}

/** What the keywords of a mapping ask for that Ansible has and tsprov has not. */
export function notBuiltYet(level: Level, map: YamlMap): Problem[] {
  return map.entries.flatMap(({ key, node, keyPosition: place }) => {
    const { levels, notYet: hint } = KEYWORDS[String(key)] ?? {};
    if (hint === undefined || levels?.includes(level) !== true || isOff(node)) return [];
    return [{ place, message: `the keyword "${String(key)}" is not supported yet`, hint }];
  });
}

/** Whether a keyword is written, and asks for nothing. */
function isOff(node: YamlNode): boolean {
  return node.kind === 'scalar' && (node.value === null || node.value === 0);
}

function checkLiteral(source: Source, map: YamlMap, name: string): void {
  const node = entryOf(map, name)?.node;
  const { literal, asWritten } = KEYWORDS[name] ?? {};
  const template = [node, ...(node?.kind === 'list' ? node.items : [])].find(isTemplate);
  if (template === undefined) return;
  if (literal === true && template === node)
    source.problem(template.position, `${name} takes no template`);
  if (asWritten === true) {
    const message = `${name} takes no template: it is used as it is written`;
    source.warnings.push({ place: template.position, message });
  }
}

function isTemplate(node: YamlNode | undefined): boolean {
  return node?.kind === 'scalar' && node.value instanceof TrustedTemplate;
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
