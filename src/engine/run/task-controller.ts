/** What a task's module may use of the controller: files along the search path, templates, variable files. */
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { TaskError, UnknownState } from '../../shared/errors.ts';
import { expandHome } from '../../shared/home-path.ts';
import type { Controller, TemplateOptions } from '../module.ts';
import { readVariableFile } from '../playbook/role-files.ts';
import { Source } from '../playbook/source.ts';
import { renderHandlebars } from '../template/handlebars.ts';
import { type Dict, type Position, toPlain } from '../values.ts';
import { LazyDict } from '../vars/lazy-dict.ts';
import { isVault } from '../vault/envelope.ts';
import { parseAllYamlData, parseYamlData } from '../yaml.ts';
import type { TaskTurn } from './task-turn.ts';

/** The controller as one task sees it. */
export function taskController(turn: TaskTurn): Controller {
  const { context } = turn;
  const { secrets } = context.run.services.loader;
  const playbookDir = resolve(context.play.playbookDir);
  const readFile: Controller['readFile'] = (file, { decrypt = true } = {}) => {
    const content = readLocal(file);
    return decrypt && isVault(content)
      ? secrets.decrypt(content.toString('latin1'), { file, line: 1, column: 1 })
      : content;
  };
  return {
    playbookDir,
    notes: context.run.notes,
    findFile: (kind, name) => findFile(turn, kind, name),
    readFile,
    isVault: (file) => isVault(readLocal(file)),
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
  const path = expandHome(name);
  if (isAbsolute(path)) return [path];
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
  const { destination, name, ...syntax } = options;
  if (!file.endsWith('.hbs')) return turn.renderFile(text, { file, name, destination, syntax });
  const named = turn.with(turn.fileVariables({ file, name, destination }));
  return renderHandlebars(text, { file, variables: everything(named) });
}

function everything(turn: TaskTurn): LazyDict {
  const names = () => turn.scope.names();
  return new LazyDict(names, (name) => {
    const raw = turn.scope.get(name);
    return raw === undefined ? undefined : turn.render(raw);
  });
}
