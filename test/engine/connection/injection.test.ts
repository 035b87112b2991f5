import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../../src/engine/connection/connect.ts';
import type { Become, ConnectionSettings } from '../../../src/engine/connection/connection.ts';
import { HostWriter } from '../../../src/engine/host/writer.ts';
import { sh } from '../../../src/shared/shell.ts';
import { connected, LOCAL, rejection } from './settings.ts';

/** Texts that make `mark` run wherever they are read as shell text. */
const hostile = (mark: string): readonly string[] => [
  `a$(${mark})`,
  `a\`${mark}\``,
  `a; ${mark}; `,
  `a\n${mark}\n`,
  `a && ${mark} || ${mark} | ${mark} & `,
  `'; ${mark}; '`,
  `"; ${mark}; "`,
  `'$(${mark})'`,
  `\\'; ${mark}; #`,
  `$\{IFS}$(${mark})*?[a-z]`,
  `-oProxyCommand=${mark}`,
  `-c ${mark}`,
];

describe('values of connections', () => {
  let folder: string;
  let mark: string;
  let texts: readonly string[];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-injection-'));
    mark = join(folder, 'mark');
    writeFileSync(mark, `#!/bin/sh\n: >${folder}/ran\n`, { mode: 0o755 });
    texts = hostile(mark);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function expectNothingRan(text: string): void {
    const ran = existsSync(join(folder, 'ran'));
    rmSync(join(folder, 'ran'), { force: true });
    expect(ran, `${JSON.stringify(text)} was run`).to.equal(false);
  }

  const become = (changes: Partial<Become>): Become => ({
    method: 'sudo',
    user: 'nobody',
    ...changes,
  });
  const members: Readonly<Record<string, (text: string) => Become>> = {
    become_user: (user) => become({ user }),
    'become_user of su': (user) => become({ method: 'su', user }),
    'become_user of doas': (user) => become({ method: 'doas', user }),
    become_exe: (exe) => become({ exe }),
    become_flags: (flags) => become({ flags }),
    become_method: (method) => become({ method }),
    become_password: (password) => become({ exe: '/nowhere', password }),
  };
  for (const [name, made] of Object.entries(members)) {
    it(`run nothing in ${name}`, async () => {
      for (const text of texts) {
        const connection = await connect(LOCAL);
        await connection.shell(made(text)).then(
          () => undefined,
          () => undefined,
        );
        await connection.close();
        expectNothingRan(text);
      }
    });
  }

  const settings: Readonly<Record<string, (text: string) => Partial<ConnectionSettings>>> = {
    ansible_host: (address) => ({ address }),
    ansible_user: (user) => ({ user }),
    ansible_ssh_executable: (sshExecutable) => ({ sshExecutable }),
    ansible_private_key_file: (privateKeyFile) => ({ privateKeyFile }),
    ansible_shell_executable: (shell) => ({ shell, transport: 'local' }),
    ansible_password: (password) => ({ password }),
  };
  for (const transport of ['ssh', 'openssh'] as const) {
    for (const [name, made] of Object.entries(settings)) {
      it(`run nothing in ${name} with the transport ${transport}`, async () => {
        const args = ['-F', 'none', '-o', 'ProxyCommand=echo %h %n %r >/dev/null; exit 1'];
        for (const text of texts) {
          const given = { ...LOCAL, transport, port: 1, sshArgs: args, connectTimeoutMs: 5000 };
          await rejection(
            connected({ ...given, ...made(text) }, async (shell) => shell.run('exit')),
          );
          expectNothingRan(text);
        }
      });
    }
  }

  it('run nothing in the environment of a task', async () => {
    await connected(LOCAL, async (shell) => {
      const gatherFacts = async () => new Map();
      for (const text of texts) {
        const writer = new HostWriter({
          name: 'here',
          shell,
          gatherFacts,
          environment: { VALUE: text },
        });
        const output = await writer.read(sh`printf %s "$VALUE"`);
        expect(output.stdout).to.equal(text);
        const odd = new HostWriter({
          name: 'here',
          shell,
          gatherFacts,
          environment: { [text]: 'x' },
        });
        await rejection(odd.read(sh`:`));
        expectNothingRan(text);
      }
    });
  });
});
