/** The files of the controller that tasks name: whether they are there, and what templates say. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { literal } from '../playbook/certainty.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import type { Task } from '../playbook/model.ts';
import { searchPath } from '../run/play-context.ts';
import { isDict, TrustedTemplate, type Value } from '../values.ts';
import type { Visit } from './tour.ts';

/** A file that a task names, with the places where it may be. */
export interface NamedFile {
  readonly kind: 'files' | 'templates' | 'vars';
  readonly name: string;
  readonly argument: string;
  readonly places: readonly string[];
  readonly found: string | undefined;
}

/** The file of the controller that a task names in so many words. */
export function namedFile({ task, play }: Visit): NamedFile | undefined {
  const wanted = wantedFile(task);
  if (wanted === undefined || wanted.name.startsWith('~')) return undefined;
  const { kind, name, argument } = wanted;
  const places = isAbsolute(name)
    ? [name]
    : searchPath(task, play.playbookDir).flatMap((folder) => [
        join(folder, kind, name),
        join(folder, name),
      ]);
  return { kind, name, argument, places, found: places.find((path) => existsSync(path)) };
}

type Wanted = Pick<NamedFile, 'kind' | 'name' | 'argument'>;

function wantedFile(task: Task): Wanted | undefined {
  const { module, args, argsTemplates } = task;
  if (argsTemplates.length > 0 || inheritedBy(task).moduleDefaults.length > 0) return undefined;
  const src = literal(args.get('src'));
  switch (module) {
    case 'template':
      return src === undefined ? undefined : { kind: 'templates', name: src, argument: 'src' };
    case 'copy':
    case 'unarchive':
      if (src === undefined || !isOfController(args)) return undefined;
      return { kind: 'files', name: src, argument: 'src' };
    case 'include_vars': {
      const name = literal(args.get('file') ?? args.get('_raw_params'));
      return name === undefined ? undefined : { kind: 'vars', name, argument: 'file' };
    }
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

/** Whether a task may make a file of the controller that a later task names. */
export function mayMake({ task, play }: Visit, name: string): boolean {
  if (task.module === 'fetch') return true;
  const { nearest } = inheritedBy(task);
  const delegate = nearest('delegate_to');
  const isLocal =
    LOCAL_HOSTS.has(play.hosts) ||
    nearest('connection') === 'local' ||
    (delegate !== undefined && (delegate instanceof TrustedTemplate || LOCAL_HOSTS.has(delegate)));
  if (!isLocal || HARMLESS.has(task.module)) return false;
  return !ONE_FILE.has(task.module) || mentions([...task.args.values()], basename(name));
}

/** Whether a text, or a template that nobody has rendered, may be about a file. */
function mentions(value: Value, name: string): boolean {
  if (value instanceof TrustedTemplate) return true;
  if (Array.isArray(value)) return value.some((each) => mentions(each, name));
  if (isDict(value)) return [...value.values()].some((each) => mentions(each, name));
  return typeof value === 'string' && value.includes(name);
}
