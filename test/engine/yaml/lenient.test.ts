import { expect } from 'chai';
import { toPlain } from '../../../src/engine/values.ts';
import { parseYamlData } from '../../../src/engine/yaml.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

/** What PyYAML takes, and what it makes of it. */
const TAKEN: readonly (readonly [text: string, value: unknown])[] = [
  ['a:\n  b: "{{\n  1 + 1\n}}"\n  c: 1\n', { a: { b: '{{ 1 + 1 }}', c: 1 } }],
  ["a:\n  b: 'one\ntwo\n\nthree'\n", { a: { b: 'one two\nthree' } }],
  ['a:\n  b: "one\n\ttwo"\n', { a: { b: 'one two' } }],
  ['a:\n  - {b: "c\nd", \ne: 1}\n', { a: [{ b: 'c d', e: 1 }] }],
];

describe('YAML that PyYAML takes', () => {
  for (const [text, value] of TAKEN) {
    it(`is taken: ${JSON.stringify(text)}`, () => {
      expect(toPlain(parseYamlData(text))).to.deep.equal(value);
    });
  }

  it('does not take a quote that is never closed', () => {
    expect(() => parseYamlData('a:\n  b: "one\n  c: 1\n')).to.throw(
      InvalidInput,
      'Missing closing',
    );
  });

  it('names the line of a tab that begins a plain line', () => {
    expect(() => parseYamlData('a:\n  b: one\n\ttwo\n')).to.throw(InvalidInput, '3:1');
  });
});
