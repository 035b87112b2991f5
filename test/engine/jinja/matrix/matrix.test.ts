import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { FILTERS } from '../../../../src/engine/jinja/filters/filters.ts';
import { Jinja, type Scope, TemplateError } from '../../../../src/engine/jinja/jinja.ts';
import { parseJson } from '../../../../src/engine/jinja/json.ts';
import { LOOKUPS } from '../../../../src/engine/jinja/lookups/lookups.ts';
import { TESTS } from '../../../../src/engine/jinja/tests/tests.ts';
import { TrustedTemplate, type Value } from '../../../../src/engine/values.ts';
import { differencesIn, documentedIds } from '../../documented-differences.ts';
import { asPlaybookData } from '../oracle-harness.ts';
import { type Answer, answerOf, ERROR, isSameAnswer, recordedAnswers } from './answers.ts';
import { FILES, matrix, type Row, VARIABLES } from './cases.ts';

const differences = differencesIn(new URL('differences.txt', import.meta.url));

const jinja = new Jinja();
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'jinja-matrix-'));
const host = {
  searchPath: [folder],
  inventoryHostnames: (pattern: string) =>
    pattern.split(',').some((part) => ['all', 'ctl'].includes(part)) ? ['ctl'] : [],
  setting: (name: string) =>
    name === 'DEFAULT_FORKS' ? { value: 5, origin: 'default' } : undefined,
};
const variables = new Map<string, Value>(
  // The variables of the matrix are a JSON object.
  asPlaybookData(parseJson(JSON.stringify(VARIABLES)) as Value) as unknown as ReadonlyMap<
    string,
    Value
  >,
);
const scope: Scope = { get: (name) => variables.get(name), names: () => variables.keys() };

/** What an expression gives. Any other error than that of a template is a fault of ours. */
function evaluate(expression: string): Answer {
  try {
    const template = new TrustedTemplate(`{{ {'v': (${expression})} | to_json }}`);
    const json = String(jinja.renderValue(template, scope, host));
    return answerOf(/^\{"v": ([\s\S]*)\}$/.exec(json)?.[1] ?? '');
  } catch (error) {
    if (error instanceof TemplateError) return ERROR;
    throw new Error(`a fault in ${expression}`, { cause: error });
  }
}

function misses(row: Row, answers: readonly Answer[]): readonly string[] {
  return row.expressions.flatMap((expression, i) => {
    const got = evaluate(expression);
    const isOther = !isSameAnswer(got, answers[i] ?? ERROR);
    if (isOther === differences.has(expression)) return [];
    const known = isOther ? '' : ' (no longer a difference)';
    return [`${expression}: expected ${answers[i]}, got ${got}${known}`];
  });
}

/** The url lookup waits for the network: it is not supported. */
const UNSUPPORTED = 'lookups url';

function namesWithoutRow(called: ReadonlySet<string>): readonly string[] {
  const kinds = { filters: FILTERS.core, tests: TESTS, lookups: LOOKUPS.core };
  return Object.entries(kinds).flatMap(([kind, table]) =>
    [...new Set(table.values())]
      .map(({ names }) => names.map((name) => `${kind} ${name}`))
      .filter((titles) => !titles.some((title) => called.has(title) || title === UNSUPPORTED))
      .map(String),
  );
}

describe('Functions of the template language, called in every wrong way, give what ansible-core gives', () => {
  before(() => {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    // Tests of files look from there.
    process.chdir(folder);
  });
  after(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  });

  const answersOf = recordedAnswers();
  const rows = matrix();
  for (const row of rows) {
    it(row.title, () => {
      expect(misses(row, answersOf(row))).to.deep.equal([]);
    });
  }

  it('lists only differences that the matrix has and the documentation explains', () => {
    const asked = new Set(rows.flatMap(({ expressions }) => expressions));
    expect([...differences.keys()].filter((expression) => !asked.has(expression))).to.deep.equal(
      [],
    );
    expect([...documentedIds()]).to.include.members([...new Set(differences.values())]);
  });

  it('has a row for every filter, test and lookup', () => {
    const called = new Set(rows.map(({ title }) => title.slice(0, title.indexOf(':'))));
    expect(namesWithoutRow(called)).to.deep.equal([]);
  });
});
