import { expect } from 'chai';
import { makeWorld } from '../support/play-here.ts';
import { runTsprov } from '../support/tsprov.ts';

describe('what debug shows in a loop', () => {
  const CASES = {
    'the item and the variable': [{ var: 'x' }, '=> {\n    "item": 1,\n    "x": 5\n}'],
    'an item that is the variable': [{ var: 'item' }, '=> {\n    "item": 1\n}'],
    'a message without its item': [{ msg: 'hello' }, '=> {\n    "msg": "hello"\n}'],
  } as const;
  for (const [what, [debug, shown]] of Object.entries(CASES)) {
    it(`is ${what}`, async () => {
      const play = [{ hosts: 'all', gather_facts: false, tasks: [{ debug, loop: [1] }] }];
      const world = makeWorld({ 'play.yaml': JSON.stringify(play) });
      try {
        const run = ['play', '-i', 'here,', '-c', 'local', '-e', 'x=5', world.path('play.yaml')];
        expect((await runTsprov(run)).stdout.replace('"5"', '5')).to.include(shown);
      } finally {
        world.remove();
      }
    });
  }
});

/** What ansible-core 2.19 prints for tasks of debug that fail, whose fault is in the task and not in its arguments. */
describe('what debug shows where failed_when fails it', () => {
  const CASES: readonly (readonly [what: string, task: object, shown: string])[] = [
    [
      'is the message alone',
      { debug: { msg: 'm' }, failed_when: true },
      'fatal: [here]: FAILED! => {\n    "msg": "m"\n}\n',
    ],
    [
      'in a loop is the message of each item, and that the loop failed',
      { debug: { msg: '{{ item }}' }, failed_when: 'item == 1', loop: [1, 2] },
      [
        'failed: [here] (item=1) => {\n    "msg": 1\n}\n',
        'ok: [here] => (item=2) => {\n    "msg": 2\n}\n',
        'fatal: [here]: FAILED! => {"msg": "One or more items failed"}\n...ignoring\n',
      ].join(''),
    ],
    [
      'is as of any other where it holds',
      { debug: { msg: 'm' }, failed_when: false },
      'ok: [here] => {\n    "msg": "m"\n}\n',
    ],
  ];
  for (const [what, task, shown] of CASES) {
    it(what, async () => {
      const { stdout } = await playTask({ ...task, ignore_errors: true }, {});
      // Before the line of a failure stands where its task is written.
      expect(stdout.replace(/\[ERROR\][\s\S]*?\^ column \d+\n\n/g, '')).to.include(shown);
    });
  }
});

describe('texts of several lines in results as YAML', () => {
  const TEXTS: readonly (readonly [text: string, plain: string, pretty: string])[] = [
    ['a\nb', 'msg: |-\n      a\n      b', 'msg: |-\n        a\n        b'],
    ['a\nb\n', 'msg: |\n      a\n      b', 'msg: |-\n        a\n        b'],
    ['a\n\n  b\n\n\n', 'msg: |+\n      a\n\n        b', 'msg: |-\n        a\n\n          b'],
    ['  a\nb', 'msg: |2-\n        a\n      b', 'msg: |4-\n          a\n        b'],
    ['a\tb\nc \n', 'msg: "a\\tb\\nc \\n"', 'msg: |-\n        a       b\n        c'],
    ['a\x07\r\nb', 'msg: "a\\a\\r\\nb"', 'msg: |-\n        a\n        b'],
    ['\n\n', 'msg: |2+', 'msg: ""'],
  ];
  for (const [text, plain, pretty] of TEXTS) {
    it(`stand as they are, or cleaned: ${JSON.stringify(text)}`, async () => {
      const yaml = { ANSIBLE_CALLBACK_RESULT_FORMAT: 'yaml' };
      const cleaned = await playTask({ debug: { msg: text } }, yaml);
      expect(cleaned.stdout).to.include(`ok: [here] => \n    ${pretty}\n`);
      const exact = { ...yaml, ANSIBLE_CALLBACK_FORMAT_PRETTY: 'false' };
      const asIs = await playTask({ debug: { msg: text } }, exact);
      expect(asIs.stdout).to.include(`ok: [here] => \n    ${plain}\n`);
    });
  }

  it('leave nothing out where they are not to be pretty', async () => {
    const env = { ANSIBLE_CALLBACK_RESULT_FORMAT: 'yaml' };
    const task = { command: 'echo a', failed_when: true, ignore_errors: true };
    const lines = async (pretty: string) =>
      (await playTask(task, { ...env, ANSIBLE_CALLBACK_FORMAT_PRETTY: pretty })).stdout;
    expect(await lines('true')).to.include('    stdout_lines: <omitted>\n');
    expect(await lines('false')).to.include('    stdout_lines:\n    - a\n');
  });
});

async function playTask(task: object, env: Readonly<Record<string, string>>) {
  const play = [{ hosts: 'all', gather_facts: false, tasks: [task] }];
  const world = makeWorld({ 'play.yaml': JSON.stringify(play) });
  try {
    return await runTsprov(['play', '-i', 'here,', '-c', 'local', world.path('play.yaml')], {
      env: { ...process.env, ...env },
    });
  } finally {
    world.remove();
  }
}
