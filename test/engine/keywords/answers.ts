import { readFileSync } from 'node:fs';
import type { Row } from './rows.ts';

/** What a playbook came to: `refused` where no task was played, else the tasks with their ends, in order. */
export type Answer = string;

export const REFUSED: Answer = 'refused';

/** Where the answers of ansible-core are kept. */
export const ANSWERS = new URL('answers.txt', import.meta.url);

/** One end of a task. */
export interface TaskEnd {
  readonly task: string;
  readonly status: string;
  readonly ignored: boolean;
}

const KNOWN = new Set(['probe', 'after', 'inner', 'h', 'notifier', 'Gathering Facts']);

/** The answer that the ends of tasks make. A name that a row has changed does not count. */
export function answerOf(ends: readonly TaskEnd[], hasFailed: boolean): Answer {
  if (ends.length === 0) return hasFailed ? REFUSED : 'nothing';
  const shown = ends.map(({ task, status, ignored }) => {
    const name = task.replace(/^r : /, '');
    return `${KNOWN.has(name) ? name : '?'} ${ignored ? 'ignored' : status}`;
  });
  return shown.join(', ').replaceAll('Gathering Facts', 'facts');
}

/** The answers as text: rows with the same answer together. */
export function renderAnswers(answers: ReadonlyMap<Row, Answer>): string {
  const titles = new Map<Answer, string[]>();
  for (const [{ title }, answer] of answers)
    titles.set(answer, [...(titles.get(answer) ?? []), title]);
  return [...titles].map((part) => [`# ${part[0]}`, ...part[1], ''].join('\n')).join('');
}

/** The recorded answers by the title of their row. */
export function recordedAnswers(): ReadonlyMap<string, Answer> {
  const answers = new Map<string, Answer>();
  let answer = REFUSED;
  for (const line of readFileSync(ANSWERS, 'utf8').trimEnd().split('\n')) {
    if (line.startsWith('# ')) answer = line.slice(2);
    else answers.set(line, answer);
  }
  return answers;
}
