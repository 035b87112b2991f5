import { expect } from 'chai';
import { splitWords } from '../../src/shared/shell-words.ts';

const SPLITS: readonly [text: string, words: readonly string[]][] = [
  ['echo a  b', ['echo', 'a', 'b']],
  ['', []],
  ['  \t\n', []],
  [`echo "a b" 'c "d'`, ['echo', 'a b', 'c "d']],
  [`a"b"'c'd`, ['abcd']],
  [`"" ''`, ['', '']],
  [String.raw`a\ b "c\"d" "e\nf" 'g\h'`, ['a b', 'c"d', String.raw`e\nf`, String.raw`g\h`]],
  ['a\\\nb', ['a\nb']],
  [`$'x'`, ['$x']],
  ['a # b', ['a', '#', 'b']],
];

describe('splitting a command into words', () => {
  for (const [text, words] of SPLITS) {
    it(`splits ${JSON.stringify(text)} as Python's shlex does`, () => {
      expect(splitWords(text)).to.deep.equal(words);
    });
  }

  for (const text of [`echo "a`, `echo 'a`, 'echo "a\\"']) {
    it(`refuses the open quote of ${text}`, () => {
      expect(() => splitWords(text)).to.throw(SyntaxError, 'No closing quotation');
    });
  }

  it('refuses a backslash with nothing after it', () => {
    expect(() => splitWords('a\\')).to.throw(SyntaxError, 'No escaped character');
  });
});
