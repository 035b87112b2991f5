import { resolve } from 'node:path';

/** A place in a target's files where an engine went wrong, and what it said. */
export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** What a run of a command showed. */
export interface Shown {
  /** Passes of `assert`, and results that were `ok` or `changed`. */
  readonly asserts: number;
  readonly tasks: number;
  /** Passed asserts by place, where the run names places (`-vv`). */
  readonly passed: ReadonlyMap<string, number>;
}

const ASSERTED = /"msg": "All assertions passed"/;

/** Counts what a run has passed. */
export function readShown(output: string): Shown {
  const passed = new Map<string, number>();
  let place = '';
  let asserts = 0;
  let tasks = 0;
  for (const line of output.split('\n')) {
    place = /^task path: (.*)/.exec(line)?.[1] ?? place;
    if (/^(ok|changed): \[/.test(line)) tasks += 1;
    if (!ASSERTED.test(line)) continue;
    asserts += 1;
    if (place !== '') passed.set(place, (passed.get(place) ?? 0) + 1);
  }
  return { asserts, tasks, passed };
}

/** What ended a run: the tasks that were refused before it began, or the last failure that nobody ignored. */
export function readFaults(output: string, cwd: string): Fault[] {
  const refused = readRefusals(output, cwd);
  if (refused.length > 0 && !output.includes('PLAY RECAP')) return refused;
  const failure = readFailure(output.split('\n'));
  return failure ? [failure] : [];
}

/** Problems that were found before the run: `place:line:column  message (also at place:line:column, …)`. */
function readRefusals(output: string, cwd: string): Fault[] {
  const found = output.matchAll(/^(\S+?\.(?:ya?ml|json):\d+):\d+\s+(.*)$/gm);
  return [...found].flatMap(([, first = '', message = '']) => {
    const [, also = ''] = message.split('also at ');
    const others = also.matchAll(/(\S+?\.(?:ya?ml|json):\d+):\d+/g);
    return [first, ...[...others].map(([, place = '']) => place)].map((place) => {
      const [, file = '', line] = /^(.*):(\d+)$/.exec(place) ?? [];
      return { file: resolve(cwd, file), line: Number(line), message };
    });
  });
}

function readFailure(lines: readonly string[]): Fault | undefined {
  const isFailure = (line: string) => /^(fatal|failed): \[/.test(line);
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    if (!isFailure(line) || isIgnored(lines, at)) continue;
    const place = placeBefore(lines, at);
    if (place) return { ...place, message: messageAt(lines, at) };
  }
  // Without a result: what stopped the engine itself.
  const text = lines.join('\n');
  const [, file, line] = [...text.matchAll(/^Origin: (\/\S+?):(\d+)/gm)].at(-1) ?? [];
  const message = /^\[?ERROR[\s\S]*/m.exec(text)?.[0].slice(0, 1000) ?? '';
  return file ? { file, line: Number(line), message } : undefined;
}

/** A result, which may go over several lines. */
function messageAt(lines: readonly string[], at: number): string {
  const rest = lines.slice(at);
  const end = lines[at]?.endsWith('{') ? rest.indexOf('}') + 1 : 1;
  return rest.slice(0, end).join('\n').slice(0, 2000);
}

/** `...ignoring` follows the results of a task. */
function isIgnored(lines: readonly string[], at: number): boolean {
  for (const line of lines.slice(at + 1)) {
    if (line.startsWith('...ignoring')) return true;
    if (/^(TASK|PLAY|RUNNING HANDLER) /.test(line)) return false;
  }
  return false;
}

function placeBefore(lines: readonly string[], at: number) {
  for (const line of lines.slice(0, at).reverse()) {
    const [, file, number] = /^(?:Origin|task path): (\/\S+?):(\d+)/.exec(line) ?? [];
    if (file) return { file, line: Number(number) };
    if (/^(TASK|RUNNING HANDLER) \[/.test(line)) return undefined;
  }
  return undefined;
}
