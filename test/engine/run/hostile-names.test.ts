import { expect } from 'chai';
import { stringify } from 'yaml';
import { InvalidInput } from '../../../src/shared/errors.ts';
import { makeWorld, playHere, type World } from '../../support/play-here.ts';

/** What every object of JavaScript has: names like any other to the author of a playbook. */
const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

/** Playbooks with a word where only known ones have a meaning. */
const UNKNOWN: Readonly<Record<string, (name: string) => object>> = {
  'a keyword of a play': (name) => ({ [name]: 1, tasks: [] }),
  'a keyword of a block': (name) => ({ tasks: [{ [name]: 1, block: [{ debug: null }] }] }),
  'a keyword of a task': (name) => ({ tasks: [{ [name]: 1, debug: null }] }),
  'a keyword of a handler': (name) => ({ handlers: [{ [name]: 1, name: 'x', debug: null }] }),
  'a module': (name) => ({ tasks: [{ [name]: null }] }),
  'an action': (name) => ({ tasks: [{ action: name }] }),
  'an argument': (name) => ({ tasks: [{ debug: { [name]: 1 } }] }),
  'a loop': (name) => ({ tasks: [{ debug: null, [`with_${name}`]: 1 }] }),
  'a meta action': (name) => ({ tasks: [{ meta: name }] }),
};

/** Expressions in which nothing of that name is known. */
const UNDEFINED = [
  (name: string) => `1 | ${name}`,
  (name: string) => `1 is ${name}`,
  (name: string) => `lookup('${name}', 1)`,
  (name: string) => name,
  (name: string) => `{}.${name}`,
  (name: string) => `''.${name}()`,
  (name: string) => `hostvars['${name}']`,
  (name: string) => `'a' | map('${name}') | list`,
  (name: string) => `'x' | password_hash('${name}')`,
];

/** A play in which all that users name has the name. */
const named = (name: string) => ({
  vars: { [name]: 1 },
  tasks: [
    { set_fact: { [name]: 2 } },
    { command: 'true', register: name, notify: name, environment: { [name]: 'x' } },
    { add_host: { name, groups: `${name}_group`, [name]: 3 } },
    { group_by: { key: name } },
    { debug: null, loop: [1], loop_control: { loop_var: name } },
    { debug: { msg: `{{ ${name} }}` }, vars: { [name]: 4 } },
    { debug: { msg: `{{ {'${name}': 5}.${name} }}` }, name: 'member' },
    { include_tasks: { file: `${name}.yaml` } },
    { include_role: { name } },
  ],
  handlers: [{ name, debug: null, listen: name }],
});

describe('names that every object has', () => {
  let world: World;

  beforeEach(() => {
    world = makeWorld();
    for (const name of NAMES)
      world.write({ [`${name}.yaml`]: '[]', [`roles/${name}/tasks/main.yaml`]: '[]' });
  });
  afterEach(() => world.remove());

  const play = async (more: object, flags: object = {}) => {
    const text = stringify([{ hosts: 'all', gather_facts: false, ...more }]);
    world.write({ 'play.yaml': text });
    return await playHere(world, { flags });
  };

  for (const name of NAMES) {
    for (const [what, playbook] of Object.entries(UNKNOWN)) {
      it(`are not known as ${what}: ${name}`, async () => {
        const error = await play(playbook(name)).catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(InvalidInput);
      });
    }

    it(`fail expressions that need them: ${name}`, async () => {
      const tasks = UNDEFINED.map((of) => ({
        debug: { msg: `{{ ${of(name)} }}` },
        ignore_errors: true,
      }));
      const played = await play({ tasks });
      expect(played.summary.stats.get('localhost')).to.include({ ignored: tasks.length });
      const results = played.results('debug').map(({ result }) => String(result['msg']));
      expect(results.join()).not.to.include('Unexpected');
    });

    it(`may be given to whatever has a name: ${name}`, async () => {
      const played = await play(named(name));
      expect(played.failures).to.deep.equal([]);
      expect(played.result('member')['msg']).to.equal(5);
    });

    it(`may be given to a host: ${name}`, async () => {
      const flags = { inventory: [`${name},`], connection: 'local' };
      const played = await play({ tasks: [{ command: 'true', name: 'it' }] }, flags);
      expect(played.results('it').map(({ info }) => info.host)).to.deep.equal([name]);
    });
  }
});

/** Tasks with a NUL character where the operating system can take none. */
const NUL = `{{ 'a\0b' }}`;
const WITH_NUL: readonly object[] = [
  ...['fileglob', 'file', 'password', 'template', 'first_found', 'pipe', 'lines', 'unvault'].map(
    (name) => ({ debug: { msg: `{{ lookup('${name}', '/a\0b') }}` } }),
  ),
  { include_vars: NUL },
  { include_tasks: NUL },
  { include_role: { name: NUL } },
  { copy: { src: NUL, dest: '/tmp' } },
  { copy: { content: 'x', dest: `/tmp/${NUL}` } },
  { file: { path: `/tmp/${NUL}`, state: 'touch' } },
  { command: `echo ${NUL}` },
  { shell: `echo ${NUL}` },
  { command: 'true', environment: { X: NUL } },
  { command: 'true', become: true, become_user: NUL },
  { fetch: { src: '/etc/hostname', dest: `/tmp/${NUL}` } },
];

describe('a NUL character', () => {
  let world: World;

  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  for (const task of WITH_NUL) {
    it(`fails its task alone: ${JSON.stringify(task)}`, async () => {
      const tasks = [{ block: [task], rescue: [{ name: 'rescued', debug: null }] }];
      world.write({ 'play.yaml': stringify([{ hosts: 'all', gather_facts: false, tasks }]) });
      const played = await playHere(world);
      expect(played.results('rescued')).to.have.lengthOf(1);
      const messages = played.events.flatMap((event) =>
        event.type === 'result' ? [String(event.info.result.get('msg'))] : [],
      );
      expect(messages.join()).not.to.include('Unexpected');
    });
  }
});

describe('a variables file', () => {
  it('may have keys that are no text', async () => {
    const world = makeWorld({ 'extra.yaml': '{1: x, wanted: y}' });
    const task = { debug: { msg: '{{ wnted }}' }, ignore_errors: true, name: 'misspelt' };
    world.write({
      'play.yaml': stringify([{ hosts: 'all', gather_facts: false, tasks: [task] }]),
    });
    const flags = { extraVars: [`@${world.path('extra.yaml')}`] };
    const played = await playHere(world, { flags }).finally(() => world.remove());
    expect(played.result('misspelt')['msg']).to.match(/'wnted' is undefined.*wanted/);
  });
});
