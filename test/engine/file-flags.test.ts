import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { flagCommands, probeFlags } from '../../src/engine/file-flags.ts';
import { type LocalHost, openLocalHost } from '../support/local-host.ts';
import { skipFor } from '../support/skip.ts';

const EXISTING = { isNew: false };

describe('chattr flags', () => {
  for (const [attributes, flags, expected] of [
    ['+i', 'e', 'chattr +i -- /f'],
    ['+i', 'ie', undefined],
    ['+ia', 'i', 'chattr +ia -- /f'],
    ['-i', 'ie', 'chattr -i -- /f'],
    ['-i', 'e', undefined],
    ['=i', 'ie', undefined],
    ['=i', 'iae', 'chattr =i -- /f'],
    ['i', '', 'chattr =i -- /f'],
    ['', 'e', undefined],
  ] as const) {
    it(`${attributes || 'none'} on a file with ${flags || 'none'}: ${expected ?? 'nothing to do'}`, () => {
      const commands = flagCommands('/f', { attributes }, { flags }, EXISTING);
      expect(commands.map(({ line }) => line)).to.deep.equal(expected ? [expected] : []);
    });
  }

  it('are set again on a file that is written anew', () => {
    const commands = flagCommands('/f', { attributes: '+i' }, { flags: 'i' }, { isNew: true });
    expect(commands).to.have.length(1);
  });

  it('are read from the disk', async function () {
    const host: LocalHost = await openLocalHost();
    const path = join(host.directory, 'f');
    writeFileSync(path, '');
    skipFor(whyNotSet(path), this);
    const { flags } = await probeFlags(await host.writer(), path, { attributes: '+A' });
    await host.close();
    expect(flags).to.include('A');
  });
});

/** Sets the flag A; gives why the file system or the computer cannot. */
function whyNotSet(path: string): string | undefined {
  try {
    execFileSync('chattr', ['+A', path], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `chattr sets no flags here: ${(error as Error).message}`; // execFileSync throws nothing else.
  }
}

describe('SELinux contexts', () => {
  const context = 'system_u:object_r:etc_t:s0';

  it('change only in the parts that differ', () => {
    const wanted = { setype: 'var_t', seuser: 'system_u', selevel: '_default' };
    const [command] = flagCommands('/f', wanted, { context }, EXISTING);
    expect(command?.line).to.equal('chcon -h -t var_t -- /f');
  });

  it('are left alone where they are right, and where the host has none', () => {
    expect(flagCommands('/f', { setype: 'etc_t' }, { context }, EXISTING)).to.deep.equal([]);
    expect(flagCommands('/f', { setype: 'etc_t' }, {}, EXISTING)).to.deep.equal([]);
  });
});
