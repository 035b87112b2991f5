import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type RunEvent, runPlaybook } from '../../src/index.ts';
import { InvalidInput } from '../../src/shared/errors.ts';
import { runTsprov } from '../support/tsprov.ts';

/** A module as a user would write it: a line that a file shall hold. */
const MODULE = (types: string) => `
import { change, defineModule, object, run, sh, string } from 'tsprov';

const name${types} = 'greeting';

export const greeting = defineModule({
  name,
  aliases: [],
  summary: 'Greet somebody in a file.',
  args: object({ path: string('The file.'), whom: string('Who is greeted.') }),
  examples: [],
  returns: {},
  probe: async (host, { path }) => (await host.read(sh\`cat \${path} 2>/dev/null || true\`)).stdout,
  plan(current, { path, whom }) {
    const wanted = \`hello \${whom}\\n\`;
    if (current === wanted) return change(current, current, []);
    return change(current, wanted, [run(sh\`printf 'hello %s\\\\n' \${whom} > \${path}\`)]);
  },
});
`;

/** A module in an action group, and a play that gives defaults to both. */
const GROUPED = `
import { defineConversation, object, optional, string } from 'tsprov';
export const pods = defineConversation({
  name: 'pods',
  aliases: [],
  groups: ['kubernetes.core.k8s'],
  summary: 'Tell what it was given.',
  local: true,
  args: object({ host: optional(string('One.')), context: optional(string('Another.')) }),
  examples: [],
  returns: {},
  run: async (_, { host, context }) => ({ result: { msg: \`\${host} / \${context}\` } }),
});
`;
const GROUPED_PLAY = `
- hosts: all
  gather_facts: false
  module_defaults:
    pods: {context: module}
    group/k8s: {host: group, context: group}
  tasks:
    - pods:
    - pods: {host: own}
    - {pods: , module_defaults: {group/kubernetes.core.k8s: {host: full name}}}
    - {pods: , module_defaults: {pods: {}}}
    - debug:
`;

const playing = (file: string) => [
  { hosts: 'all', gather_facts: false, tasks: [{ greeting: { path: file, whom: '{{ whom }}' } }] },
];

describe('modules in library directories', () => {
  let folder = '';
  const put = (path: string, text: string) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = async (playbook: string, more: object = {}) =>
    runPlaybook({
      playbook,
      inventory: 'here,',
      connection: 'local',
      extraVars: { whom: 'world' },
      ...more,
    });

  it('run like the bundled ones, in a real play', async () => {
    put('library/greeting.mjs', MODULE(''));
    const file = join(folder, 'greeting.txt');
    const playbook = put('site.yaml', JSON.stringify(playing(file)));
    const events: RunEvent[] = [];
    const first = await run(playbook, { onEvent: (event: RunEvent) => events.push(event) });
    expect(first, JSON.stringify(events)).to.include({ ok: true, changed: true });
    expect(readFileSync(file, 'utf8')).to.equal('hello world\n');
    expect(events.map(({ type }) => type)).to.include.members(['task-start', 'result', 'recap']);
    expect(await run(playbook)).to.include({ ok: true, changed: false });
  });

  /** The installed program, for which Node itself loads the modules. */
  const play = async (playbook: string, ...more: readonly string[]) => {
    const args = ['play', playbook, '-i', 'here,', '-c', 'local', '-e', 'whom=all', ...more];
    const { code, stdout, stderr } = await runTsprov(args);
    expect(code, stdout + stderr).to.equal(0);
    return stdout;
  };

  it('may be in a role', async () => {
    put('roles/README.md', 'No role, though it is beside them.');
    put('roles/polite/library/greeting.js', MODULE(''));
    const task = { greeting: { path: join(folder, 'greeting.txt'), whom: 'you' } };
    put('roles/polite/tasks/main.yaml', JSON.stringify([task]));
    const site = [{ hosts: 'all', gather_facts: false, roles: ['polite'] }];
    const playbook = put('site.yaml', JSON.stringify(site));
    expect(await play(playbook)).to.include('changed: [here]');
  });

  it('may be TypeScript', async () => {
    put('modules/greeting.ts', MODULE(': string'));
    const playbook = put('site.yaml', JSON.stringify(playing(join(folder, 'greeting.txt'))));
    expect(await play(playbook, '-M', join(folder, 'modules'))).to.include('changed: [here]');
  });

  const ALIASED = MODULE('').replace(
    'aliases: []',
    "aliases: ['community.general.hello', 'ansible.builtin.dnf', 'somebody.own.wave']",
  );
  for (const name of [
    'community.general.hello',
    'ansible.builtin.dnf',
    'dnf',
    'somebody.own.wave',
    'any.collection.greeting',
    'ansible.builtin.greeting',
    'ansible.legacy.greeting',
  ]) {
    it(`are called as ${name}`, async () => {
      put('library/greeting.mjs', ALIASED);
      const file = join(folder, 'greeting.txt');
      const task = { [name]: { path: file, whom: 'you' } };
      const site = [{ hosts: 'all', gather_facts: false, tasks: [task] }];
      expect(await run(put('site.yaml', JSON.stringify(site)))).to.include({ ok: true });
      expect(readFileSync(file, 'utf8')).to.equal('hello you\n');
    });
  }

  it('leave the full names of bundled modules alone', async () => {
    put('library/debug.mjs', MODULE(''));
    put('library/other.mjs', MODULE('').replace('[]', "['ansible.builtin.ping']"));
    const playbook = put(
      'site.yaml',
      '[{hosts: all, gather_facts: false, tasks: [{ansible.builtin.debug: {msg: a}}, {ansible.builtin.ping: }]}]',
    );
    expect(await run(playbook)).to.include({ ok: true, changed: false });
    const file = join(folder, 'greeting.txt');
    const own = { debug: { path: file, whom: 'you' } };
    const site = [{ hosts: 'all', gather_facts: false, tasks: [own] }];
    expect(await run(put('own.yaml', JSON.stringify(site)))).to.include({ ok: true });
    expect(readFileSync(file, 'utf8')).to.equal('hello you\n');
  });

  it('have their arguments checked before anything runs', async () => {
    put('library/greeting.mjs', MODULE(''));
    const playbook = put('site.yaml', '[{hosts: all, tasks: [{greeting: {pth: /x}}]}]');
    const error = await run(playbook).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(InvalidInput);
    expect(String(error)).to.match(/site\.yaml:1:\d+ .*did you mean "path"/);
  });

  it('get the defaults of their action groups, below those of the module itself', async () => {
    put('library/pods.mjs', GROUPED);
    const events: RunEvent[] = [];
    const playbook = put('site.yaml', GROUPED_PLAY);
    await run(playbook, { onEvent: (event: RunEvent) => events.push(event) });
    const messages = events.map((event) =>
      event.type === 'result' ? event.info.result : undefined,
    );
    expect(messages.flatMap((result) => result?.get('msg') ?? [])).to.deep.equal([
      'group / module',
      'own / module',
      'full name / module',
      'group / group',
      'Hello world!',
    ]);
  });

  it('that export nothing of use are named', async () => {
    const file = put('library/empty.mjs', 'export const nothing = 1;');
    const playbook = put('site.yaml', '[{hosts: all, tasks: [{empty: }]}]');
    const error = await run(playbook).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include(`${file}:1:1  the file exports no module`);
  });
});

describe('runPlaybook', () => {
  it('tells of failures instead of throwing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsprov-test-'));
    const playbook = join(folder, 'site.yaml');
    writeFileSync(playbook, '[{hosts: all, gather_facts: false, tasks: [{fail: }]}]');
    const summary = await runPlaybook({ playbook, inventory: 'a,b,', connection: 'local' });
    rmSync(folder, { recursive: true });
    expect(summary).to.include({ ok: false, changed: false });
    expect(summary.failed).to.have.members(['a', 'b']);
    expect(summary.hosts['a']).to.include({ failed: 1, ok: 0 });
  });
});
