/** The files of the controller that tasks name: whether they are there, and what templates say. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { table } from '../../shared/table.ts';
import type { InventoryPort } from '../inventory/inventory-port.ts';
import { literal } from '../playbook/certainty.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import type { Task } from '../playbook/model.ts';
import { searchPath } from '../run/play-context.ts';
import { isDict, type Position, TrustedTemplate, type Value } from '../values.ts';
import { textsOf } from './loop-items.ts';
import { templatesIn } from './templates-in.ts';
import type { Visit } from './tour.ts';

/** A file or folder that a task names, with the places where it may be. */
export interface NamedFile extends Wanted {
  readonly places: readonly string[];
  readonly found: string | undefined;
}

interface Wanted {
  readonly kind: 'files' | 'templates' | 'vars';
  readonly name: string;
  /** What names it. */
  readonly by: string;
  readonly position: Position;
  readonly isFolder?: boolean;
  readonly isCertain: boolean;
}

/** The files of the controller that a task names in so many words. */
export function namedFiles(visit: Visit): NamedFile[] {
  const { task } = visit;
  return [...ofLoop(visit), ...(task.unavailable === undefined ? ofArguments(visit) : [])]
    .filter(({ name }) => !name.startsWith('~') && !name.includes('://'))
    .map((wanted) => locate(visit, wanted));
}

function locate({ task, play }: Visit, wanted: Wanted): NamedFile {
  const { kind, name, isFolder } = wanted;
  const inPlaybook = isFolder === true ? [join(play.playbookDir, name)] : [];
  const places = isAbsolute(name)
    ? [name]
    : [...new Set([...inPlaybook, ...placesOf(searchPath(task, play.playbookDir), kind, name)])];
  return { ...wanted, places, found: places.find((path) => existsSync(path)) };
}

/** Where a file may be: in each directory, first in the subdirectory of its kind. */
export function placesOf(directories: readonly string[], kind: string, name: string): string[] {
  if (isAbsolute(name)) return [name];
  return directories.flatMap((folder) => [join(folder, kind, name), join(folder, name)]);
}

/** `with_file` and its kin: the items come before the conditions, but a condition may hide that they failed. */
function ofLoop({ task, isReached }: Visit): Wanted[] {
  const { loop } = task;
  const lookup = loop?.lookup ?? '';
  const kind = KINDS_OF_LOOKUPS[lookup];
  if (loop === undefined || kind === undefined) return [];
  const isCertain = isReached && (task.keywords.get('when') ?? true) === true;
  const by = `the lookup ${lookup}`;
  return (Array.isArray(loop.value) ? loop.value : [loop.value]).flatMap((term) => {
    const name = literal(term);
    return name === undefined ? [] : [{ kind, name, by, position: loop.position, isCertain }];
  });
}

/** Where lookups search for their files. */
export const KINDS_OF_LOOKUPS = table<'files' | 'templates'>({
  file: 'files',
  template: 'templates',
  unvault: 'files',
});

function ofArguments({ task, isCertain }: Visit): Wanted[] {
  const { action: by, args, argPositions } = task;
  const argument = fileArgument(task);
  if (argument === undefined) return [];
  const { kind, key, isFolder = false } = argument;
  const position = argPositions.get(key) ?? task.position;
  return textsOf(task, args.get(key)).flatMap((name) =>
    name === undefined ? [] : [{ kind, name, by, position, isFolder, isCertain }],
  );
}

interface FileArgument {
  readonly kind: Wanted['kind'];
  readonly key: string;
  readonly isFolder?: boolean;
}

function fileArgument(task: Task): FileArgument | undefined {
  const { module, args, argsTemplates } = task;
  if (argsTemplates.length > 0 || inheritedBy(task).moduleDefaults.length > 0) return undefined;
  switch (module) {
    case 'template':
      return { kind: 'templates', key: 'src' };
    case 'copy':
    case 'unarchive':
      return isOfController(args) ? { kind: 'files', key: 'src' } : undefined;
    case 'include_vars':
      if (args.has('dir')) return { kind: 'vars', key: 'dir', isFolder: true };
      return { kind: 'vars', key: args.has('file') ? 'file' : '_raw_params' };
    default:
      return undefined;
  }
}

/** Whether the source lies on the controller: neither on the host nor at a URL. */
function isOfController(args: ReadonlyMap<string, Value>): boolean {
  const src = String(args.get('src'));
  const isLocal =
    (args.get('remote_src') ?? false) === false && (args.get('copy') ?? true) === true;
  return isLocal && !src.includes('://') && !args.has('content');
}

/** The text of a template that is written with the usual marks. */
export function templateText({ args }: Task, { kind, found }: NamedFile): string | undefined {
  const hasMarks = [...args.keys()].some((name) => /_(start|end)_string$/.test(name));
  if (kind !== 'templates' || found === undefined || hasMarks) return undefined;
  try {
    return readFileSync(found, 'utf8');
  } catch {
    return undefined;
  }
}

/** Modules that write nothing, or only where packages and units are. */
const HARMLESS: ReadonlySet<string> = new Set(
  (
    'add_host apt assert debug fail gather_facts group group_by include_role include_tasks include_vars meta modprobe ' +
    'package pause ping reboot service set_fact setup slurp stat sysctl systemd_service tempfile user ' +
    'validate_argument_spec wait_for wait_for_connection'
  ).split(' '),
);
const LOCAL_HOSTS: ReadonlySet<Value> = new Set(['localhost', '127.0.0.1', '::1']);
const ONE_FILE: ReadonlySet<string> = new Set([
  ...['blockinfile', 'copy', 'file', 'get_url', 'lineinfile', 'template'],
]);

/** Whether a task may make a file of the controller that a later task names; `isHere` where any host may be it. */
export function mayMake({ task, play }: Visit, name: string, isHere: boolean): boolean {
  if (task.module === 'fetch' || asksProgram(task)) return true;
  const { nearest } = inheritedBy(task);
  const delegate = nearest('delegate_to');
  const isLocal =
    isHere ||
    LOCAL_HOSTS.has(play.hosts) ||
    play.hosts instanceof TrustedTemplate ||
    nearest('connection') === 'local' ||
    nearest('connection') instanceof TrustedTemplate ||
    (delegate !== undefined && (delegate instanceof TrustedTemplate || LOCAL_HOSTS.has(delegate)));
  if (!isLocal || HARMLESS.has(task.module)) return false;
  const args = [...task.args.values(), ...task.argsTemplates];
  return (
    !ONE_FILE.has(task.module) ||
    [basename(name), basename(dirname(name))].some((part) => part !== '.' && mentions(args, part))
  );
}

/** Whether a host of the inventory may be the controller, as far as the inventory tells. */
export function hasController(inventory: InventoryPort | undefined): boolean {
  const hosts = inventory?.groups().get('all') ?? [];
  return hosts.some((host) => LOCAL_HOSTS.has(host));
}

/** Whether a task has lookups that start programs or write files. */
function asksProgram({ args, argsTemplates, vars, loop }: Task): boolean {
  const values = [...args.values(), ...argsTemplates, ...vars.values(), loop?.value ?? null];
  return templatesIn(values).some(({ text }) => /\b(pipe|password)\b/.test(text));
}

/** Whether a text, or a template that nobody has rendered, may be about a file. */
function mentions(value: Value, name: string): boolean {
  if (value instanceof TrustedTemplate) return true;
  if (Array.isArray(value)) return value.some((each) => mentions(each, name));
  if (isDict(value)) return [...value.values()].some((each) => mentions(each, name));
  return typeof value === 'string' && value.includes(name);
}
