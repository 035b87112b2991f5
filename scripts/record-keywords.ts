/**
 * Records what ansible-core makes of the rows of the table of keywords: it plays each of them through the front door
 * and keeps which tasks ended how. With arguments: only rows whose titles have one of them.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  ANSWERS,
  type Answer,
  answerOf,
  recordedAnswers,
  renderAnswers,
  type TaskEnd,
} from '../test/engine/keywords/answers.ts';
import { keywordRows, type Row } from '../test/engine/keywords/rows.ts';
import { ansibleBin } from '../test/support/ansible.ts';
import { mustRun } from '../test/support/run-command.ts';

const PLAYER = join(import.meta.dirname, '../test/engine/keywords/play-many.py');

function writeRow(folder: string, { files }: Row): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

async function play(home: string, folders: readonly string[]): Promise<void> {
  const bin = await ansibleBin();
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: home,
    LANG: 'C.UTF-8',
    ANSIBLE_PYTHON_INTERPRETER: join(bin, 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
    ANSIBLE_CALLBACK_PLUGINS: join(import.meta.dirname, '../test/differential/callback'),
    ANSIBLE_STDOUT_CALLBACK: 'dump_results',
  };
  await mustRun(join(bin, 'python'), [PLAYER, ...folders], { env });
}

function answerIn(folder: string): Answer {
  const results = join(folder, 'results');
  const lines = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : [];
  // Each line is a record of the callback.
  const records = lines.filter(Boolean).map((line) => JSON.parse(line) as RecordedEnd);
  const ends = records.filter(({ event, item }) => event === 'result' && item === undefined);
  return answerOf(ends, readFileSync(join(folder, 'code'), 'utf8') !== '0');
}

type RecordedEnd = TaskEnd & { readonly event: string; readonly item?: string };

async function record(rows: readonly Row[]): Promise<ReadonlyMap<string, Answer>> {
  const home = mkdtempSync(join(tmpdir(), 'keywords-'));
  try {
    const folders = rows.map((row, i) => writeRow(join(home, String(i)), row));
    await play(home, folders);
    return new Map(rows.map(({ title }, i) => [title, answerIn(folders[i] ?? home)] as const));
  } finally {
    rmSync(home, { recursive: true });
  }
}

const wanted = process.argv.slice(2);
const rows = keywordRows();
const isAsked = ({ title }: Row) =>
  wanted.length === 0 || wanted.some((part) => title.includes(part));
const recorded = wanted.length === 0 ? new Map<string, Answer>() : recordedAnswers();
const answers = await record(rows.filter(isAsked));
const both = new Map([...recorded, ...answers]);
const known = rows.flatMap((row) => {
  const answer = both.get(row.title);
  return answer === undefined ? [] : [[row, answer] as const];
});
writeFileSync(ANSWERS, renderAnswers(new Map(known)));
