/** Files below `/etc/modules-load.d` and `/etc/modprobe.d`: modules loaded at boot, and their parameters. */
import type { Effect, Reader, Step } from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
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
  const { stdout } = await host.read(
    sh`for f in ${directory}/*.conf; do if [ -f "$f" ]; then printf '%s\\0' "$f"; fi; done`,
  );
  const predicted = host
    .predictedAll('path')
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${directory}/`) && name.endsWith('.conf'));
  const names = new Set([...stdout.split('\0').filter((name) => name !== ''), ...predicted]);
  const files = await Promise.all([...names].sort().map((name) => readTextFile(host, name)));
  return files.filter(({ state }) => state !== null);
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
