import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import fc from 'fast-check';
import { expandedWord, globWord } from '../../../src/modules/support/shell-word.ts';

const SHELLS: readonly (readonly string[])[] = [['sh'], ['bash'], ['busybox', 'ash']];

/** `${NAME}`. */
const braced = (name: string) => `$\{${name}}`;

/** What a shell makes of a word, with a home directory of `/h` and the variable `A`. */
function shown([shell = '', ...words]: readonly string[], line: string): string {
  const env = { PATH: process.env['PATH'], HOME: '/h', A: 'a b*' };
  return execFileSync(shell, [...words, '-c', `printf '%s|' ${line}`], {
    env,
    cwd: '/',
  }).toString();
}

for (const shell of SHELLS) {
  describe(`words for ${shell.join(' ')}`, () => {
    it('keep every text that is not to be expanded', () => {
      const text = fc.string({ unit: fc.constantFrom(...'ab \n\'"`$({})\\;&|<>*?[]#!~=/%') });
      const isLiteral = (each: string) => !/^~|\$\{?[A-Za-z_]/.test(each);
      fc.assert(
        fc.property(text.filter(isLiteral), (each) => {
          expect(shown(shell, expandedWord(each).line)).to.equal(`${each}|`);
        }),
        { numRuns: 60 },
      );
    });

    it('expand a tilde and variables into one word', () => {
      const cases = {
        '~': '/h',
        '~/x y': '/h/x y',
        '~nobody-here': '~nobody-here',
        $A: 'a b*',
      };
      for (const [text, wanted] of Object.entries(cases)) {
        expect(shown(shell, expandedWord(text).line), text).to.equal(`${wanted}|`);
      }
      expect(
        shown(shell, expandedWord(`x${braced('A')}y$NOPE-${braced('NOPE')}$IFS`).line),
      ).to.equal(`xa b*y$NOPE-${braced('NOPE')}$IFS|`);
    });

    it('match wildcards, and nothing else', () => {
      expect(shown(shell, globWord('/etc/pass?d').line)).to.equal('/etc/passwd|');
      expect(shown(shell, globWord('/etc/[p]asswd').line)).to.equal('/etc/passwd|');
      expect(shown(shell, globWord('/etc/$(id) *x').line)).to.equal('/etc/$(id) *x|');
    });
  });
}
