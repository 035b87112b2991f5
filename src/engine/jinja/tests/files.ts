import { closeSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import type { Val } from '../objects.ts';
import { requireText } from '../text.ts';

function statOf(path: string): Stats | undefined {
  return quietly(() => statSync(path));
}

function linkStat(path: string): Stats | undefined {
  return quietly(() => lstatSync(path));
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What is read of a file that must be there. */
function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TemplateError(`"${path}" cannot be read: ${reason}`, { cause });
  }
}

function isMount(path: string): boolean {
  const own = linkStat(path);
  if (own === undefined || own.isSymbolicLink()) return false;
  const parent = statOf(dirname(resolve(path)));
  return parent === undefined || parent.dev !== own.dev || parent.ino === own.ino;
}

function isSame(path: string, other: string): boolean {
  const a = reading(path, () => statSync(path));
  const b = reading(other, () => statSync(other));
  return a.dev === b.dev && a.ino === b.ino;
}

function isVaulted(path: string): boolean {
  const head = Buffer.alloc(15);
  const file = openSync(path, 'r');
  try {
    readSync(file, head);
  } finally {
    closeSync(file);
  }
  return head.toString('latin1').startsWith('$ANSIBLE_VAULT;');
}

/** A test of the controller's file system. */
function fileTest(names: string, holds: (path: string) => boolean): Builtin {
  const body = (path: Val) => holds(requireText(path, 'a path'));
  return define(names, 'value', (_runtime, value) => body(value), { impure: true });
}

/** Tests of files on the controller. */
export const fileTests: readonly Builtin[] = [
  fileTest('directory is_dir', (path) => statOf(path)?.isDirectory() ?? false),
  fileTest('file is_file', (path) => statOf(path)?.isFile() ?? false),
  fileTest('exists', (path) => statOf(path) !== undefined),
  fileTest('link is_link', (path) => linkStat(path)?.isSymbolicLink() ?? false),
  fileTest('link_exists', (path) => linkStat(path) !== undefined),
  fileTest('mount is_mount', isMount),
  fileTest('vaulted_file', (path) => reading(path, () => isVaulted(path))),
  define('abs is_abs', 'value', (_runtime, value) => requireText(value, 'a path').startsWith('/')),
  define(
    'same_file is_same_file',
    'f1, f2',
    (_runtime, value, other) => isSame(requireText(value, 'a path'), requireText(other, 'a path')),
    { impure: true },
  ),
];
