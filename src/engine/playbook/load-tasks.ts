/** Turns the YAML of task lists into blocks and tasks, with everything that can be resolved before a run. */
import { resolve } from 'node:path';
import { didYouMean } from '../../shared/errors.ts';
import { isVariableName, VARIABLE_NAME_RULE } from '../../shared/variable-name.ts';
import { TrustedTemplate, type Value } from '../values.ts';
import { placedText, toValue, type YamlList, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { type Action, readAction } from './action.ts';
import { ansibleName } from './ansible-world.ts';
import { checkKeywords, notBuiltYet } from './check-keywords.ts';
import { metaProblem } from './check-meta.ts';
import { collectionsOf } from './collections-of.ts';
import { INCLUDE_KEYWORDS, KEYWORDS, keywordsOf, type Level } from './keywords.ts';
import { importRole, importTasks } from './load-import.ts';
import type { Block, Node, Task } from './model.ts';
import { entryOf, listItems, readVariables, type Source, textOf } from './source.ts';
import { emptyBlock, type TaskPlace } from './task-place.ts';

/** Loads every entry of a list of tasks. */
export function loadTasks(source: Source, list: YamlNode | undefined, place: TaskPlace): Node[] {
  return listItems(source, list, 'a list of tasks').flatMap((item) =>
    loadEntry(source, item, place),
  );
}

/** Loads the tasks of a file. */
export function loadTaskFile(source: Source, file: string, place: TaskPlace): Node[] {
  const node = source.read(file);
  if (node?.kind === 'map') {
    source.problem(
      node.position,
      `${file} is a mapping, not a list of tasks`,
      'start each task with "- "',
    );
    return [];
  }
  return loadTasks(source, node, { ...place, file, imports: [...place.imports, resolve(file)] });
}

function loadEntry(source: Source, item: YamlList['items'][number], place: TaskPlace): Node[] {
  if (item.kind !== 'map') {
    source.problem(
      item.position,
      'a task is a mapping',
      'write "- name: …" and the module below it',
    );
    return [];
  }
  const isBlock = ['block', 'rescue', 'always'].some((key) => entryOf(item, key) !== undefined);
  return isBlock ? [loadBlock(source, item, place)] : loadTask(source, item, place);
}

function loadBlock(source: Source, map: YamlMap, place: TaskPlace): Block {
  checkKeys(source, map, 'block');
  const block = emptyBlock('block', place, map.position, {
    keywords: readKeywords(source, map, 'block'),
    vars: readVariables(source, entryOf(map, 'vars')?.node, 'vars'),
  });
  const inside = { ...place, parent: block };
  block.name = entryValue(map, 'name') ?? '';
  block.block = loadTasks(source, entryOf(map, 'block')?.node, inside);
  block.rescue = loadTasks(source, entryOf(map, 'rescue')?.node, inside);
  block.always = loadTasks(source, entryOf(map, 'always')?.node, inside);
  if (entryOf(map, 'block') === undefined) {
    source.problem(
      map.position,
      'rescue and always need a block',
      'add "block:" with the tasks they guard',
    );
  }
  return block;
}

function checkKeys(source: Source, map: YamlMap, level: Level): void {
  checkKeywords(source, level, map);
  for (const entry of map.entries) {
    const key = textOf(entry.key) ?? '';
    if (!KEYWORDS[key]?.levels.includes(level))
      source.unknownKey(entry, `a ${level}`, keywordsOf(level));
  }
}

/** Keywords of a mapping by name, as written. */
export function readKeywords(source: Source, map: YamlMap, level: Level): Map<string, Value> {
  const known = map.entries.filter(({ key }) => KEYWORDS[String(key)]?.levels.includes(level));
  const keywords = new Map(
    known.map(({ key, node }) => [String(key), keywordValue(String(key), node)]),
  );
  const repeated = map.entries.find(({ key }) => key === undefined);
  if (repeated !== undefined) source.problem(repeated.keyPosition, 'a key is empty');
  return keywords;
}

/** Conditions keep the place of their text, which is an expression also without braces. */
function keywordValue(name: string, node: YamlNode): Value {
  const { type, asWritten } = KEYWORDS[name] ?? {};
  if (asWritten === true) return written(toValue(node));
  if (type !== 'conditions') return toValue(node);
  if (node.kind === 'list') return node.items.map((item) => keywordValue(name, item));
  return placedText(node) ?? toValue(node);
}

function written(value: Value): Value {
  if (Array.isArray(value)) return value.map(written);
  return value instanceof TrustedTemplate ? value.text : value;
}

function entryValue(map: YamlMap, key: string): Value | undefined {
  const entry = entryOf(map, key);
  return entry === undefined ? undefined : toValue(entry.node);
}

const ROLE_ACTIONS = new Set(['import_role', 'include_role']);

function loadTask(source: Source, map: YamlMap, place: TaskPlace): Node[] {
  const level: Level = place.handlers ? 'handler' : 'task';
  checkKeywords(source, level, map);
  checkRegister(source, map);
  const isKeyword = (key: string) => KEYWORDS[key]?.levels.includes(level) === true;
  const action = readAction(
    source,
    map,
    isKeyword,
    collectionsOf(entryValue(map, 'collections'), place.parent),
  );
  if (action === undefined) return place.handlers ? [standIn(source, map, place)] : [];
  const task = makeTask(source, map, action, place);
  source.problems.push(...metaProblem(task));
  if (place.handlers && ROLE_ACTIONS.has(action.module)) {
    const hint = 'use include_tasks, or notify a handler of the role';
    source.problem(map.position, `${action.module} cannot be a handler`, hint);
    return [];
  }
  if (action.module === 'import_tasks') return importTasks(source, task, place, loadTaskFile);
  if (action.module === 'import_role') return importRole(source, task, place, loadTaskFile);
  if (action.module === 'include_tasks' || action.module === 'include_role')
    checkInclude(source, map, task);
  return [task];
}

/** Stands for a handler that is refused, so that who notifies it is not refused as well. */
function standIn(source: Source, map: YamlMap, place: TaskPlace): Task {
  const action = { action: '', module: '', moduleTemplate: undefined, unavailable: undefined };
  const args = { args: new Map(), argsTemplates: [], argPositions: new Map() };
  return makeTask(
    source,
    map,
    { ...action, ...args, position: map.position, onController: false },
    place,
  );
}

function checkRegister(source: Source, map: YamlMap): void {
  const entry = entryOf(map, 'register');
  const name = entry?.node.kind === 'scalar' ? entry.node.value : null;
  // A template is refused where keywords are read.
  if (name === null || typeof name === 'object') return;
  if (typeof name !== 'string' || !isVariableName(name)) {
    const problem = `register: "${String(name)}" is not a variable name`;
    source.problem(entry?.node.position, problem, VARIABLE_NAME_RULE);
  }
}

function makeTask(source: Source, map: YamlMap, action: Action, place: TaskPlace): Task {
  const level: Level = place.handlers ? 'handler' : 'task';
  const keywords = readKeywords(source, map, level);
  if (action.onController) keywords.set('delegate_to', 'localhost');
  return {
    node: 'task',
    parent: place.parent,
    position: map.position,
    file: place.file,
    name: entryValue(map, 'name') ?? '',
    action: action.action,
    module: action.module,
    moduleTemplate: action.moduleTemplate,
    unavailable: action.unavailable,
    notBuilt: notBuiltYet(level, map),
    args: action.args,
    argsTemplates: action.argsTemplates,
    argPositions: action.argPositions,
    keywords,
    vars: readVariables(source, entryOf(map, 'vars')?.node, 'vars'),
    loop: readLoop(source, map),
    isHandler: place.handlers,
  };
}

const LOOKUP_LOOPS = new Set(
  (
    'items list dict first_found fileglob sequence nested together subelements indexed_items random_choice lines ' +
    'env file template vars varnames password pipe inventory_hostnames flattened ini csvfile url'
  ).split(' '),
);

/** Collections whose loops have short names here. */
const COLLECTION = /^(ansible\.(builtin|legacy)|community\.general)\./;

/** The name of a lookup that there is, though not here. */
function lookupElsewhere({ options }: Source, name: string): string | undefined {
  return options.isPythonLookup?.(name) === true ? name : ansibleName('lookups', name);
}

function readLoop(source: Source, map: YamlMap): Task['loop'] {
  const loops = map.entries.filter(({ key, node }) => {
    const name = textOf(key) ?? '';
    return (name === 'loop' && !isNull(node)) || name.startsWith('with_');
  });
  const [first, second] = loops;
  if (second !== undefined)
    source.problem(second.keyPosition, 'a task has one loop', `there is "${first?.key}" already`);
  if (first === undefined) return undefined;
  const name = String(first.key);
  if (isNull(first.node))
    source.problem(first.keyPosition, `${name} is null`, 'give it a list, or leave it out');
  const lookup = name === 'loop' ? undefined : name.slice('with_'.length).replace(COLLECTION, '');
  const isKnown = lookup === undefined || LOOKUP_LOOPS.has(lookup);
  const full = isKnown ? undefined : lookupElsewhere(source, name.slice('with_'.length));
  if (!isKnown && full === undefined) {
    const meant = didYouMean(
      name,
      [...LOOKUP_LOOPS].map((each) => `with_${each}`),
    );
    const hint = meant ?? 'use loop with a filter or query()';
    source.problem(first.keyPosition, `there is no loop "${name}"`, hint);
  }
  const unavailable = full === undefined ? undefined : { full, position: first.keyPosition };
  return { lookup, unavailable, value: toValue(first.node), position: first.node.position };
}

function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

function checkInclude(source: Source, map: YamlMap, task: Task): void {
  for (const entry of map.entries) {
    const key = textOf(entry.key) ?? '';
    const isOwn = KEYWORDS[key] === undefined || INCLUDE_KEYWORDS.has(key);
    if (isOwn) continue;
    source.problem(
      entry.keyPosition,
      `"${key}" is not a valid keyword of ${task.module}`,
      `put it under apply: to give it to the included tasks`,
    );
  }
}
