/** What a task's module may use of the controller: files along the search path, templates, variable files. */
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { TaskError, UnknownState } from '../../shared/errors.ts';
import type { Controller, TemplateOptions } from '../module.ts';
import { readVariableFile } from '../playbook/role-files.ts';
import { Source } from '../playbook/source.ts';
import { renderHandlebars } from '../template/handlebars.ts';
import { type Dict, fromPlain, type Position, toPlain, type Value } from '../values.ts';
import { LazyDict } from '../vars/lazy-dict.ts';
import { parseAllYamlData, parseYamlData } from '../yaml.ts';
import type { TaskTurn } from './task-turn.ts';

const VAULTED = '$ANSIBLE_VAULT';

/** The controller as one task sees it. */
export function taskController(turn: TaskTurn): Controller {
  const { context } = turn;
  const { secrets } = context.run.services.loader;
  const playbookDir = resolve(context.play.playbookDir);
  const readFile: Controller['readFile'] = (file, { decrypt = true } = {}) => {
    const content = readLocal(file);
    const isVault = content.subarray(0, VAULTED.length).toString('latin1') === VAULTED;
    return decrypt && isVault
      ? secrets.decrypt(content.toString('latin1'), { file, line: 1, column: 1 })
      : content;
  };
  return {
    playbookDir,
    notes: context.run.notes,
    findFile: (kind, name) => findFile(turn, kind, name),
    readFile,
    loadVariables: (file) => loadVariables(turn, file),
    readData: (file) =>
      existsSync(file) ? toPlain(parseYamlData(readFile(file).toString('utf8'), file)) : undefined,
    parseDocuments: (text, origin) => parseAllYamlData(text, origin).map(toPlain),
    renderTemplate: (file, options = {}) =>
      renderTemplate(turn, file, { text: readFile(file).toString('utf8'), options }),
  };
}

function readLocal(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new TaskError(
      `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

type FileKind = 'files' | 'templates' | 'vars';

function findFile(turn: TaskTurn, kind: FileKind, name: string): string {
  const found = candidates(turn, kind, name);
  const file = found.find((path) => existsSync(path));
  if (file !== undefined) return file;
  refuseGuess(turn, found);
  throw new TaskError(`could not find or access '${found[0] ?? name}'`, {
    hint: `searched in ${found.join(', ')}`,
    place: placeOf(turn, name),
  });
}

/** In a check run a file may be missing only because the task that makes it has not run. */
function refuseGuess({ context }: TaskTurn, paths: readonly string[]): void {
  const { controller } = context.run;
  const source = paths.map((path) => controller.sourceOfFile(resolve(path))).find(Boolean);
  if (source !== undefined) throw new UnknownState(source);
}

/** Each directory's own folder for the kind comes first, then the directory. */
function candidates(turn: TaskTurn, kind: FileKind, name: string): string[] {
  if (isAbsolute(name)) return [name];
  const { searchPath } = turn.context.jinjaHost(turn.task);
  return searchPath.flatMap((directory) => [join(directory, kind, name), join(directory, name)]);
}

/** Where the argument is written that has this value. */
function placeOf(turn: TaskTurn, value: string): Position {
  const { task } = turn;
  const named = [...task.args].find(([, written]) => turn.render(written) === value);
  return task.argPositions.get(named?.[0] ?? '') ?? task.position;
}

function loadVariables(turn: TaskTurn, file: string): Dict {
  const source = new Source(turn.context.run.services.loader);
  const variables = readVariableFile(source, file);
  source.throwProblems();
  return variables;
}

interface TemplateText {
  readonly text: string;
  readonly options: TemplateOptions;
}

function renderTemplate(turn: TaskTurn, file: string, { text, options }: TemplateText): string {
  const named = turn.with(templateVariables(file, options));
  if (file.endsWith('.hbs')) return renderHandlebars(text, { file, variables: everything(named) });
  const { destination: _, ...syntax } = options;
  return named.renderFile(text, { file, syntax });
}

function everything(turn: TaskTurn): LazyDict {
  const names = () => turn.scope.names();
  return new LazyDict(names, (name) => {
    const raw = turn.scope.get(name);
    return raw === undefined ? undefined : turn.render(raw);
  });
}

/** Variables that only templates have. */
function templateVariables(file: string, { destination }: TemplateOptions): Map<string, Value> {
  const path = resolve(file);
  return new Map<string, Value>([
    ['ansible_managed', 'Ansible managed'],
    ['template_path', path],
    ['template_fullpath', path],
    ['template_host', fromPlain(process.env['HOSTNAME'] ?? '')],
    ['template_uid', process.env['USER'] ?? 'root'],
    ...(destination === undefined ? [] : [['template_destpath', destination] as const]),
  ]);
}
