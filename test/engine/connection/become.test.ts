import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../../src/engine/connection/connect.ts';
import type { Become, ConnectionSettings } from '../../../src/engine/connection/connection.ts';
import { CACHE, takeLock } from '../../support/cache.ts';
import { needSshd, type Sshd, startSshd } from '../../support/sshd.ts';
import { until } from '../../support/until.ts';
import { makeUser, type TestUser } from '../../support/users.ts';
import { LOCAL, rejection, sshSettings } from './settings.ts';

const DOAS_CONF = '/etc/doas.conf';
const DOAS_SAVED = '/etc/doas.conf.tsprov-test';
const PASSWORDS = {
  plain: "pass 'word' $(id)",
  asked: 'asked-pw',
  tty: 'tty-pw',
  expired: 'expired-pw',
};

type Person = 'plain' | 'asked' | 'free' | 'tty' | 'expired';

/** Logged in as `from`, become `to`: works, or fails with a message and a hint. */
interface Case {
  readonly from: Person | 'root';
  readonly method: string;
  readonly to: Person | 'root' | 'nobody-here';
  readonly password?: string;
  readonly exe?: string;
  readonly flags?: string;
  readonly chdir?: string;
  readonly prompts?: readonly string[];
  readonly fails?: RegExp;
}

const CASES: readonly Case[] = [
  { from: 'free', method: 'sudo', to: 'root' },
  { from: 'free', method: 'sudo', to: 'plain' },
  { from: 'free', method: 'sudo', to: 'plain', password: 'not needed' },
  { from: 'free', method: 'sudo', to: 'root', flags: '-H -S' },
  { from: 'root', method: 'sudo', to: 'plain' },
  { from: 'asked', method: 'sudo', to: 'root', password: PASSWORDS.asked },
  {
    from: 'asked',
    method: 'sudo',
    to: 'root',
    password: 'wrong',
    fails: /^Incorrect sudo password$/,
  },
  { from: 'asked', method: 'sudo', to: 'root', fails: /^Missing sudo password$/ },
  {
    from: 'asked',
    method: 'sudo',
    to: 'root',
    flags: '-S',
    fails: /^(Missing|Incorrect) sudo password$/,
  },
  { from: 'tty', method: 'sudo', to: 'root', password: PASSWORDS.tty },
  {
    from: 'tty',
    method: 'sudo',
    to: 'root',
    password: 'wrong',
    fails: /^Incorrect sudo password$/,
  },
  {
    from: 'plain',
    method: 'sudo',
    to: 'root',
    password: PASSWORDS.plain,
    fails: /^The login user may not become "root" with sudo on web1$/,
  },
  {
    from: 'free',
    method: 'sudo',
    to: 'nobody-here',
    fails: /^The user "nobody-here" to become does not exist on web1$/,
  },
  {
    from: 'free',
    method: 'sudo',
    to: 'root',
    exe: '/nowhere/sudo',
    fails: /^\/nowhere\/sudo is not installed on web1$/,
  },
  { from: 'asked', method: 'su', to: 'plain', password: PASSWORDS.plain },
  { from: 'asked', method: 'su', to: 'plain', password: 'wrong', fails: /^Incorrect su password$/ },
  { from: 'asked', method: 'su', to: 'plain', fails: /^Missing su password$/ },
  {
    from: 'asked',
    method: 'su',
    to: 'nobody-here',
    password: 'x',
    fails: /does not exist on web1$/,
  },
  {
    from: 'asked',
    method: 'su',
    to: 'expired',
    password: PASSWORDS.expired,
    fails: /has expired: su does not become/,
  },
  {
    from: 'asked',
    method: 'su',
    to: 'plain',
    password: PASSWORDS.plain,
    prompts: ['Kennwort', 'password'],
  },
  { from: 'root', method: 'su', to: 'plain' },
  { from: 'free', method: 'sudo', to: 'plain', chdir: '/usr' },
  {
    from: 'free',
    method: 'sudo',
    to: 'plain',
    chdir: '/nowhere; id',
    fails: /^Cannot cd to \/nowhere; id on web1 before sudo$/,
  },
  { from: 'asked', method: 'doas', to: 'root', password: PASSWORDS.asked },
  {
    from: 'asked',
    method: 'doas',
    to: 'root',
    password: 'wrong',
    fails: /^Incorrect doas password$/,
  },
  { from: 'asked', method: 'doas', to: 'root', fails: /^Missing doas password$/ },
  { from: 'free', method: 'doas', to: 'plain' },
  {
    from: 'plain',
    method: 'doas',
    to: 'root',
    password: PASSWORDS.plain,
    fails: /may not become "root" with doas/,
  },
  {
    from: 'free',
    method: 'magic',
    to: 'root',
    fails: /^The become method "magic" is not supported\.$/,
  },
];

describe(`becoming another user`, () => {
  let sshd: Sshd;
  let temporary: string;
  /** The configuration of doas is the machine's: one suite at a time has its own. */
  let release: (() => Promise<void>) | undefined;
  const users = new Map<string, TestUser>();

  before(async function () {
    needSshd(this);
    temporary = mkdtempSync(join(tmpdir(), 'tsprov-become-'));
    chmodSync(temporary, 0o1777);
    sshd = await startSshd({ config: [`SetEnv TMPDIR=${temporary}`] });
    users.set('plain', makeUser({ password: PASSWORDS.plain }));
    users.set(
      'asked',
      makeUser({
        password: PASSWORDS.asked,
        sudo: ['ALL=(ALL) ALL'],
        sudoDefaults: ['lecture=always'],
      }),
    );
    users.set('free', makeUser({ sudo: ['ALL=(ALL) NOPASSWD: ALL'] }));
    users.set(
      'tty',
      makeUser({ password: PASSWORDS.tty, sudo: ['ALL=(ALL) ALL'], sudoDefaults: ['requiretty'] }),
    );
    users.set('expired', makeUser({ password: PASSWORDS.expired }));
    execFileSync('chage', ['-E', '2020-01-01', nameOf('expired')]);
    release = await takeLock(join(CACHE, 'doas.lock'));
    if (existsSync(DOAS_CONF)) copyFileSync(DOAS_CONF, DOAS_SAVED);
    writeFileSync(DOAS_CONF, `permit ${nameOf('asked')}\npermit nopass ${nameOf('free')}\n`, {
      mode: 0o600,
    });
  });
  after(async () => {
    await sshd?.stop();
    if (temporary !== undefined) rmSync(temporary, { recursive: true });
    for (const user of users.values()) user.remove();
    if (users.size > 0) rmSync(DOAS_CONF, { force: true });
    if (existsSync(DOAS_SAVED)) copyFileSync(DOAS_SAVED, DOAS_CONF);
    rmSync(DOAS_SAVED, { force: true });
    await release?.();
  });

  const nameOf = (person: string) => users.get(person)?.name ?? person;
  const becomeOf = ({ from: _, to, fails: __, ...become }: Case): Become => ({
    ...become,
    user: nameOf(to),
  });
  const settingsFor = (
    transport: 'ssh' | 'openssh',
    { from }: Pick<Case, 'from'>,
  ): ConnectionSettings => sshSettings(sshd, { transport, user: nameOf(from) });

  const prove = async (transport: 'ssh' | 'openssh', each: Case): Promise<void> => {
    const connection = await connect(settingsFor(transport, each));
    const shell = connection.shell(becomeOf(each));
    shell.catch(() => {});
    try {
      if (each.fails === undefined) await proveShell(await shell, nameOf(each.to));
      else await proveRefusal(shell, each.fails);
    } finally {
      await connection.close();
    }
  };
  for (const each of CASES) {
    it(`over ssh ${titleOf(each)}`, () => prove('ssh', each));
    // What a refusal means does not depend on the transport, and wrong passwords cost seconds each.
    if (each.fails === undefined) it(`over openssh ${titleOf(each)}`, () => prove('openssh', each));
  }

  it('fails the task, and keeps the host, where a terminal is needed and the server gives none', async () => {
    const strict = await startSshd({ config: ['PermitTTY no'] });
    const user = nameOf('tty');
    const become: Become = { method: 'sudo', user: 'root', password: PASSWORDS.tty };
    try {
      for (const transport of ['ssh', 'openssh'] as const) {
        const connection = await connect(sshSettings(strict, { transport, user }));
        await proveRefusal(connection.shell(become), /gives no terminal|must have a tty/);
        const { stdout } = await (await connection.shell()).run('id -un');
        expect(String(stdout).trim()).to.equal(user);
        await connection.close();
      }
    } finally {
      await strict.stop();
    }
  });

  it('keeps one shell for each user of one connection', async () => {
    const connection = await connect(settingsFor('ssh', { from: 'free' }));
    const become: Become = { method: 'sudo', user: 'root' };
    const ids = await Promise.all(
      [undefined, become, become, undefined].map(async (user) => {
        const { stdout } = await (await connection.shell(user)).run('echo "$(id -un) $$"');
        return String(stdout).trim();
      }),
    );
    expect(ids[0]).to.equal(ids[3]);
    expect(ids[1]).to.equal(ids[2]);
    expect(ids.map((id) => id.split(' ')[0])).to.deep.equal([
      nameOf('free'),
      'root',
      'root',
      nameOf('free'),
    ]);
    await connection.close();
  });

  it('goes to a directory before sudo is called', async () => {
    const connection = await connect(settingsFor('ssh', { from: 'free' }));
    const shell = await connection.shell({ method: 'sudo', user: 'root', chdir: '/usr' });
    expect(String((await shell.run('pwd')).stdout)).to.equal('/usr\n');
    await connection.close();
  });

  it('cannot reach a host whose su asks in words that nobody expects', async () => {
    const settings = { ...settingsFor('ssh', { from: 'asked' }), connectTimeoutMs: 1000 };
    const connection = await connect(settings);
    const user = nameOf('plain');
    const become = { method: 'su', user, password: PASSWORDS.plain, prompts: ['Kennwort'] };
    const error = await rejection(connection.shell(become));
    expect(error.name).to.equal('Unreachable');
    expect(error.message).to.match(/waiting for privilege escalation prompt.*"Password:"$/);
    await connection.close();
  });

  it('sees new groups after a reset', async () => {
    const connection = await connect(settingsFor('ssh', { from: 'free' }));
    const root = await connection.shell({ method: 'sudo', user: 'root' });
    await root.run(`usermod -aG games ${nameOf('free')}`);
    await connection.reset({ reconnect: true });
    const { stdout } = await (await connection.shell()).run('id -nG');
    expect(String(stdout)).to.match(/\bgames\b/);
    await connection.close();
  });

  it('never shows the password to other processes', async () => {
    const each: Case = { from: 'asked', method: 'su', to: 'plain', password: PASSWORDS.plain };
    const connection = await connect(settingsFor('ssh', each));
    const shell = await connection.shell(becomeOf(each));
    const { stdout } = await shell.run('cat /proc/[0-9]*/cmdline; env');
    expect(String(stdout)).not.to.include(PASSWORDS.plain);
    await connection.close();
  });

  it('ends the scripts of the other user when the connection is closed', async () => {
    for (const method of ['sudo', 'su']) {
      const connection = await connect(settingsFor('ssh', { from: 'asked' }));
      const password = method === 'sudo' ? PASSWORDS.asked : PASSWORDS.plain;
      const shell = await connection.shell({ method, user: nameOf('plain'), password });
      const mark = `7${Date.now()}`;
      await new Promise<void>((resolve) => {
        shell.run(`echo; sleep ${mark}`, { onOutput: () => resolve() }).catch(() => {});
      });
      await connection.close();
      await until(() => !commandLines().includes(`sleep ${mark}`), commandLines);
    }
  });

  it('gives a terminal on this machine, too', async () => {
    const connection = await connect(LOCAL);
    const shell = await connection.shell({
      method: 'su',
      user: nameOf('plain'),
      password: 'root is not asked',
    });
    await proveShell(shell, nameOf('plain'));
    await connection.close();
  });

  it('leaves nothing behind in the temporary directory', async () => {
    const left = () => readdirSync(temporary);
    await until(() => left().length === 0, left);
  });
});

function titleOf({ from, method, to, password, exe, flags, chdir, prompts, fails }: Case): string {
  const how =
    password === 'wrong'
      ? 'with a wrong password'
      : `with ${password === undefined ? 'no' : 'a'} password`;
  const verdict = fails === undefined ? 'works' : 'fails clearly';
  return [
    verdict,
    'from',
    from,
    'to',
    to,
    'by',
    exe ?? method,
    flags ?? '',
    how,
    chdir ?? '',
    ...(prompts ?? []),
  ]
    .filter(Boolean)
    .join(' ');
}

type Opened = Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['shell']>>;

async function proveShell(shell: Opened, name: string): Promise<void> {
  const output = await shell.run('id -un; echo err >&2; cat; exit 3');
  expect([output.code, String(output.stdout), String(output.stderr)]).to.deep.equal([
    3,
    `${name}\n`,
    'err\n',
  ]);
  async function* bytes(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 64; i++) yield Buffer.from(Array.from({ length: 4096 }, (_, n) => n % 256));
  }
  const piped = await shell.pipe('cksum; echo err >&2', bytes());
  expect([String(piped.stdout), String(piped.stderr)]).to.deep.equal([
    '1628753376 262144\n',
    'err\n',
  ]);
  let size = 0;
  for await (const chunk of shell.stream('head -c 1000000 /dev/zero')) size += chunk.length;
  expect(size).to.equal(1_000_000);
}

async function proveRefusal(attempt: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await rejection(attempt);
  expect(error.message).to.match(message);
  expect(error.name).to.equal('TaskError');
  expect(error['hint']).to.be.a('string');
}

function commandLines(): string {
  return execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
}
