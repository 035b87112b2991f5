import { realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { expandHome } from '../../../shared/home-path.ts';
import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { listFiles } from '../glob.ts';
import { iterate } from '../iterate.ts';
import { Bytes, isList, isMap, isText, Tuple, type Val } from '../objects.ts';
import { requireText } from '../text.ts';

const path = (value: Val) =>
  value instanceof Bytes ? value.buffer.toString('utf8') : requireText(value, 'path');

/** Python's normpath: like Node's, without the last slash, and with a leading `//` kept. */
export function normalizePath(text: string): string {
  if (text === '') return '.';
  const plain = posix.normalize(text).replace(/(?<=.)\/+$/, '');
  return /^\/\/(?!\/)/.test(text) ? `/${plain}` : plain;
}

function dirname(text: string): string {
  const head = text.slice(0, text.lastIndexOf('/') + 1);
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, '');
}

function splitExtension(text: string): Tuple {
  const start = text.lastIndexOf('/') + 1;
  const dot = text.lastIndexOf('.');
  const leading = /^\.*/.exec(text.slice(start))?.[0].length ?? 0;
  if (dot < start + leading) return Tuple.fromItems([text, '']);
  return Tuple.fromItems([text.slice(0, dot), text.slice(dot)]);
}

function joinPaths(parts: readonly string[]): string {
  return parts.reduce((joined, part) => {
    if (part.startsWith('/') || joined === '') return part;
    return joined.endsWith('/') ? joined + part : `${joined}/${part}`;
  });
}

function commonPath(paths: readonly string[]): string {
  const absolute = paths.filter((text) => text.startsWith('/')).length;
  if (absolute !== 0 && absolute !== paths.length) {
    throw new TemplateError('absolute and relative paths have no common path');
  }
  const split = paths.map((text) => text.split('/').filter((part) => part !== '' && part !== '.'));
  const [first = []] = split;
  const different = first.findIndex((part, index) => split.some((parts) => parts[index] !== part));
  const common = different === -1 ? first : first.slice(0, different);
  return (absolute > 0 ? '/' : '') + common.join('/');
}

function realPath(text: string): string {
  try {
    return realpathSync(text);
  } catch {
    const parent = posix.dirname(posix.resolve(text));
    if (parent === posix.resolve(text)) return parent;
    return posix.join(realPath(parent), posix.basename(text));
  }
}

function expandVariables(text: string): string {
  return text.replace(/\$(?:(\w+)|\{([^}]*)\})/g, (whole, name, braced) => {
    return process.env[name ?? braced] ?? whole;
  });
}

function relativePath(text: string, start: string): string {
  if (text === '') throw new TemplateError('relpath takes no empty path');
  return posix.relative(posix.resolve(start), posix.resolve(text)) || '.';
}

/** Parts of a Windows path: the drive or share, and the rest. */
function splitDrive(text: string): Tuple {
  const share = /^[\\/]{2}[^\\/]+[\\/]+[^\\/]+/.exec(text)?.[0];
  const drive = share ?? /^[^\\/]?:/.exec(text)?.[0] ?? '';
  return Tuple.fromItems([drive, text.slice(drive.length)]);
}

function windowsDirname(text: string): string {
  const [drive = '', rest = ''] = splitDrive(text).map(String);
  const head = rest.slice(0, Math.max(rest.lastIndexOf('\\'), rest.lastIndexOf('/')) + 1);
  return drive + (/^[\\/]*$/.test(head) ? head : head.replace(/[\\/]+$/, ''));
}

function windowsBasename(text: string): string {
  return String(splitDrive(text)[1]).split(/[\\/]/).at(-1) ?? '';
}

function pathFilter(name: string, change: (text: string) => Val): Builtin {
  return define(name, 'value', (_runtime, value) => change(path(value)));
}

function joinFilter(value: Val, items: readonly Val[]): string {
  if (isText(value)) return path(value);
  if (isMap(value)) throw new TemplateError('path_join takes a list of paths');
  if (items.length === 0) throw new TemplateError('path_join has no path to join');
  return joinPaths(items.map(path));
}

/** Filters of paths. They look at the controller, not at the host. */
export const pathFilters: readonly Builtin[] = [
  pathFilter('basename', (text) => text.slice(text.lastIndexOf('/') + 1)),
  pathFilter('dirname', dirname),
  pathFilter('expanduser', expandHome),
  pathFilter('normpath', normalizePath),
  pathFilter('splitext', splitExtension),
  pathFilter('win_basename', windowsBasename),
  pathFilter('win_dirname', windowsDirname),
  pathFilter('win_splitdrive', splitDrive),
  define('expandvars', 'value', (_runtime, value) => expandVariables(path(value)), {
    impure: true,
  }),
  define('realpath', 'value', (_runtime, value) => realPath(path(value)), { impure: true }),
  define('relpath', "value, start='.'", (_runtime, value, start) =>
    relativePath(path(value), start === null ? '.' : path(start)),
  ),
  define('path_join', 'value', (runtime, value) =>
    joinFilter(value, isText(value) ? [] : iterate(value, runtime)),
  ),
  define('commonpath', 'value', (runtime, value) => {
    if (!isList(value) && value !== '') throw new TemplateError('commonpath takes a list of paths');
    const paths = iterate(value, runtime).map(path);
    if (paths.length === 0) throw new TemplateError('no paths have no common path');
    return commonPath(paths);
  }),
  define('fileglob', 'value', (_runtime, value) => listFiles(path(value)), { impure: true }),
];
