import { expect } from 'chai';
import { parseStrangers } from '../../../src/modules/support/apt/facts.ts';

/** What a host answers about a package that it does not know, and whether its package lists are there. */
const ANSWERS: Readonly<Record<string, boolean>> = {
  'Lists: fetched\n': true,
  'Package: sl\nVersions: \nReverse Provides: \nLists: fetched\nslt\n': true,
  'slt\n': false,
  '': false,
};

describe('what apt says of a package that it does not know', () => {
  for (const [answer, hasLists] of Object.entries(ANSWERS)) {
    it(`tells whether there are package lists: ${JSON.stringify(answer)}`, () => {
      expect(parseStrangers(answer).hasLists).to.equal(hasLists);
    });
  }
});
