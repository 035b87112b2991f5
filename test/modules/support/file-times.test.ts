import { expect } from 'chai';
import { parseTime } from '../../../src/modules/support/file-times.ts';

describe('times of the file module', () => {
  for (const [text, format, expected] of [
    ['202001020304.05', '%Y%m%d%H%M.%S', '2020-01-02 03:04:05'],
    ['2021', '%Y', '2021-01-01 00:00:00'],
    ['31 Dec 99', '%d %b %y', '1999-12-31 00:00:00'],
    ['68-7-4', '%y-%m-%d', '2068-07-04 00:00:00'],
    ['2024/060', '%Y/%j', '2024-02-29 00:00:00'],
    ['100% 2020', '100%% %Y', '2020-01-01 00:00:00'],
    ['[2020]', '[%Y]', '2020-01-01 00:00:00'],
  ] as const) {
    it(`reads ${text} as ${format}`, () => {
      expect(parseTime(text, format)).to.equal(expected);
    });
  }

  it('refuses what is not in the format', () => {
    expect(() => parseTime('yesterday', '%Y')).to.throw('time yesterday using format %Y');
    expect(() => parseTime('2020x', '%Y')).to.throw('does not match format');
  });
});
