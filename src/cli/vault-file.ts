import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { split } from 'shlex';
import { isVault } from '../engine/vault/envelope.ts';
import { InvalidInput, TaskError } from '../shared/errors.ts';

/** The text of a vault file. Throws InvalidInput where the file is missing or not a vault. */
export function readVaultFile(path: string): string {
  const content = readInput(path);
  if (isVault(content)) return content.toString('latin1');
  throw InvalidInput.at(undefined, `${nameOf(path)} is not encrypted`);
}

/** The content of a file that is not a vault yet. Throws InvalidInput. */
export function readPlainFile(path: string): Buffer {
  const content = readInput(path);
  if (!isVault(content)) return content;
  throw InvalidInput.at(undefined, `${nameOf(path)} is already encrypted`);
}

/** The file behind symbolic links, so that writing replaces the file and not the link. */
export function realPath(path: string): string {
  return exists(path) ? realpathSync(path) : path;
}

export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** What remains of a text after the person at the terminal has edited it. Throws TaskError where the editor fails. */
export function editText(original: Buffer, name: string): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'tsprov-vault-'));
  const path = join(directory, basename(name));
  try {
    writeFileSync(path, original, { mode: 0o600 });
    runEditor(path);
    return readFileSync(path);
  } finally {
    if (exists(path)) writeFileSync(path, Buffer.alloc(statSync(path).size));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Shows a text with the pager on a terminal, else prints it. */
export function showText(content: Buffer): void {
  const [pager = 'less', ...flags] = split(process.env['PAGER'] ?? 'less');
  const shown =
    process.stdout.isTTY &&
    spawnSync(pager, flags, { input: content, stdio: ['pipe', 'inherit', 'inherit'] }).status === 0;
  if (!shown) process.stdout.write(content);
}

function runEditor(path: string): void {
  const [editor = 'vi', ...flags] = split(process.env['EDITOR'] ?? 'vi');
  const { error, status } = spawnSync(editor, [...flags, path], { stdio: 'inherit' });
  if (error === undefined && status === 0) return;
  const reason = error?.message ?? `it ended with status ${status}`;
  throw new TaskError(`the editor ${editor} did not save: ${reason}`, {
    hint: 'set EDITOR to the editor to use',
  });
}

function readInput(path: string): Buffer {
  if (path === '-') return readFileSync(0);
  if (exists(path)) return readFileSync(path);
  throw InvalidInput.at(undefined, `the file ${path} does not exist`);
}

function nameOf(path: string): string {
  return path === '-' ? 'the input' : path;
}
