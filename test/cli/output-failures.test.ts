import { expect } from 'chai';
import { runPlaybook } from '../../src/index.ts';
import { makeWorld, type World } from '../support/play-here.ts';
import { runTsprov } from '../support/tsprov.ts';

const PLAY = `
- hosts: all
  gather_facts: false
  tasks:
    - {name: one, debug: }
    - {name: two, copy: {content: x, dest: 'FOLDER/written'}}
`;

const BROKEN = `
import { defineConversation, object } from 'tsprov';
export const broken = defineConversation({
  name: 'broken', aliases: [], summary: 'Throw.', local: true,
  args: object({}), examples: [], returns: {},
  async run() { throw new TypeError('nobody foresaw this'); },
});
`;

describe('a listener that fails', () => {
  let world: World;

  beforeEach(() => {
    world = makeWorld({ 'library/broken.mjs': BROKEN, file: '' });
    world.write({ 'play.yaml': PLAY.replaceAll('FOLDER', world.directory) });
  });
  afterEach(() => world.remove());

  it('does not end the run of a program', async () => {
    const warnings: string[] = [];
    const hear = ({ message }: Error) => warnings.push(message);
    process.on('warning', hear);
    const summary = await runPlaybook({
      playbook: world.path('play.yaml'),
      inventory: 'here,',
      connection: 'local',
      onEvent: ({ type }) => {
        throw new Error(`not a ${type}`);
      },
    });
    await new Promise(setImmediate);
    process.off('warning', hear);
    expect(summary).to.include({ ok: true, changed: true });
    expect(warnings).to.include('onEvent failed at "recap": Error: not a recap');
  });

  it('does not change how the command line ends', async () => {
    const args = ['play', world.path('play.yaml'), '-i', 'here,', '-c', 'local'];
    const env = {
      ...process.env,
      ANSIBLE_CALLBACKS_ENABLED: 'junit',
      JUNIT_OUTPUT_DIR: world.path('file/below'),
    };
    const { code, stdout, stderr } = await runTsprov(args, { env });
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/here +: ok=2 +changed=1/);
    expect(stderr).to.include('[WARNING]: the output "junit" failed at the end of the run');
  });
});

describe('a module that throws', () => {
  const play = async (...more: readonly string[]) => {
    const world = makeWorld({ 'library/broken.mjs': BROKEN });
    const tasks = '[{broken: , ignore_errors: true}, {broken: }, {debug: {msg: not reached}}]';
    world.write({ 'play.yaml': `[{hosts: all, gather_facts: false, tasks: ${tasks}}]` });
    const args = ['play', world.path('play.yaml'), '-i', 'here,', '-c', 'local', ...more];
    return await runTsprov(args).finally(() => world.remove());
  };

  it('fails its task, and the run ends as after any failure', async () => {
    const { code, stdout } = await play();
    expect(code).to.equal(2);
    expect(stdout).to.match(/Unexpected failure: TypeError: nobody foresaw this \(please report/);
    expect(stdout).to.match(/here +: ok=1 .*failed=1 .*ignored=1/);
    expect(stdout).not.to.include('broken.mjs:');
  });

  it('shows its stack with -vvv', async () => {
    const { stdout } = await play('-vvv');
    expect(stdout).to.match(/TypeError: nobody foresaw this\n +at .*broken\.mjs:/);
  });
});
