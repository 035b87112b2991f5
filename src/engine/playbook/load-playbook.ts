/** Loads a playbook file: its plays with everything that is known before hosts are. */
import { dirname, join, resolve } from 'node:path';
import type { Dict, Position, Value } from '../values.ts';
import { toValue, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { checkKeywords } from './check-keywords.ts';
import { collectedPlaybook } from './collections.ts';
import { asList, handedDown, passDown, warnOfIdle } from './handed-down.ts';
import { KEYWORDS, keywordsOf } from './keywords.ts';
import { loadRole, roleName, splitRoleEntry } from './load-role.ts';
import { loadTaskFile, loadTasks, readKeywords } from './load-tasks.ts';
import type { Block, Node, Play, Role, VarsFile } from './model.ts';
import { readPrompts } from './prompts.ts';
import { entryOf, isFile, listItems, readVariables, type Source, textOf } from './source.ts';
import { strategyProblem } from './strategy.ts';
import type { TaskPlace } from './task-place.ts';

/** What an `import_playbook` hands down to the plays it imports. */
interface Inherited {
  readonly keywords: ReadonlyMap<string, Value>;
  readonly vars: Dict;
  readonly imports: readonly string[];
}
const TOP: Inherited = { keywords: new Map(), vars: new Map(), imports: [] };

/** The plays of a playbook file, those of imported playbooks in their place. Problems go to the source. */
export function loadPlaybook(source: Source, file: string, inherited: Inherited = TOP): Play[] {
  if (!isFile(file)) {
    source.problem(undefined, `the playbook "${file}" does not exist`);
    return [];
  }
  const node = source.read(file);
  if (node === undefined) return [];
  if (node.kind !== 'list') {
    source.problem(
      node.position,
      'a playbook is a list of plays',
      'start each play with "- hosts: …"',
    );
    return [];
  }
  const here = { ...inherited, imports: [...inherited.imports, resolve(file)] };
  return node.items.flatMap((item) => loadEntry(source, item, file, here));
}

function loadEntry(source: Source, item: YamlNode, file: string, inherited: Inherited): Play[] {
  if (item.kind !== 'map') {
    source.problem(item.position, 'a play is a mapping', 'write "- hosts: …" and its tasks below');
    return [];
  }
  const imported = item.entries.find(({ key }) =>
    /^(ansible\.(builtin|legacy)\.)?import_playbook$/.test(String(key)),
  );
  if (imported !== undefined)
    return importPlaybook(source, item, String(imported.key), file, inherited);
  return [loadPlay(source, item, file, inherited)];
}

function importPlaybook(
  source: Source,
  map: YamlMap,
  key: string,
  file: string,
  inherited: Inherited,
): Play[] {
  checkKeywords(source, 'import_playbook', map);
  for (const entry of map.entries) {
    const known =
      entry.key === key || KEYWORDS[String(entry.key)]?.levels.includes('import_playbook');
    if (!known) source.unknownKey(entry, 'an import_playbook', keywordsOf('import_playbook'));
    else if (entry.key !== key) warnOfIdle(source, entry);
  }
  const entry = entryOf(map, key);
  const vars = readVariables(source, entryOf(map, 'vars')?.node, 'vars');
  const known = new Map([...source.options.extraVars, ...vars]);
  const name =
    entry === undefined ? undefined : textOf(source.options.render(toValue(entry.node), known));
  if (name === undefined) {
    source.problem(map.position, 'import_playbook names no file');
    return [];
  }
  const path = importedFile(source, name, dirname(file));
  if (inherited.imports.includes(resolve(path)) || resolve(path) === resolve(file)) {
    source.problem(map.position, `the playbook "${name}" imports itself`);
    return [];
  }
  if (!isFile(path)) {
    source.problem(
      entry?.node.position,
      `the playbook "${name}" was not found`,
      `looked for ${path}`,
    );
    return [];
  }
  return loadPlaybook(source, path, {
    keywords: passDown(
      inherited.keywords,
      handedDown(readKeywords(source, map, 'import_playbook')),
    ),
    vars: new Map([...inherited.vars, ...vars]),
    imports: inherited.imports,
  });
}

/** A file beside the one that imports it, or a playbook of a collection. */
function importedFile(source: Source, name: string, playbookDir: string): string {
  const beside = join(playbookDir, name);
  if (isFile(beside)) return beside;
  const { collectionsPath } = source.options;
  return collectedPlaybook(name, { playbookDir, collectionsPath }) ?? beside;
}

function loadPlay(source: Source, map: YamlMap, file: string, inherited: Inherited): Play {
  checkPlayKeys(source, map);
  const own = readKeywords(source, map, 'play');
  const vars = readVariables(source, entryOf(map, 'vars')?.node, 'vars');
  const play = emptyPlay(map.position, dirname(file), {
    keywords: passDown(inherited.keywords, own),
    vars: new Map([...inherited.vars, ...vars]),
    name: own.get('name') ?? '',
    hosts: own.get('hosts') ?? '',
    varsFiles: readVarsFiles(entryOf(map, 'vars_files')?.node),
    prompts: readPrompts(source, entryOf(map, 'vars_prompt')?.node),
  });
  const imported: (readonly Node[])[] = [];
  const place = placeOf(source, play, { file, imported });
  play.roles = loadRoles(source, entryOf(map, 'roles')?.node, place);
  // Those that are listed come before those that they import.
  play.staticRoles.sort((a, b) => rank(play, a) - rank(play, b));
  play.preTasks = loadSection(source, map, 'pre_tasks', place);
  play.tasks = loadSection(source, map, 'tasks', place);
  play.postTasks = loadSection(source, map, 'post_tasks', place);
  const handlers = listItems(source, entryOf(map, 'handlers')?.node, 'handlers');
  const list: YamlNode = { kind: 'list', items: handlers, position: map.position };
  play.handlers.push(loadTasks(source, list, { ...place, handlers: true }), ...imported);
  return play;
}

function readVarsFiles(node: YamlNode | undefined): VarsFile[] {
  if (node === undefined || (node.kind === 'scalar' && node.value === null)) return [];
  const entries = node.kind === 'list' ? node.items : [node];
  return entries.map((entry) => ({ names: asList(toValue(entry)), position: entry.position }));
}

function rank({ roles }: Pick<Play, 'roles'>, role: Role): number {
  return roles.some((block) => block.role === role) ? 0 : 1;
}

interface MutablePlay
  extends Omit<Play, 'preTasks' | 'roles' | 'tasks' | 'postTasks' | 'handlers' | 'staticRoles'> {
  preTasks: readonly Node[];
  roles: readonly Block[];
  tasks: readonly Node[];
  postTasks: readonly Node[];
  handlers: (readonly Node[])[];
  staticRoles: Role[];
}

function emptyPlay(
  position: Position,
  playbookDir: string,
  given: Pick<Play, 'keywords' | 'vars' | 'name' | 'hosts' | 'varsFiles' | 'prompts'>,
): MutablePlay {
  return {
    ...given,
    kind: 'play',
    parent: undefined,
    role: undefined,
    position,
    playbookDir,
    preTasks: [],
    roles: [],
    tasks: [],
    postTasks: [],
    handlers: [],
    staticRoles: [],
  };
}

interface Loading {
  readonly file: string;
  /** Handlers of imported roles: they come after the play's own. */
  readonly imported: (readonly Node[])[];
}

function placeOf(source: Source, play: MutablePlay, { file, imported }: Loading): TaskPlace {
  return {
    parent: play,
    file,
    playbookDir: play.playbookDir,
    handlers: false,
    imports: [],
    variables: new Map([...play.vars, ...source.options.extraVars]),
    roles: {
      addRole: (role) => play.staticRoles.push(role),
      addHandlers: (handlers, { isImported }) =>
        (isImported ? imported : play.handlers).push(handlers),
    },
  };
}

function checkPlayKeys(source: Source, map: YamlMap): void {
  checkKeywords(source, 'play', map);
  for (const entry of map.entries) {
    const key = textOf(entry.key) ?? '';
    if (!KEYWORDS[key]?.levels.includes('play'))
      source.unknownKey(entry, 'a play', keywordsOf('play'));
  }
  const hosts = entryOf(map, 'hosts');
  if (hosts === undefined)
    source.problem(map.position, 'the play has no hosts', 'add "hosts: all" or a pattern');
  else if (isEmpty(hosts.node)) {
    source.problem(hosts.keyPosition, 'hosts is empty', 'name a group, a host or "all"');
  }
  const strategy = entryOf(map, 'strategy')?.node;
  const name = strategy?.kind === 'scalar' ? strategy.value : undefined;
  const unknown = typeof name === 'string' && strategyProblem(name, strategy?.position);
  if (unknown) source.problems.push(unknown);
}

function isEmpty(node: YamlNode): boolean {
  if (node.kind === 'list') return node.items.length === 0;
  return node.kind === 'scalar' && (node.value === null || textOf(node.value)?.trim() === '');
}

function loadSection(source: Source, map: YamlMap, key: string, place: TaskPlace): Node[] {
  return loadTasks(source, entryOf(map, key)?.node, place);
}

function loadRoles(source: Source, node: YamlNode | undefined, place: TaskPlace): Block[] {
  return listItems(source, node, 'roles').flatMap((item) => {
    const { name: written, keywords, vars, params } = splitRoleEntry(toValue(item));
    const name = roleName(source, written, new Map([...place.variables, ...vars, ...params]));
    if (name === undefined) {
      source.problem(item.position, 'a role entry names no role', 'write "- role: NAME"');
      return [];
    }
    if (item.kind === 'map') checkKeywords(source, 'role', item);
    const use = {
      name,
      place,
      position: item.position,
      keywords,
      vars,
      params,
      exported: true,
      loadFile: loadTaskFile,
    };
    const block = loadRole(source, use);
    return block === undefined ? [] : [block];
  });
}
