/** The controller's side of a task, made of data. */
import type { Controller, Conversation, Value } from '../../src/engine/module.ts';
import { TaskError } from '../../src/engine/module.ts';
import { fromPlain, isDict, OMIT, toPlain } from '../../src/engine/values.ts';
import { parseAllYamlData } from '../../src/engine/yaml.ts';
import type { FakeHost } from './fake-host.ts';

/** What lies on the fake controller. Paths are as the module asks for them. */
export interface FakeControllerData {
  /** Content of files, found by their name. */
  readonly files?: Readonly<Record<string, string>>;
  /** What a template renders to, by its name. */
  readonly templates?: Readonly<Record<string, string>>;
  /** Variables files, by their name. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface FakeTaskData {
  readonly variables?: Readonly<Record<string, unknown>>;
  /** What expressions and conditions give; one that is not listed is undefined. */
  readonly evaluates?: Readonly<Record<string, unknown>>;
  /** Answers of the person at the terminal, in order. */
  readonly answers?: readonly string[];
}

/** A controller whose files are data; a name is found as `/project/NAME`, an absolute path as itself. */
export function fakeController(data: FakeControllerData = {}): Controller {
  const known = { ...data.files, ...data.templates, ...data.variables };
  return {
    playbookDir: '/project',
    notes: new Map(),
    findFile(kind, name) {
      if (Object.hasOwn(known, name)) return name.startsWith('/') ? name : `/project/${name}`;
      throw new TaskError(`${kind}/${name} is not there; searched: /project`);
    },
    readFile: (file) => Buffer.from(lookUp(data.files, file)),
    isVault: () => false,
    renderTemplate: (file) => lookUp(data.templates, file),
    loadVariables: (file) => dict(lookUp(data.variables, file)),
    readData: (file) => data.variables?.[file],
    parseDocuments: (text, origin) => parseAllYamlData(text, origin).map(toPlain),
  };
}

function lookUp<Entry>(table: Readonly<Record<string, Entry>> = {}, file: string): Entry {
  const found = table[file] ?? table[file.replace('/project/', '')];
  if (found === undefined) throw new TaskError(`${file} is not there`);
  return found;
}

/** A conversation on a fake host. Its clock moves only while it sleeps, which takes no time; what is said is kept in `said`. */
export function fakeConversation(
  host: FakeHost,
  controller: Controller,
  rawArgs: ReadonlyMap<string, Value>,
  task: FakeTaskData = {},
): Conversation & { readonly said: readonly string[] } {
  const said: string[] = [];
  const answers = [...(task.answers ?? [])];
  let clock = Date.now();
  const evaluate = (expression: Value): Value | undefined => {
    if (typeof expression !== 'string') return expression;
    const table = task.evaluates ?? {};
    return Object.hasOwn(table, expression) ? fromPlain(table[expression]) : undefined;
  };
  return {
    host,
    controller,
    rawArgs,
    said,
    signal: new AbortController().signal,
    variable: (name) => dict(task.variables ?? {}).get(name),
    plainVariable: (name) => task.variables?.[name],
    evaluate,
    evaluateGiven: evaluate,
    test(condition) {
      const value = evaluate(condition);
      if (typeof value === 'boolean') return value;
      throw new TaskError(`the condition "${String(condition)}" is not a boolean`);
    },
    reconnect: async () => {},
    sleep: async (ms) => {
      clock += ms;
    },
    now: () => new Date(clock),
    say: (text) => said.push(text),
    ...(task.answers && { ask: async () => answers.shift() ?? '' }),
  };
}

/** A plain object as a dict with text keys, `omit` dropped. */
export function dict(plain: unknown): ReadonlyMap<string, Value> {
  const value = fromPlain(plain);
  if (!isDict(value)) throw new TypeError('a mapping is needed here');
  return new Map([...value].filter(([, member]) => member !== OMIT)) as Map<string, Value>; // Keys of an object are text.
}
