import { expect } from 'chai';
import { PythonRegex, RegexSyntaxError } from '../../src/shared/python-regex.ts';

/** Pattern, text, what Python's `re.findall` gives (whole matches). */
const MATCHES: readonly [string, string, readonly string[]][] = [
  ['(?P<n>a+)(?P=n)b', 'aaaab', ['aaaab']],
  ['foo$', 'foo\n', ['foo']],
  ['foo\\Z', 'foo\n', []],
  ['^b$', 'a\nb\n', []],
  ['(?m)^b$', 'a\nb\r\nb\n', ['b']],
  ['.+', 'a\r\nb', ['a\r', 'b']],
  ['(?s).+', 'a\nb', ['a\nb']],
  ['[]a-]+', 'a-]x', ['a-]']],
  ['\\d{,2}x', '123x', ['23x']],
  ['a{', 'a{', ['a{']],
  ['a++ab', 'aaab', []],
  ['(?>a+)b', 'aab', ['aab']],
  ['(?x) a  b # note', 'ab', ['ab']],
  ['(?i:a)B', 'AB ab', ['AB']],
  ['(?i)straSSe', 'STRASSE', ['STRASSE']],
  ['\\w+', 'éa_1 日', ['éa_1', '日']],
  ['\\bé', 'é', ['é']],
  ['[^\\S\\n]+', 'a \t\nb', [' \t']],
  ['\\x41\\101\\u0041\\"\\-', 'AAA"-', ['AAA"-']],
  ['(?=a)*b', 'b', ['b']],
];

const REFUSED = [
  '(',
  'a)',
  'a**',
  '*a',
  '[z-a]',
  '\\q',
  'a\\',
  '(?P=x)',
  '\\9',
  '[a',
  'b(?i)a',
  '(?P<a-b>x)',
];

const REPLACED: readonly [string, string, string, string][] = [
  ['(a)(b)?', '<\\1\\2>', 'ab a', '<ab> <a>'],
  ['(?P<x>a)', '\\g<x>\\g<0>\\n\\.', 'a', 'aa\n\\.'],
  ['x*', '-', 'abxd', '-a-b--d-'],
  ['(a)', '$1 $& \\101', 'a', '$1 $& A'],
  ['(a)', '\\g<1>1', 'a', 'a1'],
];

describe('Python regular expressions', () => {
  for (const [pattern, text, expected] of MATCHES) {
    it(`finds in ${JSON.stringify(text)} what Python finds for ${pattern}`, () => {
      const found = [...new PythonRegex(pattern).findAll(text)].map(({ groups }) => groups[0]);
      expect(found).to.deep.equal(expected);
    });
  }

  for (const pattern of REFUSED) {
    it(`refuses ${pattern} as Python does`, () => {
      expect(() => new PythonRegex(pattern)).to.throw(RegexSyntaxError);
    });
  }

  for (const [pattern, template, text, expected] of REPLACED) {
    it(`replaces ${pattern} by ${template}`, () => {
      expect(new PythonRegex(pattern).replace(text, template)).to.equal(expected);
    });
  }

  it('refuses a template that names a group the pattern has not', () => {
    const regex = new PythonRegex('(a)');
    for (const template of ['\\2', '\\g<x>', '\\q', 'x\\']) {
      expect(() => regex.replace('a', template), template).to.throw(RegexSyntaxError);
    }
  });

  it('gives named groups and those that took no part', () => {
    const match = new PythonRegex('(?P<key>\\w+)(?P<value>=\\w+)?').match('a b');
    expect(match?.named).to.deep.equal(
      new Map([
        ['key', 'a'],
        ['value', undefined],
      ]),
    );
    expect(new PythonRegex('a|ab').fullMatch('ab')?.end).to.equal(2);
    expect(new PythonRegex('b').match('ab')).to.equal(undefined);
  });

  it('knows only ASCII where the pattern is one of bytes', () => {
    const regex = new PythonRegex('(?i)\\wé', { ascii: true });
    expect(regex.search('Aé')).to.not.equal(undefined);
    expect(regex.search('éé')).to.equal(undefined);
    expect(regex.search('AÉ')).to.equal(undefined);
  });
});
