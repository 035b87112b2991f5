import { expect } from 'chai';
import { withoutTask } from './prune.ts';

const NOTHING = 'ansible.builtin.meta: noop';

/** The file, a line of the task that is taken out, and the file without it. */
const CASES: Readonly<Record<string, readonly [text: string, line: number, pruned: string]>> = {
  'a task of a file': [
    '- a: 1\n- name: x\n  b:\n    c: 1\n\n- d: 1\n',
    3,
    `- a: 1\n- ${NOTHING}\n\n\n\n- d: 1\n`,
  ],
  'the innermost task of a block': [
    '- block:\n    - a: 1\n    - b: 1\n  rescue:\n    - c: 1\n',
    5,
    `- block:\n    - a: 1\n    - b: 1\n  rescue:\n    - ${NOTHING}\n`,
  ],
  'a task of a play': [
    '- hosts: all\n  tasks:\n    - a: |\n        x\n    - b: 1\n',
    4,
    `- hosts: all\n  tasks:\n    - ${NOTHING}\n\n    - b: 1\n`,
  ],
};

describe('taking a task out', () => {
  for (const [name, [text, line, pruned]] of Object.entries(CASES)) {
    it(`replaces ${name}, and moves no line`, () => {
      expect(withoutTask(text, line)).to.equal(pruned);
    });
  }

  it('leaves a play and a file of something else alone', () => {
    expect(withoutTask('- hosts: all\n  tasks: []\n', 1)).to.equal(undefined);
    expect(withoutTask('a: 1\n', 1)).to.equal(undefined);
  });
});
