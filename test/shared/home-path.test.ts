import { homedir, userInfo } from 'node:os';
import { expect } from 'chai';
import { expandHome } from '../../src/shared/home-path.ts';

const { username, homedir: passwdHome } = userInfo();

const CASES: Readonly<Record<string, string>> = {
  '~': homedir(),
  '~/a': `${homedir()}/a`,
  [`~${username}/a`]: `${passwdHome}/a`,
  '~nobody-of-this-name/a': '~nobody-of-this-name/a',
  'a/~': 'a/~',
};

describe('a path that begins at a home', () => {
  for (const [path, expanded] of Object.entries(CASES)) {
    it(`${path} is ${expanded}`, () => {
      expect(expandHome(path)).to.equal(expanded);
    });
  }
});
