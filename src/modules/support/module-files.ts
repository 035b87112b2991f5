/** Files below `/etc/modules-load.d` and `/etc/modprobe.d`: modules loaded at boot, and their parameters. */
import type { Effect, PathState, Reader, Step } from '../../engine/module.ts';
import { type Command, sh } from '../../shared/shell.ts';
import { readTextFile, rewritten, type TextFile } from './text-file.ts';

export const LOAD_DIRECTORY = '/etc/modules-load.d';
export const OPTIONS_DIRECTORY = '/etc/modprobe.d';

/** Edits of files, as steps and effects. */
export interface Edits {
  readonly files: readonly TextFile[];
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
}

/** All `*.conf` files of a directory, those that earlier tasks of a check run would have made included. */
export async function readConfigFiles(host: Reader, directory: string): Promise<TextFile[]> {
  const predicted = host
    .predictedBelow(directory)
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.conf'));
  const [{ stdout }, ...changed] = await Promise.all([
    host.read(listing(directory)),
    ...[...new Set(predicted)].map((name) => readTextFile(host, name)),
  ]);
  const files = parseListing(stdout).filter(({ path }) => !predicted.includes(path));
  const all = [...files, ...changed.filter(({ state }) => state !== null)];
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Prints path, attributes and text of each file, with NUL after each. */
function listing(directory: string): Command {
  return sh`for f in ${directory}/*.conf; do if [ -f "$f" ]; then
printf '%s\\0' "$f"; stat -Lc '%a %u %g %U %G %s' "$f"; printf '\\0'; cat "$f"; printf '\\0'
fi; done`;
}

function parseListing(output: string): TextFile[] {
  const parts = output.split('\0');
  const files: TextFile[] = [];
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const [path = '', attributes = '', text = ''] = parts.slice(i, i + 3);
    files.push({ path, text, state: stateOf(path, attributes) });
  }
  return files;
}

/** What of a file's state survives when it is rewritten. */
function stateOf(path: string, attributes: string): PathState {
  const [mode = '', uid, gid, owner = '', group = '', size] = attributes.trim().split(' ');
  const numbers = {
    uid: Number(uid),
    gid: Number(gid),
    size: Number(size),
    mode: Number.parseInt(mode, 8),
  };
  const unread = { inode: 0, device: 0, links: 1, atime: 0, mtime: 0, ctime: 0 };
  return { path, type: 'file', owner, group, ...numbers, ...unread };
}

/** Whether a line loads the module at boot. */
export function loadsModule(text: string, name: string): boolean {
  return text.split('\n').some((line) => isLoadLine(line, name));
}

/** The parameters that lines `options NAME …` set. */
export function parametersOf(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => optionsOf(line, name) ?? []);
}

/** The files with the lines commented out that load the module or set its parameters. */
export function withoutModule(files: readonly TextFile[], name: string): Edits {
  const isIts = (line: string) => isLoadLine(line, name) || optionsOf(line, name) !== undefined;
  const edited = files.map((file) => {
    const lines = file.text.split('\n').map((line) => (isIts(line) ? `#${line}` : line));
    const text = lines.join('\n');
    return text === file.text ? { file } : rewritten(file, text);
  });
  return collect(edited);
}

/** One file with another text. */
export function withFile(files: readonly TextFile[], path: string, text: string): Edits {
  const file = files.find((each) => each.path === path) ?? { path, text: '', state: null };
  const others = files.filter((each) => each.path !== path).map((each) => ({ file: each }));
  return collect([...others, rewritten(file, text)]);
}

function collect(edited: readonly { file: TextFile; step?: Step; effect?: Effect }[]): Edits {
  return {
    files: edited.map(({ file }) => file),
    steps: edited.flatMap(({ step }) => step ?? []),
    effects: edited.flatMap(({ effect }) => effect ?? []),
  };
}

/** Dashes and underscores are the same to the kernel, which writes underscores. */
export function folded(name: string): string {
  return name.replaceAll('-', '_');
}

function isLoadLine(line: string, name: string): boolean {
  return folded(withoutComment(line)) === folded(name);
}

function optionsOf(line: string, name: string): string[] | undefined {
  const [word, module = '', ...parameters] = withoutComment(line).split(/\s+/);
  return word === 'options' && folded(module) === folded(name) ? parameters : undefined;
}

function withoutComment(line: string): string {
  return line.replace(/[#;].*$/, '').trim();
}
