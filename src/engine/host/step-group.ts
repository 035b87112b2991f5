/** Several steps in one script, which stops after the first that fails: one round trip for all of them. */
import type { Step, TextOutput } from '../host-contract.ts';
import { prepareStep, type StepScript } from './step-script.ts';

/** Scripts of one group together hold at most this many characters, unless a single one is longer. */
const GROUP_LIMIT_CHARACTERS = 256 * 1024;

/**
 * Prepares the first of some steps that may travel together: no more than are sent at once, so that many files do
 * not sit in memory. A step with an input of its own goes alone.
 */
export async function nextGroup(
  steps: readonly Step[],
  encoding: 'base64' | 'octal',
): Promise<StepScript[]> {
  const group: StepScript[] = [];
  let room = GROUP_LIMIT_CHARACTERS;
  for (const step of steps) {
    const script = await prepareStep(step, encoding);
    room -= script.input === undefined ? script.text.length : GROUP_LIMIT_CHARACTERS;
    if (group.length > 0 && room < 0) break;
    group.push(script);
    if (room <= 0) break;
  }
  return group;
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

/** Whether steps are missing although the last one that answered did not fail. */
export function isCutShort(group: readonly StepScript[], outputs: readonly TextOutput[]): boolean {
  if (outputs.length === group.length) return false;
  const [accept, code] = [group[outputs.length - 1]?.accept, outputs.at(-1)?.code];
  return code === undefined || accept === 'any' || accept?.includes(code) === true;
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
