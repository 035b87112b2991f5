/** Several steps in one script, which stops after the first that fails: one round trip for all of them. */
import type { TextOutput } from '../host-contract.ts';
import type { StepScript } from './step-script.ts';

/** Scripts of one group together hold at most this many characters, unless a single one is longer. */
const GROUP_LIMIT_CHARACTERS = 256 * 1024;

/** Parts scripts into groups that may travel together: a script with an input of its own goes alone. */
export function groupScripts(scripts: readonly StepScript[]): StepScript[][] {
  const groups: StepScript[][] = [];
  let room = 0;
  for (const script of scripts) {
    if (script.input !== undefined || script.text.length > room) {
      groups.push([]);
      room = GROUP_LIMIT_CHARACTERS;
    }
    groups.at(-1)?.push(script);
    room = script.input === undefined ? room - script.text.length : 0;
  }
  return groups;
}

/** One script for a group. After each step, `id` and the exit code stand on both outputs. */
export function renderGroup(scripts: readonly StepScript[], id: string): string {
  const steps = scripts.map(({ text, accept }) => {
    const codes = accept === 'any' ? '*' : accept.join('|');
    return `(\n${text}\n)\nc=$?; printf '\\n${id} %s\\n' $c; printf '\\n${id} %s\\n' $c >&2
case $c in ${codes}) ;; *) exit 0;; esac\n`;
  });
  return `${steps.join('')}exit 0`;
}

/** The outputs of the steps that ran. The last of them ended the script when there are fewer than steps. */
export function parseGroup(id: string, { stdout, stderr }: TextOutput): TextOutput[] {
  const out = cut(stdout, id);
  const err = cut(stderr, id);
  return out.map(({ text, code }, i) => ({ code, stdout: text, stderr: err[i]?.text ?? '' }));
}

function cut(output: string, id: string): { readonly text: string; readonly code: number }[] {
  const pieces: { text: string; code: number }[] = [];
  const marker = new RegExp(`\\n${id} (\\d+)\\n`, 'g');
  let start = 0;
  for (const match of output.matchAll(marker)) {
    pieces.push({ text: output.slice(start, match.index), code: Number(match[1]) });
    start = match.index + match[0].length;
  }
  return pieces;
}
