import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Row } from './cases.ts';

/** What an expression gave: its value as JSON, or ERROR. A long value stands as a digest. */
export type Answer = string;

export const ERROR: Answer = '!';

/** Where the answers of ansible-core are kept. */
export const ANSWERS = new URL('answers.txt', import.meta.url);

const LONGEST = 160;

/** An answer as it is kept. */
export function answerOf(json: string | undefined): Answer {
  if (json === undefined) return ERROR;
  if (json.length <= LONGEST) return json;
  return `#${createHash('sha256').update(json).digest('hex').slice(0, 16)}`;
}

/**
 * Whether two answers are the same. Floats count to 15 significant digits: the last ones of a power
 * or a logarithm differ between versions of Node.js, and between them and Python.
 */
export function isSameAnswer(a: Answer, b: Answer): boolean {
  return a === b || withRoundedFloats(a) === withRoundedFloats(b);
}

function withRoundedFloats(answer: Answer): Answer {
  return answer.replace(/\d+\.\d+(?:e[-+]?\d+)?/g, (float) => Number(float).toPrecision(15));
}

function digestOf({ expressions }: Row): string {
  return createHash('sha256').update(expressions.join('\n')).digest('hex').slice(0, 8);
}

const headOf = (row: Row) => `# ${row.title} ${digestOf(row)}`;

/** The answers as text: a head line for each row, then a line for each answer, errors in a row counted. */
export function renderAnswers(rows: readonly (readonly [Row, readonly Answer[]])[]): string {
  return rows.map(([row, answers]) => `${[headOf(row), ...packed(answers)].join('\n')}\n`).join('');
}

function packed(answers: readonly Answer[]): readonly string[] {
  const lines: string[] = [];
  let errors = 0;
  for (const answer of [...answers, undefined]) {
    if (answer === ERROR) errors += 1;
    else {
      if (errors > 0) lines.push(`${ERROR}${errors}`);
      errors = 0;
      if (answer !== undefined) lines.push(answer);
    }
  }
  return lines;
}

/** The recorded answers by the head of their row. */
function readAnswers(): ReadonlyMap<string, readonly Answer[]> {
  const rows = new Map<string, Answer[]>();
  let row: Answer[] = [];
  for (const line of readFileSync(ANSWERS, 'utf8').split('\n')) {
    if (line.startsWith('# ')) {
      row = [];
      rows.set(line, row);
    } else if (line.startsWith(ERROR)) {
      row.push(...Array.from({ length: Number(line.slice(1)) }, () => ERROR));
    } else if (line !== '') row.push(line);
  }
  return rows;
}

/** Gives the answers of rows. Throws where a row was changed after they were recorded. */
export function recordedAnswers(): (row: Row) => readonly Answer[] {
  const rows = readAnswers();
  return (row) => {
    const answers = rows.get(headOf(row));
    if (answers?.length === row.expressions.length) return answers;
    throw new Error(`no answers for "${row.title}": run npx tsx scripts/record-jinja-matrix.ts`);
  };
}
