import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { loadInventory } from '../../../src/engine/inventory/inventory.ts';
import { orderHosts, readLimit } from '../../../src/engine/inventory/patterns.ts';
import type { Value } from '../../../src/engine/values.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

const DATA = fileURLToPath(new URL('data/', import.meta.url));

describe('inventory', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tsprov-inventory-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function write(name: string, text: string): string {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  }

  it('merges variables in the order of their ranks', () => {
    const inventory = loadInventory([`${DATA}precedence/inventory/hosts.ini`], {
      playbookDirectories: [`${DATA}precedence/playbook`],
    });
    const vars = inventory.hostVars('h1');
    const ranks = ['v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8', 'v9', 'v10'].map((name) =>
      vars.get(name),
    );
    expect(ranks).to.deep.equal([
      '2-prod',
      '2-web',
      '3-inventory-all',
      '4-playbook-all',
      '5-inventory-prod',
      '7-host',
      '8-inventory-host',
      '9-playbook-host',
      '3-inventory-all',
    ]);
  });

  it('counts the directory of a playbook from when it is named', () => {
    const inventory = loadInventory([`${DATA}precedence/inventory/hosts.ini`]);
    expect(inventory.hostVars('h1').get('v9')).to.equal('8-inventory-host');
    inventory.usePlaybook(`${DATA}precedence/playbook`);
    expect(inventory.hostVars('h1').get('v9')).to.equal('9-playbook-host');
  });

  it('merges dicts where the configuration says so', () => {
    const path = write(
      'h.yml',
      'all: {vars: {d: {a: 1, b: {x: 1}}}, hosts: {h: {d: {b: {y: 2}}}}}',
    );
    const replaced = loadInventory([path]).hostVars('h').get('d');
    const merged = loadInventory([path], { settings: { hashBehaviour: 'merge' } })
      .hostVars('h')
      .get('d');
    expect(replaced).to.deep.equal(new Map([['b', new Map([['y', 2]])]]));
    expect(merged).to.deep.equal(
      new Map<string, Value>([
        ['a', 1],
        [
          'b',
          new Map([
            ['x', 1],
            ['y', 2],
          ]),
        ],
      ]),
    );
  });

  it('makes this machine a host when a pattern names it and the inventory does not', () => {
    const inventory = loadInventory([`${DATA}precedence/inventory/hosts.ini`]);
    expect(inventory.has('localhost')).to.equal(false);
    expect(inventory.select('localhost')).to.deep.equal(['localhost']);
    expect(inventory.hostVars('localhost').get('ansible_connection')).to.equal('local');
    expect(inventory.hostVars('localhost').get('v4')).to.equal('3-inventory-all');
    expect(inventory.hosts).not.to.include('localhost');
    expect(inventory.sourceOf('localhost')).to.equal(undefined);
  });

  it('takes a host named like this machine as it is written', () => {
    const inventory = loadInventory(['127.0.0.1,']);
    expect(inventory.select('localhost')).to.deep.equal(['127.0.0.1']);
    expect(inventory.hostVars('127.0.0.1').has('ansible_connection')).to.equal(false);
  });

  it('gives a host that it does not know the variables of all', () => {
    expect(
      loadInventory([write('h', 'a\n[all:vars]\nx=1\n')])
        .hostVars('other')
        .get('x'),
    ).to.equal(1);
  });

  it('takes up hosts and groups during a run and keeps them when it is read again', () => {
    const path = write('hosts', '[web]\nw1\n');
    const inventory = loadInventory([path]);
    expect(inventory.addHost('new', ['web', 'fresh'], new Map([['k', 1]]))).to.equal(true);
    expect(inventory.addHost('new', [], new Map())).to.equal(false);
    expect(inventory.addToGroup('w1', 'debian', ['os'])).to.equal(true);
    expect(inventory.addToGroup('w1', 'debian', [])).to.equal(false);
    expect(inventory.groupNames('new')).to.deep.equal(['fresh', 'web']);
    expect(inventory.groups().get('os')).to.deep.equal(['w1']);
    writeFileSync(path, '[web]\nw1\nw2\n');
    inventory.refresh();
    expect(inventory.select('web')).to.deep.equal(['w1', 'w2', 'new']);
    expect(inventory.groupNames('w1')).to.deep.equal(['debian', 'os', 'web']);
    expect(inventory.hostVars('new').get('k')).to.equal(1);
  });

  it('does not take up again a host that the sources have lost', () => {
    const path = write('hosts', 'old\nkept\n');
    const inventory = loadInventory([path]);
    inventory.addHost('new', [], new Map());
    for (const host of ['old', 'kept', 'new']) inventory.addToGroup(host, 'odd', []);
    writeFileSync(path, 'kept\n');
    inventory.refresh();
    expect(inventory.groups().get('odd')).to.deep.equal(['kept', 'new']);
    expect(inventory.has('old')).to.equal(false);
  });

  it('moves a host out of ungrouped when it comes into a group', () => {
    const inventory = loadInventory(['h,']);
    expect(inventory.groupNames('h')).to.deep.equal(['ungrouped']);
    inventory.addToGroup('h', 'g', []);
    expect(inventory.groupNames('h')).to.deep.equal(['g']);
    expect(inventory.groups().get('ungrouped')).to.deep.equal([]);
  });

  it('warns once of a pattern that matches nothing, or refuses it, or keeps quiet, as configured', () => {
    const inventory = loadInventory(['h,']);
    expect(inventory.select('nothing:h')).to.deep.equal(['h']);
    expect(inventory.select('!nothing')).to.deep.equal(['h']);
    expect(inventory.select('')).to.deep.equal([]);
    expect(inventory.select([])).to.deep.equal([]);
    inventory.select('nothing');
    expect(inventory.warnings.map(({ message }) => message)).to.deep.equal([
      'the host pattern "nothing" matches no host and no group',
    ]);
    const strict = loadInventory(['h,'], { settings: { hostPatternMismatch: 'error' } });
    expect(() => strict.select('nothing')).to.throw(InvalidInput, 'matches no host and no group');
    const quiet = loadInventory(['h,'], { settings: { hostPatternMismatch: 'ignore' } });
    quiet.select('nothing');
    expect(quiet.warnings).to.deep.equal([]);
  });

  it('warns of a name that a group and a host share', () => {
    const { warnings } = loadInventory([write('h', '[x]\nx\n')]);
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      '"x" is the name of a group and of a host',
    ]);
  });

  it('makes the names of groups what variables may be called, where the configuration says so', () => {
    const inventory = loadInventory([write('h', '[a-b]\nh\n[1c:children]\na-b\n')], {
      settings: { forceValidGroupNames: 'always' },
    });
    expect(inventory.groupNames('h')).to.deep.equal(['_c', 'a_b']);
  });

  it('reads a limit from a file of failed hosts', () => {
    const path = write('site.retry', 'h1\n\n# comment\nh2\n');
    expect(readLimit(`@${path},h3`)).to.deep.equal(['h1', 'h2', 'h3']);
    expect(() => readLimit('@/no/such')).to.throw(
      InvalidInput,
      'the limit file /no/such cannot be read: ENOENT',
    );
  });

  it('orders hosts as a play asks', () => {
    const hosts = ['b', 'a', 'c'];
    expect(orderHosts(hosts, undefined)).to.deep.equal(hosts);
    expect(orderHosts(hosts, 'sorted')).to.deep.equal(['a', 'b', 'c']);
    expect(orderHosts(hosts, 'reverse_sorted')).to.deep.equal(['c', 'b', 'a']);
    expect(orderHosts(hosts, 'reverse_inventory')).to.deep.equal(['c', 'a', 'b']);
    expect(orderHosts(hosts, 'shuffle')).to.have.members(hosts);
  });

  it('stays quick with thousands of hosts in deep groups', () => {
    const groups = Array.from(
      { length: 60 },
      (_, i) =>
        `[g${i + 1}:children]\ng${i}\n[h${i + 1}:children]\ng${i}\n[g${i + 1}:children]\nh${i + 1}\n`,
    );
    const inventory = loadInventory([
      write('big.ini', `[g0]\nnode[0001:5000]\n${groups.join('')}`),
    ]);
    expect(inventory.select('g60:!node0001')).to.have.length(4999);
    expect(inventory.groupNames('node0001')).to.have.length(121);
    expect(inventory.hostVars('node5000').size).to.equal(0);
  });

  it('reads the example that is shipped', () => {
    const example = fileURLToPath(new URL('../../../inventory.example.yaml', import.meta.url));
    const inventory = loadInventory([example]);
    expect(inventory.select('control_plane')).to.deep.equal(['cp1']);
    expect(inventory.select('workers')).to.deep.equal(['worker1', 'worker2', 'worker3']);
    const ranges = inventory.hosts.map((host) => inventory.hostVars(host).get('pod_cidr'));
    expect(new Set(ranges).size).to.equal(4);
    expect(inventory.warnings).to.deep.equal([]);
  });
});
