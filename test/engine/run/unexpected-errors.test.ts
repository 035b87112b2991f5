import { expect } from 'chai';
import { stringify } from 'yaml';
import { type Builtin, define } from '../../../src/engine/jinja/builtin.ts';
import { FILTERS } from '../../../src/engine/jinja/filters/filters.ts';
import { LOOKUPS } from '../../../src/engine/jinja/lookups/lookups.ts';
import { TESTS } from '../../../src/engine/jinja/tests/tests.ts';
// A module in a library imports tsprov: here it is the source.
import '../../../src/index.ts';
import { reasonOf } from '../../../src/engine/run/outcome.ts';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';

/** What nobody foresaw: no error that the engine knows. */
const boom = (explodes: unknown) => {
  if (explodes === true) throw new TypeError('boom');
};

const filter = define('boom', 'explodes, otherwise=none', (_, explodes, otherwise = null) => {
  boom(explodes);
  return otherwise;
});
const test = define('booming', 'explodes', (_, explodes) => {
  boom(explodes);
  return true;
});
const lookup = define('boom', 'terms, **options', (_, terms) => {
  if (Array.isArray(terms)) terms.forEach(boom);
  return [];
});

/** The tables are not to be changed, save by a test that needs a function which throws. */
const asMap = (table: ReadonlyMap<string, Builtin>) => table as Map<string, Builtin>;

const MODULE = `
import { change, defineModule, object, optional, run, sh, string } from 'tsprov';
const boom = (where, { at, who }) => { if (at === where && who === 'a') throw new TypeError('boom'); };
export const bomb = defineModule({
  name: 'bomb',
  aliases: [],
  summary: 'Throw.',
  args: object({ at: string('Where.'), who: string('For whom.') }),
  examples: [],
  returns: {},
  async prepare(_, args) { boom('prepare', args); return args; },
  async probe(_, args) { boom('probe', args); return 'old'; },
  plan(_, args) { boom('plan', args); return change('old', 'new', [{ ...run(sh\`true\`), always: true }]); },
  async apply(_host, _plan, args) { boom('apply', args); return []; },
  report(_, args) { boom('report', args); return {}; },
});
`;
const CONVERSATION = `
import { defineConversation, object, string } from 'tsprov';
export const talk = defineConversation({
  name: 'talk',
  aliases: [],
  summary: 'Throw.',
  args: object({ who: string('For whom.') }),
  examples: [],
  returns: {},
  async run(_, { who }) { if (who === 'a') throw 'boom'; return { result: {} }; },
});
`;
const FRONT = `
import { defineFront, object, string } from 'tsprov';
export const stand = defineFront({
  name: 'stand',
  aliases: [],
  summary: 'Throw.',
  args: object({ who: string('For whom.') }),
  examples: [],
  returns: {},
  consults: [],
  async choose(_, { who }) { if (who === 'a') throw new TypeError('boom'); return { module: 'file', args: { path: '/', state: 'directory' } }; },
});
`;

const BOOM = '{{ explodes | boom }}';
const BOOM_TRUE = '{{ explodes | boom(true) }}';
const bomb = (at: string) => ({ bomb: { at, who: '{{ inventory_hostname }}' } });

/** Tasks that throw on the host `a` alone, by the seam at which they do. */
const SEAMS: Readonly<Record<string, object>> = {
  'a filter': { debug: { msg: BOOM } },
  'a test': { debug: { msg: '{{ explodes is booming }}' } },
  'a lookup': { debug: { msg: "{{ lookup('boom', explodes) }}" } },
  'a lookup in query': { debug: { msg: "{{ query('boom', explodes) }}" } },
  'a template in a variable': { debug: { msg: '{{ hidden }}' }, vars: { hidden: BOOM } },
  'a template within map': { debug: { msg: "{{ [explodes] | map('boom') | list }}" } },
  when: { debug: null, when: 'explodes is booming' },
  loop: { debug: null, loop: '{{ explodes | boom([1]) }}' },
  'an item of a loop': { debug: { msg: '{{ item | boom }}' }, loop: [false, '{{ explodes }}'] },
  'loop_control label': { debug: null, loop: [1], loop_control: { label: BOOM } },
  'loop_control pause': {
    debug: null,
    loop: [1],
    loop_control: { pause: '{{ explodes | boom(0) }}' },
  },
  'loop_control break_when': {
    debug: null,
    loop: [1],
    loop_control: { break_when: ['explodes is booming'] },
  },
  until: { debug: null, until: 'explodes is booming', retries: 0 },
  retries: { debug: null, until: true, retries: '{{ explodes | boom(0) }}' },
  failed_when: { debug: null, failed_when: 'explodes is booming and false' },
  changed_when: { debug: null, changed_when: 'explodes is booming' },
  notify: { debug: null, changed_when: true, notify: "{{ explodes | boom('heard') }}" },
  environment: { command: 'true', environment: { X: BOOM } },
  delegate_to: { debug: null, delegate_to: '{{ explodes | boom(inventory_hostname) }}' },
  become: { command: 'true', become: '{{ explodes | boom(false) }}' },
  check_mode: { debug: null, check_mode: '{{ explodes | boom(false) }}' },
  timeout: { debug: null, timeout: '{{ explodes | boom(9) }}' },
  'a keyword of the connection': {
    command: 'true',
    vars: { ansible_connection: "{{ explodes | boom('local') }}" },
  },
  'an argument template': { debug: '{{ explodes | boom({}) }}' },
  'the name of the module': { action: "{{ explodes | boom('debug') }}" },
  set_fact: { set_fact: { fact: BOOM } },
  include_tasks: { include_tasks: "{{ explodes | boom('none.yaml') }}" },
  include_vars: { include_vars: "{{ explodes | boom('vars.yaml') }}" },
  include_role: { include_role: { name: "{{ explodes | boom('quiet') }}" } },
  'a template file': {
    template: { src: 'throwing.j2', dest: 'FOLDER/out-{{ inventory_hostname }}' },
  },
  'a Handlebars template': {
    template: { src: 'throwing.hbs', dest: 'FOLDER/hbs-{{ inventory_hostname }}' },
  },
  'template in copy': { copy: { content: BOOM, dest: 'FOLDER/copy-{{ inventory_hostname }}' } },
  prepare: bomb('prepare'),
  probe: bomb('probe'),
  plan: bomb('plan'),
  apply: bomb('apply'),
  report: bomb('report'),
  'a conversation': { talk: { who: '{{ inventory_hostname }}' } },
  'a front': { stand: { who: '{{ inventory_hostname }}' } },
};

/** What is decided for all hosts at once fails on all of them. */
const FOR_ALL: Readonly<Record<string, object>> = {
  run_once: { debug: null, run_once: BOOM_TRUE },
  throttle: { debug: null, throttle: '{{ explodes | boom(1) }}' },
  tags: { debug: null, tags: ["{{ explodes | boom('x') }}"] },
};

/** Seams that Ansible keeps out of reach of ignore_errors. */
const NEVER_IGNORED = new Set(['include_tasks', 'include_role']);

describe('an unexpected error', () => {
  let world: World;

  before(() => {
    asMap(FILTERS.core).set('boom', filter);
    asMap(TESTS).set('booming', test);
    asMap(LOOKUPS.core).set('boom', lookup);
  });
  after(() => {
    asMap(FILTERS.core).delete('boom');
    asMap(TESTS).delete('booming');
    asMap(LOOKUPS.core).delete('boom');
  });

  beforeEach(() => {
    world = makeWorld({
      'none.yaml': '[]',
      'vars.yaml': 'x: 1',
      'roles/quiet/tasks/main.yaml': '[]',
      'throwing.j2': BOOM,
      'throwing.hbs': '{{#if hidden}}{{/if}}',
      'library/bomb.mjs': MODULE,
      'library/talk.mjs': CONVERSATION,
      'library/stand.mjs': FRONT,
      inventory: 'a explodes=True\nb explodes=False\n',
    });
  });
  afterEach(() => world.remove());

  const play = async (tasks: unknown, more: object = {}): Promise<PlayedHere> => {
    const text = stringify([
      { hosts: 'all', gather_facts: false, vars: { hidden: BOOM }, tasks, ...more },
      { hosts: 'all', gather_facts: false, tasks: [{ name: 'second play', debug: null }] },
    ]);
    world.write({ 'play.yaml': text.replaceAll('FOLDER', world.directory) });
    const flags = { inventory: [world.path('inventory')], connection: 'local' };
    return await playHere(world, { flags });
  };
  const reasons = ({ events }: PlayedHere) =>
    events.flatMap((event) => ('info' in event ? [reasonOf(event.info.result)] : [])).join('\n');
  const hostsOf = (played: PlayedHere, title: string) =>
    played.results(title).map(({ info }) => info.host);
  const next = { name: 'after', debug: null };
  const handlers = [{ name: 'heard', debug: null }];

  for (const [seam, task] of Object.entries(SEAMS)) {
    it(`in ${seam} fails the task on its host, and the others go on`, async () => {
      const played = await play([task, next], { handlers });
      expect(hostsOf(played, 'after')).to.deep.equal(['b']);
      expect(hostsOf(played, 'second play')).to.deep.equal(['b']);
      expect([...played.summary.failed]).to.deep.equal(['a']);
      expect(played.summary.stats.get('a')).to.include({ failed: 1 });
      expect(reasons(played)).to.include('boom');
    });

    it(`in ${seam} obeys rescue and ignore_errors`, async () => {
      const rescued = { block: [task], rescue: [{ name: 'rescued', debug: null }] };
      const ignored = { ...task, ignore_errors: true };
      const tasks = NEVER_IGNORED.has(seam) ? [rescued, next] : [rescued, ignored, next];
      const played = await play(tasks, { handlers });
      expect(hostsOf(played, 'rescued')).to.deep.equal(['a']);
      expect(hostsOf(played, 'after')).to.have.members(['a', 'b']);
      expect([...played.summary.failed]).to.be.empty;
      expect(played.summary.stats.get('a')).to.include({ failed: 0, rescued: 1 });
    });
  }

  for (const [seam, task] of Object.entries(FOR_ALL)) {
    it(`in ${seam} fails the task on all hosts that are at it, and rescues run`, async () => {
      const plain = await play([task, next]);
      expect(hostsOf(plain, 'after')).to.be.empty;
      expect([...plain.summary.failed]).to.have.members(['a', 'b']);
      const rescued = await play([{ block: [task], rescue: [next] }]);
      expect(hostsOf(rescued, 'after')).to.have.members(['a', 'b']);
    });
  }

  it('in a handler fails its host after the handlers of others', async () => {
    const throwing = [{ name: 'heard', debug: { msg: BOOM } }];
    const tasks = [{ debug: null, changed_when: true, notify: 'heard' }];
    const played = await play(tasks, { handlers: throwing, post_tasks: [next] });
    expect(hostsOf(played, 'after')).to.deep.equal(['b']);
    expect([...played.summary.failed]).to.deep.equal(['a']);
  });

  it('in the condition of a meta task fails its host', async () => {
    const played = await play([{ meta: 'end_host', when: 'explodes is booming and false' }, next]);
    expect(hostsOf(played, 'after')).to.deep.equal(['b']);
    expect([...played.summary.failed]).to.deep.equal(['a']);
  });

  it('in the name of a task is no failure', async () => {
    const played = await play([{ ...next, name: `after ${BOOM}` }]);
    expect([...played.summary.failed]).to.be.empty;
  });

  it('in force_handlers fails the host that needs it', async () => {
    const task = { fail: null, when: 'explodes' };
    const played = await play([task, next], {
      force_handlers: "{{ [true] | map('boom') | list }}",
    });
    expect(hostsOf(played, 'after')).to.deep.equal(['b']);
    expect(hostsOf(played, 'second play')).to.deep.equal(['b']);
    expect(played.warnings.join()).to.include('boom');
  });

  it('asks to be reported, and keeps its stack in the result', async () => {
    const played = await play([{ ...SEAMS['plan'], register: 'it', ignore_errors: true }]);
    const [of] = played.results('bomb').filter(({ info }) => info.host === 'a');
    expect(of?.result['msg']).to.match(/^Unexpected failure: TypeError: boom \(please report it/);
    expect(of?.result['exception']).to.match(/^TypeError: boom\n +at .*bomb/);
  });
});
