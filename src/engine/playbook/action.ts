/** Finds the module of a task and reads its arguments, in every spelling that Ansible accepts. */
import { didYouMean } from '../../shared/errors.ts';
import { parseFreeForm } from '../../shared/words.ts';
import { type Dict, hasTemplate, type Position, TrustedTemplate, type Value } from '../values.ts';
import { toValue, type YamlEntry, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { legacyAction, partOf, type Spelt } from './action-spelling.ts';
import type { Unavailable } from './model.ts';
import {
  isNamed,
  nameElsewhere,
  nameInCollections,
  resolveName,
  unknownModule,
} from './module-names.ts';
import { entryOf, readDict, type Source, textOf } from './source.ts';

export interface Action {
  /** As written. */
  readonly action: string;
  readonly module: string;
  readonly moduleTemplate: Value | undefined;
  /** A module that Ansible has and tsprov has not; `module` is then empty. */
  readonly unavailable: Unavailable | undefined;
  readonly args: Dict;
  readonly argsTemplates: readonly Value[];
  readonly argPositions: ReadonlyMap<string, Position>;
  readonly position: Position;
  /** Set by `local_action`. */
  readonly onController: boolean;
}

/** Stands for a module that is not known here: its name is a template, or it is not available. */
const UNKNOWN = '';

/** Argument that holds free-form text until the module's own name for it is known. */
export const FREE_FORM = '_raw_params';

const COMMAND_OPTIONS = [
  'creates',
  'removes',
  'chdir',
  'executable',
  'stdin',
  'stdin_add_newline',
  'strip_empty_ends',
  'warn',
];
const COMMANDS = new Set(['command', 'shell', 'raw', 'script']);
const FREE_FORM_MODULES = new Set([
  ...COMMANDS,
  'meta',
  'include_vars',
  'include_tasks',
  'include_role',
  'import_tasks',
  'import_role',
  'add_host',
  'group_by',
  'set_fact',
]);

/** Reads the action of a task mapping; records problems and gives undefined where there is none to run. */
export function readAction(
  source: Source,
  map: YamlMap,
  isKeyword: (key: string) => boolean,
  collections: readonly string[] = [],
): Action | undefined {
  const legacy = legacyAction(source, map);
  const entries = map.entries.filter((entry) => {
    const key = textOf(entry.key);
    return key !== undefined && !isKeyword(key) && !key.startsWith('with_');
  });
  if (legacy !== undefined) {
    for (const entry of entries) conflicting(source, entry, legacy.name);
    return finish(source, map, { ...legacy, collections });
  }
  const [first, ...others] = knownFirst(source, entries, collections);
  if (first === undefined) {
    source.problem(
      map.position,
      'this task names no module',
      'add one, e.g. "ansible.builtin.debug:"',
    );
    return undefined;
  }
  const name = textOf(first.key) ?? '';
  for (const entry of others) conflicting(source, entry, name);
  const options = { name, node: first.node, position: first.keyPosition, onController: false };
  return finish(source, map, { ...options, collections });
}

/** A key that is a module goes before one that nobody knows, so that a misspelt keyword is named as such. */
function knownFirst(source: Source, entries: readonly YamlEntry[], collections: readonly string[]) {
  const isModule = ({ key }: YamlEntry) => isNamed(source, String(key), collections);
  return [...entries.filter(isModule), ...entries.filter((entry) => !isModule(entry))];
}

function conflicting(source: Source, entry: YamlEntry, chosen: string): void {
  const key = String(textOf(entry.key));
  if (isNamed(source, key)) {
    source.problem(
      entry.keyPosition,
      `the task has two modules, "${chosen}" and "${key}"`,
      'make two tasks of it',
    );
    return;
  }
  const hint =
    didYouMean(key, source.keywordNames) ?? 'indent it under the module if it is an argument';
  source.problem(entry.keyPosition, `"${key}" is neither a keyword of a task nor a module`, hint);
}

function finish(source: Source, map: YamlMap, spelt: Spelt): Action | undefined {
  const known = spelt.template === undefined && spelt.name !== '';
  const resolved = known ? resolveName(source.options, spelt.name, spelt.collections) : undefined;
  const full =
    known && resolved === undefined
      ? (nameElsewhere(source.options, spelt.name, spelt.collections) ??
        nameInCollections(source, spelt.name, spelt.collections))
      : undefined;
  if (resolved === undefined && full === undefined && spelt.template === undefined) {
    if (known) unknownModule(source, spelt);
    return undefined;
  }
  const module = resolved ?? UNKNOWN;
  const own = readArgs(source, module, spelt.node);
  const more = readExtraArgs(source, map);
  return {
    action: spelt.name,
    module,
    moduleTemplate: spelt.template,
    unavailable: full === undefined ? undefined : { full, position: spelt.position },
    args: new Map([...more.args, ...own.args]),
    argsTemplates: [...more.templates, ...own.templates],
    argPositions: new Map([...more.positions, ...own.positions]),
    position: spelt.position,
    onController: spelt.onController,
  };
}

interface Args {
  readonly args: Dict;
  readonly positions: ReadonlyMap<string, Position>;
  /** Templates that come to more arguments. */
  readonly templates: readonly Value[];
}
const NONE: Args = { args: new Map(), positions: new Map(), templates: [] };

function readArgs(source: Source, module: string, node: YamlNode | undefined): Args {
  if (node === undefined || (node.kind === 'scalar' && node.value === null)) return NONE;
  if (node.kind === 'map') return mappingArgs(source, module, node);
  if (node.kind === 'list') {
    source.problem(
      node.position,
      `the arguments of ${module} are a list`,
      'write them as "name: value" lines',
    );
    return NONE;
  }
  const text = textOf(node.value);
  if (text === undefined) {
    source.problem(node.position, `the arguments of ${module} are neither text nor a mapping`);
    return NONE;
  }
  return textArgs(source, module, text, node);
}

function mappingArgs(source: Source, module: string, node: YamlMap): Args {
  const positions = new Map(node.entries.map((entry) => [String(entry.key), entry.keyPosition]));
  const args = readDict(source, node, `the arguments of ${module}`);
  return { args, positions, templates: [] };
}

function textArgs(source: Source, module: string, text: string, node: YamlNode): Args {
  const { position } = node;
  const isData = node.kind === 'scalar' && typeof node.value === 'string' && hasTemplate(text);
  const parsed = parseFreeForm(text, COMMANDS.has(module) ? COMMAND_OPTIONS : 'any');
  if (parsed.problem !== undefined) {
    source.problem(position, `${parsed.problem}: ${text.trim()}`, 'close it, or give a mapping');
    return NONE;
  }
  const wrap = (word: string): Value => (isData ? word : partOf(node, word));
  const args = new Map<string, Value>(
    Object.entries(parsed.options).map(([name, value]) => [name, wrap(value)]),
  );
  const positions = new Map([...args.keys()].map((name) => [name, position]));
  if (parsed.text === '') return { args, positions, templates: [] };
  if (isDictTemplate(module, parsed.text)) {
    return { args, positions, templates: [wrap(parsed.text.trim())] };
  }
  if (module !== UNKNOWN && !FREE_FORM_MODULES.has(module)) {
    source.problem(
      position,
      `the module "${module}" takes no free-form text ("${parsed.text}")`,
      'write name=value pairs or a mapping',
    );
    return NONE;
  }
  args.set(FREE_FORM, wrap(COMMANDS.has(module) ? parsed.text : parsed.text.trim()));
  positions.set(FREE_FORM, position);
  return { args, positions, templates: [] };
}

/** `file: "{{ … }}"`: the template comes to a dict of arguments, where the module has no other use for text. */
function isDictTemplate(module: string, text: string): boolean {
  const takesText = FREE_FORM_MODULES.has(module) && module !== 'add_host';
  return module !== UNKNOWN && !takesText && /^\{\{.*\}\}$/s.test(text.trim());
}

function readExtraArgs(source: Source, map: YamlMap): Args {
  const entry = entryOf(map, 'args');
  if (entry === undefined) return NONE;
  if (entry.node.kind === 'map') return mappingArgs(source, 'args', entry.node);
  const value = toValue(entry.node);
  if (value instanceof TrustedTemplate) return { ...NONE, templates: [value] };
  if (value !== null)
    source.problem(entry.node.position, 'args is neither a mapping nor a template');
  return NONE;
}
