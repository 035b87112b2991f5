import { expect } from 'chai';
import fc from 'fast-check';
import {
  withOptions,
  withoutEffect,
  withoutOptions,
  wordsOf,
} from '../../../src/modules/support/boot/boot-line.ts';

const OPTIONS = ['cgroup_enable=cpuset', 'cgroup_memory=1', 'cgroup_enable=memory'];
const ALL = OPTIONS.join(' ');

describe('the boot line', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['appends what is missing', 'root=/dev/sda quiet\n', `root=/dev/sda quiet ${ALL}\n`],
    ['keeps a missing newline at the end', 'root=x', `root=x ${ALL}`],
    ['leaves a line alone that has all', `root=x  ${ALL} a\n\n`, `root=x  ${ALL} a\n\n`],
    [
      'does not take part of a word for the word',
      'root=x cgroup_enable=memory,cpuset xcgroup_memory=1\n',
      `root=x cgroup_enable=memory,cpuset xcgroup_memory=1 ${ALL}\n`,
    ],
    ['keeps blanks inside', 'root=x  dyndbg="file  a"\n', `root=x  dyndbg="file  a" ${ALL}\n`],
    ['drops blanks at the end', 'root=x \t\n', `root=x ${ALL}\n`],
    ['drops carriage returns', 'root=x\r\n', `root=x ${ALL}\n`],
    ['drops carriage returns of a complete line', `root=x ${ALL}\r\n`, `root=x ${ALL}\n`],
    ['has each option once', `root=x ${ALL} quiet cgroup_memory=1\n`, `root=x ${ALL} quiet\n`],
    [
      'puts an option after the one that undoes it',
      'root=x cgroup_enable=memory cgroup_disable=memory quiet\n',
      'root=x cgroup_disable=memory quiet cgroup_enable=cpuset cgroup_memory=1 cgroup_enable=memory\n',
    ],
    [
      'takes what undoes an option for what it is in a list too',
      `root=x ${ALL} cgroup_disable=hugetlb,memory\n`,
      'root=x cgroup_enable=cpuset cgroup_memory=1 cgroup_disable=hugetlb,memory cgroup_enable=memory\n',
    ],
    [
      'keeps the occurrence that counts',
      `root=x cgroup_enable=memory cgroup_disable=memory ${ALL}\n`,
      `root=x cgroup_disable=memory ${ALL}\n`,
    ],
    ['joins options that stand on a dead line', `root=x\n${ALL}\n`, `root=x ${ALL}\n`],
  ];
  for (const [what, before, after] of cases) {
    it(what, () => {
      expect(withOptions(before, OPTIONS)).to.equal(after);
      expect(withOptions(after, OPTIONS), 'a second time').to.equal(after);
    });
  }

  it('refuses a second line with something else', () => {
    expect(() => withOptions('root=x\nquiet splash\n', OPTIONS)).to.throw('"quiet splash"');
  });

  it('takes options out again', () => {
    expect(withoutOptions(`root=x a ${ALL} b\n`, OPTIONS)).to.equal('root=x a b\n');
  });

  it('tells which options do not count', () => {
    expect(withoutEffect(`${ALL} cgroup_disable=memory`, OPTIONS)).to.deep.equal([OPTIONS[2]]);
    expect(withoutEffect(`cgroup_disable=memory ${ALL}`, OPTIONS)).to.deep.equal([]);
    expect(withoutEffect('', OPTIONS)).to.deep.equal(OPTIONS);
  });

  describe('of any text', () => {
    const word = fc.constantFrom(...OPTIONS, 'root=x', 'a', 'cgroup_disable=memory', 'b="c', 'd"');
    const blank = fc.constantFrom(' ', '  ', '\t', ' \r');
    const lines = fc
      .array(fc.tuple(word, blank), { minLength: 1 })
      .map((pairs) => pairs.flat().join(''));
    const others = (text: string) => wordsOf(text).filter((each) => !OPTIONS.includes(each));

    it('holds every option once and in effect, and all else in its order', () => {
      fc.assert(
        fc.property(lines, fc.constantFrom('', '\n'), (line, end) => {
          const after = withOptions(line + end, OPTIONS);
          expect(withoutEffect(after, OPTIONS)).to.deep.equal([]);
          for (const each of OPTIONS) {
            expect(wordsOf(after).filter((one) => one === each)).to.have.length(1);
          }
          expect(others(after)).to.deep.equal(others(line));
          expect(after.endsWith('\n')).to.equal(end === '\n');
          expect(after.trimEnd()).not.to.match(/[\r\n]/);
          expect(withOptions(after, OPTIONS)).to.equal(after);
        }),
        { seed: 1, numRuns: 500 },
      );
    });

    it('gives back the words of a line that had none of the options', () => {
      const foreign = fc.array(fc.constantFrom('root=x', 'a', 'b'), { minLength: 1 });
      fc.assert(
        fc.property(foreign, (words) => {
          const line = `${words.join(' ')}\n`;
          expect(withoutOptions(withOptions(line, OPTIONS), OPTIONS)).to.equal(line);
        }),
        { seed: 1 },
      );
    });
  });
});
