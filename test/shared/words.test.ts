import { expect } from 'chai';
import { parseFreeForm } from '../../src/shared/words.ts';

const OPTIONS = ['creates', 'removes', 'chdir', 'stdin'];
const FREE_FORMS: readonly [
  text: string,
  rest: string,
  options: Readonly<Record<string, string>>,
][] = [
  ['echo   a   x=y', 'echo   a   x=y', {}],
  ['echo a creates=/x b', 'echo a b', { creates: '/x' }],
  ['chdir=/ pwd', 'pwd', { chdir: '/' }],
  ['cat x creates=/x', 'cat x', { creates: '/x' }],
  ['  echo a  ', '  echo a  ', {}],
  [`echo 'creates=/x' "x creates=/x"`, `echo 'creates=/x' "x creates=/x"`, {}],
  [`echo a creates="/no such" b`, 'echo a b', { creates: '/no such' }],
  [`a creates={{ '/x' ~ "y z" }} b`, 'a b', { creates: `{{ '/x' ~ "y z" }}` }],
  ['echo {% if x %}creates=/x{% endif %}', 'echo {% if x %}creates=/x{% endif %}', {}],
  ['echo "{{ "creates=/x" }}"', 'echo "{{ "creates=/x" }}"', {}],
  [String.raw`echo b\=c creates=/a\tb`, 'echo b=c', { creates: '/a\tb' }],
  ['echo --creates=/x xcreates=/y', 'echo --creates=/x xcreates=/y', {}],
  ['creates=/x', '', { creates: '/x' }],
  ['echo creates=', 'echo', { creates: '' }],
  ['echo 1\n  echo 2 creates=/x\necho 3\n', 'echo 1\n  echo 2 echo 3\n', { creates: '/x' }],
  ['echo a \\\n  b \\\nc creates=/x', 'echo a  b c', { creates: '/x' }],
  ['echo 1\ncreates=/x\necho 3', 'echo 1\necho 3', { creates: '/x' }],
  ['creates=/x\nchdir=/\n  echo 3\n', 'echo 3\n', { creates: '/x', chdir: '/' }],
  ['echo 3\n creates=/x ', 'echo 3\n', { creates: '/x' }],
  ['echo a   creates=/x   b', 'echo a   b', { creates: '/x' }],
  ["echo {# it's #} a", "echo {# it's #} a", {}],
];

describe('reading free-form arguments', () => {
  for (const [text, rest, options] of FREE_FORMS) {
    it(`reads ${JSON.stringify(text)}`, () => {
      expect(parseFreeForm(text, OPTIONS)).to.deep.equal({ text: rest, options });
    });
  }

  it('takes every name=value word where any is asked for', () => {
    expect(parseFreeForm(`msg="a b" var=x rest`, 'any')).to.deep.equal({
      text: 'rest',
      options: { msg: 'a b', var: 'x' },
    });
  });

  for (const text of [`echo don't`, 'echo {{ x', 'echo "a']) {
    it(`says that ${text} cannot be split`, () => {
      expect(parseFreeForm(text, OPTIONS)).to.have.property('problem');
    });
  }
});
