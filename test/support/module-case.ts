/** Cases of modules as data: the format of `test/modules/cases/<module>.yaml`, and its reader. */
import { readFileSync } from 'node:fs';
import { toPlain } from '../../src/engine/values.ts';
import { parseYamlData } from '../../src/engine/yaml.ts';
import { InvalidInput } from '../../src/shared/errors.ts';
import { compileSchema } from '../../src/shared/validate.ts';
import type { FakeControllerData, FakeTaskData } from './fake-conversation.ts';
import type { FakeHostData } from './fake-host.ts';

/** What a case expects. What is left out is not looked at; mappings need only hold what is said of them. */
export interface Expectation {
  /** Whether the plan has steps that count (steps marked `quiet` do not). */
  readonly changed?: boolean;
  /** All steps in order: the command line (`*` stands for anything), or members of the step. */
  readonly steps?: readonly (string | Readonly<Record<string, unknown>>)[];
  readonly effects?: readonly Readonly<Record<string, unknown>>[];
  readonly diff?: unknown;
  readonly warnings?: readonly string[];
  /** Members of the result. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** Changes of the run that a conversation asks for. */
  readonly run?: Readonly<Record<string, unknown>>;
  /** The module and the arguments that a front module chooses. */
  readonly choice?: Readonly<Record<string, unknown>>;
  /** Part of the message of the TaskError or the InvalidInput. */
  readonly error?: string;
}

export interface ModuleCase {
  /** A sentence about the behaviour. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** A check run: nothing is performed. */
  readonly check?: boolean;
  readonly host?: FakeHostData;
  readonly controller?: FakeControllerData;
  readonly task?: FakeTaskData;
  readonly expect: Expectation;
  /** What differs on the host after the steps, beside the files they write and the effects of the plan. */
  readonly after?: FakeHostData;
}

const mapping = { type: 'object' };
const rows = { type: 'array', items: mapping };

const HOST = {
  type: 'object',
  additionalProperties: false,
  properties: {
    paths: mapping,
    users: mapping,
    groups: mapping,
    units: mapping,
    commands: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['match'],
        properties: {
          match: { type: 'string' },
          code: { type: 'integer' },
          stdout: { type: 'string' },
          stderr: { type: 'string' },
        },
      },
    },
    facts: mapping,
    predicted: rows,
    cluster: rows,
  },
};

const CASE = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'args', 'expect'],
  properties: {
    name: { type: 'string' },
    args: mapping,
    check: { type: 'boolean' },
    host: HOST,
    after: HOST,
    controller: {
      type: 'object',
      additionalProperties: false,
      properties: { files: mapping, templates: mapping, variables: mapping },
    },
    task: {
      type: 'object',
      additionalProperties: false,
      properties: { variables: mapping, evaluates: mapping, answers: { type: 'array' } },
    },
    expect: {
      type: 'object',
      additionalProperties: false,
      properties: {
        changed: { type: 'boolean' },
        steps: { type: 'array' },
        effects: rows,
        diff: {},
        warnings: { type: 'array' },
        result: mapping,
        run: mapping,
        choice: mapping,
        error: { type: 'string' },
      },
    },
  },
};

const problemsOf = compileSchema({ type: 'array', items: CASE, minItems: 1 });

/** The cases of one file. Throws InvalidInput where the file is not in the format. */
export function readCases(file: string): readonly ModuleCase[] {
  const cases = toPlain(parseYamlData(readFileSync(file, 'utf8'), file));
  const problems = problemsOf(cases);
  const place = { file, line: 1, column: 1 };
  if (problems.length > 0) throw new InvalidInput(problems.map((each) => ({ ...each, place })));
  return cases as readonly ModuleCase[]; // The schema has just been checked.
}
