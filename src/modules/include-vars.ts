import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import {
  type Controller,
  type Conversation,
  defineConversation,
  TaskError,
  type Value,
} from '../engine/module.ts';
import { InvalidInput } from '../shared/errors.ts';
import { PythonRegex, RegexSyntaxError } from '../shared/python-regex.ts';
import {
  boolean,
  choice,
  type Infer,
  integer,
  list,
  object,
  optional,
  string,
} from '../shared/schema.ts';

type Args = Infer<typeof args>;
type Variables = ReadonlyMap<string, Value>;

const args = object({
  file: optional(string('Variables file, YAML or JSON; searched as `vars_files` are.')),
  dir: optional(string('Directory whose variables files are read in alphabetical order.')),
  name: optional(string('Put the variables into a dict of this name.')),
  depth: integer('How deep to go below `dir`; 0 is without limit.', { default: 0 }),
  extensions: list(
    string('An extension without dot.'),
    'Extensions that files of `dir` must have.',
    {
      default: ['yaml', 'yml', 'json'],
    },
  ),
  files_matching: optional(string('Regular expression that names of files of `dir` must fit.')),
  ignore_files: optional(
    list(string('A regular expression for the end of a name.'), 'Files of `dir` to leave out.'),
  ),
  ignore_unknown_extensions: boolean('Leave files with other extensions out instead of failing.', {
    default: false,
  }),
  hash_behaviour: optional(
    choice(
      ['replace', 'merge'],
      'Whether dicts replace those of the same name or are merged with them.',
    ),
  ),
});

export const includeVars = defineConversation({
  name: 'include_vars',
  aliases: ['ansible.builtin.include_vars'],
  summary: 'Read variables from files while the play runs.',
  local: true,
  freeForm: 'file',
  requiredOneOf: [['file', 'dir']],
  mutuallyExclusive: [
    ['file', 'dir'],
    ['file', 'depth'],
    ['file', 'extensions'],
    ['file', 'files_matching'],
    ['file', 'ignore_files'],
    ['file', 'ignore_unknown_extensions'],
  ],
  args,

  examples: [
    { title: 'Read a file', args: { file: '{{ ansible_facts.os_family }}.yaml' } },
    { title: 'Read a directory into a dict', args: { dir: 'settings', name: 'settings' } },
  ],

  returns: {
    ansible_facts: 'The variables that were read.',
    ansible_included_var_files: 'The files that were read.',
  },

  async run(conversation, wish) {
    const { files, failure } = findFiles(conversation, wish);
    if (failure !== undefined) throw unreadable(failure, files);
    const read = files.map((file, i) => load(conversation.controller, file, files.slice(0, i)));
    const all = new Map(read.flatMap((variables) => [...variables]));
    const named: Variables = wish.name === undefined ? all : new Map([[wish.name, all]]);
    const merged = wish.hash_behaviour === 'merge' ? mergeExisting(conversation, named) : named;
    return {
      result: { ansible_facts: Object.fromEntries(merged), ansible_included_var_files: files },
      effects: { includeVars: merged },
      hides: files.some((file) => conversation.controller.isVault(file)) ? 'result' : 'vaults',
    };
  },
});

interface Found {
  readonly files: readonly string[];
  /** Why the search ends before all files are found. */
  readonly failure?: TaskError;
}

function findFiles({ controller, variable }: Conversation, wish: Args): Found {
  if (wish.file !== undefined) return findFile(controller, wish.file);
  const directory = findDirectory(controller, wish.dir ?? '');
  if (typeof directory !== 'string') return directory;
  const rolePath = variable('role_path');
  const main = typeof rolePath === 'string' ? join(rolePath, 'vars', 'main.yml') : '';
  const candidates = filesBelow(directory, wish.depth).filter(
    (file) => file !== main && isChosen(basename(file), wish),
  );
  const odd = candidates.findIndex((file) => !hasExtension(file, wish.extensions));
  if (odd < 0) return { files: candidates };
  if (wish.ignore_unknown_extensions) {
    return { files: candidates.filter((file) => hasExtension(file, wish.extensions)) };
  }
  const failure = `${candidates[odd]} does not have a valid extension: ${wish.extensions.join(', ')}`;
  return { files: candidates.slice(0, odd), failure: new TaskError(failure) };
}

function findFile(controller: Controller, name: string): Found {
  try {
    return { files: [controller.findFile('vars', name)] };
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    return { files: [], failure: error };
  }
}

function load(controller: Controller, file: string, earlier: readonly string[]): Variables {
  try {
    return controller.loadVariables(file);
  } catch (error) {
    if (error instanceof InvalidInput) throw unreadable(new TaskError(error.message), earlier);
    throw error;
  }
}

function findDirectory(controller: Controller, dir: string): string | Found {
  const plain = isAbsolute(dir) ? dir : join(controller.playbookDir, dir);
  const { files, failure } = existsSync(plain) ? { files: [plain] } : findFile(controller, dir);
  const [directory] = files;
  if (directory !== undefined && statSync(directory).isDirectory()) return directory;
  const message =
    directory === undefined
      ? `${plain} directory does not exist`
      : `${directory} is not a directory`;
  return { files: [], failure: new TaskError(message, { place: failure?.place }) };
}

/** Files of a directory, then those of its directories, each in alphabetical order. */
function filesBelow(directory: string, depth: number, level = 1): readonly string[] {
  const paths = readdirSync(directory)
    .sort()
    .map((name) => join(directory, name));
  const files = paths.filter((path) => !isDirectory(path));
  if (depth > 0 && level >= depth) return files;
  return [
    ...files,
    ...paths.filter(isDirectory).flatMap((path) => filesBelow(path, depth, level + 1)),
  ];
}

/** A link to a directory counts as one. */
function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function isChosen(name: string, { ignore_files = [], files_matching }: Args): boolean {
  if (ignore_files.some((pattern) => fits(name, `${pattern}$`))) return false;
  return files_matching === undefined || fits(name, files_matching);
}

function fits(name: string, pattern: string): boolean {
  try {
    return new PythonRegex(pattern).search(name) !== undefined;
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw new TaskError(`"${pattern}" is not a regular expression: ${error.message}`);
  }
}

function hasExtension(file: string, extensions: readonly string[]): boolean {
  const name = basename(file);
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  return extensions.includes(extension);
}

function mergeExisting({ variable }: Conversation, loaded: Variables): Variables {
  return new Map([...loaded].map(([name, value]) => [name, merge(variable(name), value)]));
}

function merge(old: Value | undefined, next: Value): Value {
  if (!(old instanceof Map) || !(next instanceof Map)) return next;
  const merged = new Map<Value, Value>(old);
  for (const [key, value] of next) merged.set(key, merge(merged.get(key), value));
  return merged;
}

/** The failure with the members that a result of this module always has. */
function unreadable({ message, hint, place }: TaskError, files: readonly string[]): TaskError {
  const result = { ansible_facts: {}, ansible_included_var_files: files, message };
  return new TaskError(message, { hint, place, result });
}
