import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { gatherFacts } from '../../../src/engine/facts/gather.ts';
import type { FactOptions } from '../../../src/engine/module.ts';
import { type Dict, toPlain } from '../../../src/engine/values.ts';
import { runCommand } from '../../support/run-command.ts';

/** Gathers on this machine by a given shell; counts what is asked. */
async function gather(shell: string, options: FactOptions = {}, path = process.env['PATH']) {
  let asked = 0;
  const facts = await gatherFacts(async ({ line }) => {
    asked += 1;
    return runCommand(shell, ['-c', line], { env: { PATH: path, HOME: '/root', LC_ALL: 'C' } });
  }, options);
  expect(asked, 'round trips').to.equal(1);
  return facts;
}

const plain = (facts: Dict) => toPlain(facts) as Record<string, Record<string, unknown>>;

describe('gathering facts', () => {
  it('asks once and knows this machine', async () => {
    const facts = await gather('/bin/sh');
    expect(facts.get('nodename')).to.equal(hostname());
    expect(facts.get('user_uid')).to.equal(process.getuid?.());
    expect(facts.get('module_setup')).to.equal(true);
    const memory = Number(
      /MemTotal:\s+(\d+)/.exec(execFileSync('cat', ['/proc/meminfo'], { encoding: 'utf8' }))?.[1],
    );
    expect(facts.get('memtotal_mb')).to.equal(Math.floor(memory / 1024));
  });

  it('gathers the minimum where all is excluded', async () => {
    const facts = await gather('/bin/sh', { subset: ['!all'] });
    expect(facts.has('distribution')).to.equal(true);
    expect(facts.has('devices')).to.equal(false);
    expect(facts.get('gather_subset')).to.deep.equal(['!all']);
  });

  it('refuses a subset that does not exist, and names those that do', async () => {
    const error = await gather('/bin/sh', { subset: ['netwrok'] }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).to.match(
      /Bad subset 'netwrok' given to Ansible\. gather_subset options allowed: all, .*virtual/,
    );
    expect(error).to.include({ hint: 'did you mean "network"?' });
  });

  it('says of a local fact that links to nothing that it is not there', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tsprov-facts-'));
    symlinkSync('/no/such/file', join(directory, 'dead.fact'));
    const facts = await gather('/bin/sh', { subset: ['!all', 'local'], factPath: directory });
    rmSync(directory, { recursive: true });
    expect(plain(facts)['local']?.['dead']).to.match(/^Could not stat fact \(.*dead\.fact\)/);
  });

  it('gives nothing but what a single name selects', async () => {
    const facts = await gather('/bin/sh', { subset: ['!all', '!min', 'env'] });
    expect([...facts.keys()]).to.deep.equal(['env', 'gather_subset', 'module_setup']);
  });

  it('tells the environment that a task has, line breaks included', async () => {
    const facts = await gatherFacts(
      async ({ line }) =>
        runCommand('/bin/sh', ['-c', `export STAGE='a\nb=c'; ${line}`], {
          env: { PATH: '/usr/bin:/bin' },
        }),
      { subset: ['!all', '!min', 'env'] },
    );
    expect(plain(facts)['env']).to.include({ STAGE: 'a\nb=c', PATH: '/usr/bin:/bin' });
  });

  describe('with the tools of busybox only', () => {
    let directory = '';
    before(() => {
      directory = mkdtempSync(join(tmpdir(), 'busybox-'));
      mkdirSync(join(directory, 'bin'));
      const applets = execFileSync('busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n');
      const busybox = execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim();
      for (const applet of applets) symlinkSync(busybox, join(directory, 'bin', applet));
    });
    after(() => rmSync(directory, { recursive: true }));

    it('knows the same of this machine', async () => {
      const small = await gather(join(directory, 'bin/sh'), {}, join(directory, 'bin'));
      const full = await gather('/bin/sh');
      const same = [
        'kernel',
        'machine',
        'distribution_version',
        'user_dir',
        'processor_vcpus',
        'lo',
        'default_ipv4',
        'userspace_bits',
        'service_mgr',
        'pkg_mgr',
        'dns',
        'virtualization_type',
      ];
      const of = (facts: Dict) =>
        Object.fromEntries(same.map((name) => [name, plain(facts)[name]]));
      expect(of(small)).to.deep.equal(of(full));
      const root = (facts: Dict) => {
        const mounts = toPlain(facts.get('mounts') ?? []) as Record<string, unknown>[]; // A list of mappings.
        const { size_total, options } = mounts.find(({ mount }) => mount === '/') ?? {};
        return { size_total, options };
      };
      expect(root(small)).to.deep.equal(root(full));
    });
  });
});
