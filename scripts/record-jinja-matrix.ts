/**
 * Records what ansible-core gives for the matrix of the template language: it plays every expression through the
 * front door and keeps the values. With arguments: only rows whose titles have one of them.
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
} from '../test/engine/jinja/matrix/answers.ts';
import { FILES, matrix, type Row, VARIABLES } from '../test/engine/jinja/matrix/cases.ts';
import { ansibleBin } from '../test/support/ansible.ts';
import { runCommand } from '../test/support/run-command.ts';

/** Expressions of one task. */
const CHUNK = 500;
const TIMEOUT_MS = 3_600_000;

/** No value has it: JSON is written in ASCII. */
const SEPARATOR = '¶';

/** For each item its value, or `!` where it has failed. `type_debug` is what sees that without failing itself. */
const ANSWERED = `x{% for r in LIST %}{% if (r | type_debug) == 'str' %}{{ r }}{% else %}!{% endif %}${SEPARATOR}{% endfor %}`;

function chunksOf(expressions: readonly string[]): readonly (readonly string[])[] {
  const starts = Array.from({ length: Math.ceil(expressions.length / CHUNK) }, (_, i) => i * CHUNK);
  return starts.map((start) => expressions.slice(start, start + CHUNK));
}

function writePlay(folder: string, chunks: readonly (readonly string[])[]): void {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const lists = chunks.map((texts, i) => [
    `chunk${i}`,
    texts.map((text) => `{{ {'v': (${text})} | to_json }}`),
  ]);
  writeFileSync(join(folder, 'expressions.json'), JSON.stringify(Object.fromEntries(lists)));
  const play = {
    hosts: 'ctl',
    gather_facts: false,
    vars: VARIABLES,
    vars_files: 'expressions.json',
    tasks: chunks.map((_, i) => ({ debug: { msg: ANSWERED.replace('LIST', `chunk${i}`) } })),
  };
  writeFileSync(join(folder, 'play.yaml'), JSON.stringify([play]));
  writeFileSync(join(folder, 'inventory'), 'ctl ansible_connection=local\n');
}

/** What every expression gave. */
async function ask(folder: string, expressions: readonly string[]): Promise<readonly Answer[]> {
  const chunks = chunksOf(expressions);
  writePlay(folder, chunks);
  const bin = await ansibleBin();
  const results = join(folder, 'results');
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    ANSIBLE_CALLBACK_PLUGINS: join(import.meta.dirname, '../test/differential/callback'),
    ANSIBLE_STDOUT_CALLBACK: 'dump_results',
    DUMP_RESULTS: results,
  };
  const options = { cwd: folder, env, timeoutMs: TIMEOUT_MS };
  const ended = await runCommand(
    join(bin, 'ansible-playbook'),
    ['-i', 'inventory', 'play.yaml'],
    options,
  );
  const answers = readFileSync(results, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"event": "result"'))
    .flatMap((line) => answersOf(JSON.parse(line).result.msg));
  if (answers.length === expressions.length) return answers;
  throw new Error(`${expressions.length} cases, ${answers.length} answers: ${ended.stderr}`);
}

function answersOf(text: string): readonly Answer[] {
  const lines = text.slice(1, -1).split(SEPARATOR);
  return lines.map((line) => answerOf(/^\{"v": ([\s\S]*)\}$/.exec(line)?.[1]));
}

async function record(rows: readonly Row[]): Promise<ReadonlyMap<Row, readonly Answer[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'jinja-matrix-'));
  try {
    const left = [
      ...(await ask(
        folder,
        rows.flatMap(({ expressions }) => expressions),
      )),
    ];
    return new Map(rows.map((row) => [row, left.splice(0, row.expressions.length)] as const));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const wanted = process.argv.slice(2);
const rows = matrix();
const isAsked = ({ title }: Row) =>
  wanted.length === 0 || wanted.some((part) => title.includes(part));
const recorded = existsSync(ANSWERS) ? recordedAnswers() : () => [];
const answers = await record(rows.filter(isAsked));
writeFileSync(
  ANSWERS,
  renderAnswers(rows.map((row) => [row, answers.get(row) ?? recorded(row)] as const)),
);
