import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

const HEAD = '- hosts: localhost\n  gather_facts: false\n  tasks:\n';

/** Tasks with `@` where the fault is. */
const FAULTS: readonly [title: string, task: string, says: string][] = [
  [
    'a line of a literal block',
    `- debug:
        msg: |
          one

            two {{ @missing }}
          three`,
    "'missing' is undefined",
  ],
  [
    'a syntax error in a literal block',
    `- debug:
        msg: |-
          one
          {{ 1 + @}}`,
    'unexpected "}}"',
  ],
  [
    'a line of a folded block',
    `- debug:
        msg: >-
          one
          two {{ @missing }}

          three`,
    "'missing' is undefined",
  ],
  [
    'a plain text of several lines',
    `- debug:
        msg: one
          two {{ @missing }}`,
    "'missing' is undefined",
  ],
  [
    'a quoted text with escapes',
    `- debug:
        msg: "a \\"b\\"\\t\\u0041 \\
          {{ @missing }}"`,
    "'missing' is undefined",
  ],
  [
    'a quoted text with doubled quotes',
    `- debug:
        msg: 'it''s
          {{ @missing }}'`,
    "'missing' is undefined",
  ],
  [
    'free-form text',
    `- shell: |
        echo one
        echo {{ @missing }} creates=/tmp/x`,
    "'missing' is undefined",
  ],
  ['an option of free-form text', '- file: path=/tmp state={{ @missing }}', "'missing' is"],
  ['a condition', "- debug: {}\n      when: '@missing == 1'", "'missing' is undefined"],
  [
    'a condition of several lines',
    `- debug: {}
      changed_when: true or false
      failed_when: >-
        true and
        @missing`,
    "'missing' is undefined",
  ],
  ['a condition of a list', '- debug: {}\n      when: [true, @missing]', "'missing' is undefined"],
  ['a loop over no list', '- debug: {}\n      loop: @abc', 'loop needs a list'],
  ['a file of tasks', '- include_tasks: @gone.yaml', "'gone.yaml'"],
  ['a file of variables', '- include_vars: @gone.yaml', "gone.yaml'"],
  ['a directory of variables', '- include_vars:\n        @dir: gone', 'does not exist'],
  [
    'a file to copy',
    `- copy:
        dest: /tmp
        @src: "{{ 'gone' }}.txt"`,
    "gone.txt'",
  ],
];

describe('the place of a fault', () => {
  for (const [title, task, says] of FAULTS) {
    it(`is exact: ${title}`, async () => {
      const text = `${HEAD}    ${task}\n`;
      const before = text.slice(0, text.indexOf('@')).split('\n');
      const place = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
      const world = makeWorld({ 'play.yaml': text.replace('@', '') });
      const { failures } = await playHere(world);
      world.remove();
      expect(failures).to.have.length(1);
      expect(failures[0]).to.contain(`play.yaml:${place}  `).and.contain(says);
    });
  }

  it('is that of the task where a condition has none of its own', async () => {
    const world = makeWorld({ 'play.yaml': `${HEAD}    - assert: {that: [missing]}\n` });
    const { failures } = await playHere(world);
    world.remove();
    expect(failures[0]).to.contain("play.yaml:4:7  'missing' is undefined");
  });
});
