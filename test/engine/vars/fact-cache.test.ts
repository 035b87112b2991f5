import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Float, fromPlain, Timestamp, type Value } from '../../../src/engine/values.ts';
import { parseFacts, renderFacts } from '../../../src/engine/vars/fact-cache-format.ts';
import { makeWorld, type PlayHereOptions, playHere, type World } from '../../support/play-here.ts';

/** A file that ansible-core 2.19 has written: `set_fact` with `cacheable` and values of every type. */
const WRITTEN = readFileSync(new URL('ansible-cache.json', import.meta.url), 'utf8');

describe('the format of cached facts', () => {
  const facts = parseFacts(WRITTEN);
  const EXPECTED: Readonly<Record<string, Value>> = {
    big: 123456789012345678901234567890n,
    dk: fromPlain({ 1: 'a', null: 'c', 1.5: 'd' }),
    dt: new Timestamp('2020-01-01 10:00:00+00:00', false),
    dn: new Timestamp('2020-01-01 10:00:00.500000', false),
    dd: new Timestamp('2026-11-23', true),
    fl: new Float(2),
    inf: new Float(Infinity),
    lst: fromPlain([1, { a: [2] }]),
    n: null,
    s: 'plain',
    v: 'sec',
    ansible_a: 1,
  };
  for (const [name, value] of Object.entries(EXPECTED)) {
    it(`gives ${name} as Ansible wrote it`, () => {
      expect(facts?.get(name)).to.deep.equal(value);
    });
  }

  it('is written so that it is read again', () => {
    const all = new Map(Object.entries(EXPECTED));
    expect(parseFacts(renderFacts(all))).to.deep.equal(all);
    expect(Object.keys(JSON.parse(renderFacts(all)))).to.deep.equal(['__payload__']);
  });

  it('takes no file of another format for facts', () => {
    expect(parseFacts('{"plain": 2}')).to.equal(undefined);
    expect(() => parseFacts('garbage')).to.throw();
  });
});

const CONFIG = '[defaults]\nfact_caching = jsonfile\nfact_caching_connection = cache\n';
const SHOW =
  '- {name: show, debug: {msg: "{{ kept | default(0) }} {{ ansible_kernel is defined }}"}}';
const PLAYS = {
  set: `- hosts: localhost
  gather_facts: false
  tasks:
    - set_fact: {kept: 1, cacheable: true}
    - set_fact: {lost: 1}`,
  gather: `- hosts: localhost\n  gather_subset: ['!all', min]\n  tasks:\n    ${SHOW}`,
  show: `- hosts: localhost\n  gather_facts: false\n  tasks:\n    ${SHOW}`,
  clear: `- hosts: localhost\n  gather_facts: false\n  tasks:\n    - meta: clear_facts\n    ${SHOW}`,
  restricted: `- hosts: localhost
  gather_facts: false
  tasks:
    - {name: show, debug: {msg: "{{ ansible_connection | default('none') }} {{ ansible_facts.connection }}"}}`,
};

describe('facts between runs', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld({ 'ansible.cfg': CONFIG });
  });
  afterEach(() => world.remove());

  const file = () => world.path('cache/s1_localhost');
  const play = async (
    name: keyof typeof PLAYS,
    environment: Readonly<Record<string, string>> = {},
    options: PlayHereOptions = {},
  ) => {
    world.write({ 'play.yaml': PLAYS[name] });
    const { directory } = world;
    return await playHere(world, {
      config: { directory, home: directory, environment },
      ...options,
    });
  };
  const shown = async (...given: Parameters<typeof play>) =>
    (await play(...given)).result('show')['msg'];
  const gathers = async (environment: Readonly<Record<string, string>>) =>
    (await play('gather', environment)).results('Gathering Facts').length === 1;

  it('are kept by set_fact with cacheable', async () => {
    await play('set');
    expect(parseFacts(readFileSync(file(), 'utf8'))).to.deep.equal(new Map([['kept', 1]]));
    expect(await shown('show')).to.equal('1 False');
  });

  it('are gathered once where gathering is smart', async () => {
    const smart = { ANSIBLE_GATHERING: 'smart' };
    await play('set', smart);
    expect(await gathers(smart), 'variables alone are no facts').to.equal(true);
    expect(await gathers(smart)).to.equal(false);
    expect(await shown('gather', smart)).to.equal('1 True');
    expect(await gathers({}), 'implicit').to.equal(true);
    expect(await shown('show')).to.equal('1 True');
  });

  it('are forgotten by clear_facts and --flush-cache', async () => {
    await play('set');
    expect(await shown('clear')).to.equal('0 False');
    expect(existsSync(file())).to.equal(false);
    for (const inventory of ['localhost,', 'another,']) {
      await play('set');
      const flags = { inventory: [inventory], connection: 'local', flushCache: true };
      expect(await shown('show', {}, { flags })).to.equal('0 False');
      expect(existsSync(file())).to.equal(false);
    }
  });

  it('grow old', async () => {
    await play('set');
    utimesSync(file(), 0, 0);
    expect(await shown('show')).to.equal('0 False');
    expect(await shown('show', { ANSIBLE_CACHE_PLUGIN_TIMEOUT: '0' })).to.equal('1 False');
  });

  it('stand in files with a prefix', async () => {
    await play('set', { ANSIBLE_CACHE_PLUGIN_PREFIX: 'site_' });
    expect(readdirSync(world.path('cache'))).to.deep.equal(['site_s1_localhost']);
  });

  it('never say how a host is reached', async () => {
    await play('set');
    writeFileSync(file(), renderFacts(new Map([['ansible_connection', 'hostile']])));
    expect(await shown('restricted')).to.equal('none hostile');
  });

  it('that cannot be read or kept are warned of', async () => {
    await play('set');
    writeFileSync(file(), 'garbage');
    const { warnings } = await play('show');
    expect(warnings.join('\n')).to.include('s1_localhost cannot be read');
    const other = await play('show', {
      ANSIBLE_CACHE_PLUGIN_CONNECTION: world.path('ansible.cfg'),
    });
    expect(other.warnings.join('\n')).to.include('facts are not cached in');
    const unknown = await play('show', { ANSIBLE_CACHE_PLUGIN: 'redis' });
    expect(unknown.warnings.join('\n')).to.include('there is no cache "redis"');
  });
});
