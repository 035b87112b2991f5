import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runTsprov } from '../support/tsprov.ts';

const SITE = `- name: Plain
  hosts: all
  gather_facts: false
  tasks:
    - {name: as asked, debug: }
    - {name: always checked, check_mode: true, debug: }
    - {name: never checked, check_mode: false, debug: }
    - check_mode: true
      block:
        - {name: in a block, debug: }
- name: Checked
  hosts: all
  gather_facts: false
  check_mode: true
  tasks:
    - {name: as its play, debug: }
`;

const MARK = /^(?:PLAY|TASK) \[(.*)\] \[CHECK MODE\]/gm;

/** The options, and what is marked. */
const CASES = [
  [[], ['always checked', 'in a block', 'Checked', 'as its play']],
  [['--check'], ['Plain', 'as asked', 'always checked', 'in a block', 'Checked', 'as its play']],
] as const;

describe('Marks of check mode', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-marks-'));
    writeFileSync(join(folder, 'site.yaml'), SITE);
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const [options, marked] of CASES) {
    it(`follow the keyword check_mode of plays and tasks (${options.join() || 'a run'})`, async () => {
      const words = ['play', '-i', 'here,', '-c', 'local', ...options, join(folder, 'site.yaml')];
      const env = { ...process.env, ANSIBLE_CHECK_MODE_MARKERS: 'true' };
      const { stdout } = await runTsprov(words, { env });
      expect([...stdout.matchAll(MARK)].map(([, name]) => name)).to.deep.equal(marked);
    });
  }
});
