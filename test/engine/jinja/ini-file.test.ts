import { expect } from 'chai';
import { IniFile } from '../../../src/engine/jinja/lookups/ini-file.ts';

const RULES = { caseSensitive: false, allowNoValue: true, interpolation: true };
const open = (text: string) => new IniFile(text, RULES);

describe('INI files of lookups', () => {
  it('know keys without a value', () => {
    const file = open('[s]\nalone\nempty=\n');
    expect([file.get('s', 'alone'), file.get('s', 'empty')]).to.deep.equal([[], ['']]);
    expect(file.get('s', 'missing')).to.equal(undefined);
  });

  const TWICE = {
    'a key': ['[s]\na=1\na=2\n', 'the key "a" twice'],
    'keys that differ in case only': ['[s]\na=1\nA=2\n', 'the key "a" twice'],
    'a section': ['[s]\na=1\n[s]\nb=2\n', 'the section "s" twice'],
  } as const;
  for (const [what, [text, message]] of Object.entries(TWICE)) {
    it(`refuse ${what} that stands twice`, () => {
      expect(() => open(text)).to.throw(message);
    });
  }

  it('take the section of defaults in several parts', () => {
    expect(open('[DEFAULT]\na=1\n[DEFAULT]\nb=2\n[s]\n').get('s', 'b')).to.deep.equal(['2']);
  });
});
