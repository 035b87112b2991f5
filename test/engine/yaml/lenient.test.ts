import { expect } from 'chai';
import { toPlain } from '../../../src/engine/values.ts';
import { parseYamlData } from '../../../src/engine/yaml.ts';
import { formatProblem, InvalidInput } from '../../../src/shared/errors.ts';

/** What PyYAML takes, and what it makes of it. */
const TAKEN: readonly (readonly [text: string, value: unknown])[] = [
  ['a:\n  b: "{{\n  1 + 1\n}}"\n  c: 1\n', { a: { b: '{{ 1 + 1 }}', c: 1 } }],
  ["a:\n  b: 'one\ntwo\n\nthree'\n", { a: { b: 'one two\nthree' } }],
  ['a:\n  b: "one\n\ttwo"\n', { a: { b: 'one two' } }],
  ['a:\n  - {b: "c\nd", \ne: 1}\n', { a: [{ b: 'c d', e: 1 }] }],
];

/** Quotes that are never closed, and where they open. */
const OPEN: readonly (readonly [text: string, place: string])[] = [
  ['a:\n  b: "one\n  c: 1\n', '2:6'],
  ['a:\n  - b: {c: "one}\n  - d: 1\n', '2:12'],
  ['a:\n  b: \'one\n  c: 1\nd: "two"\n', '2:6'],
  ['a: "one\nb: "two"\n', '1:4'],
  ['"a: 1\n', '1:1'],
  ['a: "one"\nb: "two\n', '2:4'],
];

function problemsOf(text: string): readonly string[] {
  try {
    parseYamlData(text);
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems.map(formatProblem);
    throw error;
  }
}

describe('YAML that PyYAML takes', () => {
  for (const [text, value] of TAKEN) {
    it(`is taken: ${JSON.stringify(text)}`, () => {
      expect(toPlain(parseYamlData(text))).to.deep.equal(value);
    });
  }

  for (const [text, place] of OPEN) {
    it(`names the place where a quote opens that is never closed: ${JSON.stringify(text)}`, () => {
      const message = `<data>:${place}  YAML syntax: this quote is never closed (close it; within '…' an apostrophe is written twice)`;
      expect(problemsOf(text)).to.deep.equal([message]);
    });
  }

  it('names the line of a tab that begins a plain line', () => {
    expect(() => parseYamlData('a:\n  b: one\n\ttwo\n')).to.throw(InvalidInput, '3:1');
  });
});
