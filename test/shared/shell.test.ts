import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { givenScript, innerScript, joinCommands, plainName, sh } from '../../src/shared/shell.ts';
import { readHoles } from '../../src/shared/shell-holes.ts';
import { shellTemplates } from '../support/shell-templates.ts';
import { readSources } from '../support/source-files.ts';

const HOSTILE = [
  '$(echo run)',
  '`echo run`',
  "'$(echo run)'",
  '"$(echo run)"',
  "'; echo run; '",
  '"; echo run; "',
  'a\necho run\n',
  `$HOME \${IFS} $((1+1))`,
  '* ? [a-z]',
  'a && echo run || echo run | cat & ',
  '-n',
  '--',
  '\\',
  "\\'",
  '',
  '~ ~root',
  '# no comment',
  'ä€𝄞\u0001\u007f',
  'x'.repeat(100_000),
];

/** A hole is `@`. */
const REFUSED = [
  `echo '@'`,
  'echo `cat @`',
  'echo # @',
  'echo \\@',
  `echo $'@'`,
  `echo "\${a:-'@'}"`,
  'cat <<< @',
  `echo "@`,
  'echo $(cat @',
  'echo @ #',
  'echo @)',
  'cat <<E\n@\n',
  'echo $((1 + @)',
];

const PLACES: readonly [template: string, holes: readonly string[]][] = [
  ['echo @ a@b x=@ <@', ['word', 'word', 'word', 'word']],
  [`echo "$(cat @)" "@" "\${a:-@}" \${a:-@}`, ['word', 'quoted', 'quoted', 'quoted']],
  ['echo $(( @ + (@) )) $@', ['quoted', 'quoted', 'quoted']],
  ['cat <<E; cat @\n@\nE\ncat @', ['word', 'quoted', 'word']],
  [`cat <<'E' <<-F @\n@\nE\n@\nF\n@`, ['word', 'quoted', 'quoted', 'word']],
  ['eval @; eval a @; trap @ EXIT; trap : @', ['script', 'script', 'script', 'word']],
  ['sh -c @ @; exec /bin/bash -ec @; timeout 3 sh -c @', ['script', 'word', 'script', 'script']],
  ['X=1 if su a -c @; then eval @; fi; stat -c @', ['script', 'script', 'word']],
  [
    `x=$(case @ in *'a)'*) echo @;; (b) ( echo @ );; esac); "@"`,
    ['word', 'word', 'word', 'quoted'],
  ],
  [`# it's "a comment\necho @ $# \${#a} '#' @`, ['word', 'word']],
  [`f() { echo '"' @; }; "\${j:+"\${j%/*}"}" @ \\" @`, ['word', 'word', 'word']],
];

/** Holes within quotes, all of them filled with numbers and plain names. */
const PLAIN = [
  'SECONDS_PER_YEAR',
  'SECONDS_PER_YEAR',
  'SECONDS_PER_YEAR / 2',
  'variable',
  'variable',
  'base64Lines(source.bytes)',
  'digest',
  'digest',
  'variable',
  'variable',
  'seconds',
  'old',
  'made',
  'made',
  'made',
];

/** Words that a real shell hands to a program. */
function wordsOf(script: string): string[] {
  const print = `f() { for w; do printf '%s\\0' "$w"; done; }\n`;
  const printed = execFileSync('/bin/sh', { input: print + script, encoding: 'utf8' });
  return printed.split('\0').slice(0, -1);
}

describe('text for shells', () => {
  for (const template of REFUSED) {
    it(`takes no value in ${JSON.stringify(template)}`, () => {
      expect(() => readHoles(template.split('@'))).to.throw(SyntaxError);
    });
  }

  for (const [template, holes] of PLACES) {
    it(`knows the places in ${JSON.stringify(template)}`, () => {
      expect(readHoles(template.split('@'))).to.deep.equal(holes);
    });
  }

  it('hands every value to a real shell as the word that it is', () => {
    for (const value of HOSTILE) {
      const script = joinCommands(
        [
          sh`f ${value} a${value}b "$(printf '%s.' ${value})"; v=${value}; f "$v"`,
          sh`f ${[value, value]}; case ${value} in ${value}) f same;; *) f other;; esac`,
        ],
        '\n',
      );
      const expected = [value, `a${value}b`, `${value}.`, value, value, value, 'same'];
      expect(wordsOf(script.line), value.slice(0, 50)).to.deep.equal(expected);
    }
  });

  it('hands a script to another shell as it is', () => {
    const inner = sh`printf '%s\\0' ${"$(echo 'run')"} "$0"`;
    expect(wordsOf(sh`sh -c ${innerScript(inner)} ${'a b'}`.line)).to.deep.equal([
      "$(echo 'run')",
      'a b',
    ]);
    expect(wordsOf(sh`eval ${givenScript('f "a  b"')}`.line)).to.deep.equal(['a  b']);
  });

  it('runs no value as a script, and lets none into quotes', () => {
    expect(() => sh`sh -c ${'echo'}`).to.throw(SyntaxError);
    expect(() => sh`eval ${['echo']}`).to.throw(SyntaxError);
    expect(() => sh`sh -c ${sh`echo`}`).to.throw(SyntaxError);
    expect(() => sh`echo "${'a'}"`).to.throw(SyntaxError);
    expect(() => sh`echo "${sh`a`}"`).to.throw(SyntaxError);
    expect(() => sh`echo ${Number.NaN}`).to.throw(SyntaxError);
    expect(() => plainName('a b')).to.throw(SyntaxError);
    expect(sh`echo "$${plainName('a')}" $((${1} + 1))`.line).to.equal('echo "$a" $((1 + 1))');
  });
});

describe('every template of a command', () => {
  const templates = readSources('src').flatMap(({ path, text }) =>
    shellTemplates(text).map((template) => ({ path, ...template })),
  );

  it('is found', () => {
    expect(templates.length).to.be.above(300);
  });

  it('has no value within quotes but numbers and plain names, and runs none but scripts', () => {
    const found = templates.flatMap(({ path, line, parts, holes }) =>
      readHoles(parts).map((kind, i) => ({ at: `${path}:${line}`, kind, hole: holes[i] ?? '' })),
    );
    const run = found.filter(
      ({ kind, hole }) => kind === 'script' && !/^(given|inner)Script\(/.test(hole),
    );
    expect(run).to.deep.equal([]);
    const quoted = found.filter(({ kind }) => kind === 'quoted').map(({ hole }) => hole);
    expect(quoted).to.have.members(PLAIN);
  });
});
