import { expect } from 'chai';
import { encodeText } from '../../../src/modules/support/text-encoding.ts';

describe('text in an encoding', () => {
  for (const [encoding, text, bytes] of [
    ['utf-8', 'é€', 'c3a9e282ac'],
    ['', 'é', 'c3a9'],
    ['UTF_8', 'é', 'c3a9'],
    ['utf-16', 'a', 'fffe6100'],
    ['utf-16-le', 'a', '6100'],
    ['latin-1', 'é', 'e9'],
    ['ISO-8859-1', '\u0080é', '80e9'],
    ['ascii', 'a', '61'],
    ['windows-1252', '€é', '80e9'],
    ['cp1252', '€', '80'],
    ['iso8859-15', '€', 'a4'],
    ['koi8-r', 'Ж', 'f6'],
    ['cp1251', 'Ж', 'c6'],
  ] as const) {
    it(`is as Python writes it: ${encoding || 'none'} for ${text}`, () => {
      expect(encodeText(text, encoding).toString('hex')).to.equal(bytes);
    });
  }

  for (const [encoding, text] of [
    ['ascii', 'é'],
    ['latin-1', '€'],
    ['cp1252', 'Ж'],
  ] as const) {
    it(`is refused where ${encoding} does not have a character`, () => {
      expect(() => encodeText(text, encoding)).to.throw(`${encoding} has no "${text}"`);
    });
  }

  it('is refused where nobody knows the encoding', () => {
    expect(() => encodeText('a', 'ebcdic')).to.throw('output_encoding "ebcdic" is not known');
  });
});
