import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, connect as dial, type Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turnOver } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { connect } from '../../../src/engine/connection/connect.ts';
import type { ConnectionSettings } from '../../../src/engine/connection/connection.ts';
import { freePort } from '../../support/free-port.ts';
import { needSshd, type Sshd, startSshd } from '../../support/sshd.ts';
import { until } from '../../support/until.ts';
import { makeUser, type TestUser } from '../../support/users.ts';
import { connected, gone, rejection, sshArgs, sshSettings } from './settings.ts';

const text = (bytes: Buffer | undefined) => String(bytes);

for (const transport of ['ssh', 'openssh'] as const) {
  describe(`the ${transport} transport`, () => {
    let sshd: Sshd;
    const settings = (changes: Partial<ConnectionSettings> = {}) =>
      sshSettings(sshd, { transport, ...changes });

    before(async function () {
      needSshd(this);
      sshd = await startSshd();
    });
    after(() => sshd?.stop());

    it('runs scripts and counts their frames', () =>
      connected(settings(), async (shell, connection) => {
        const output = await shell.run('echo out; echo err >&2; cat; exit 3');
        expect([output.code, text(output.stdout), text(output.stderr)]).to.deep.equal([
          3,
          'out\n',
          'err\n',
        ]);
        const outputs = await shell.runAll(['echo 1', 'exit 2']);
        expect(outputs.map(({ code }) => code)).to.deep.equal([0, 2]);
        expect(connection.frames).to.equal(2);
      }));

    it('keeps what a background process prints out of later scripts', () =>
      connected(settings(), async (shell) => {
        const gate = join(sshd.dir, `gate-${transport}`);
        const wait = `until [ -e ${gate} ]; do sleep 0.1; done`;
        const left = await shell.run(`echo begun; (${wait}; echo late; echo late >&2) & exit 4`);
        expect([left.code, text(left.stdout)]).to.deep.equal([4, 'begun\n']);
        const later = [
          await shell.run(`: >${gate}; sleep 1; echo 1`),
          await shell.run('sleep 1; echo 2'),
        ];
        expect(later.map(({ stdout }) => text(stdout))).to.deep.equal(['1\n', '2\n']);
        expect(later.map(({ stderr }) => text(stderr))).to.deep.equal(['', '']);
      }));

    it('passes 50 MB of any bytes', () =>
      connected(settings(), async (shell) => {
        const { stdout } = await shell.run(String.raw`head -c 50000000 /dev/zero | tr '\0' '\036'`);
        expect(stdout.equals(Buffer.alloc(50_000_000, 0x1e))).to.equal(true);
      }));

    it('streams 100 MB in and out at the pace of the slower side', () =>
      connected(settings(), async (shell) => {
        const file = `${sshd.dir}/big`;
        const before = process.memoryUsage().rss;
        async function* zeros(): AsyncGenerator<Buffer> {
          for (let i = 0; i < 100; i++) yield Buffer.alloc(1 << 20);
        }
        expect((await shell.pipe(`cat >${file}`, zeros())).code).to.equal(0);
        let size = 0;
        for await (const chunk of shell.stream(`cat ${file}; rm ${file}`)) size += chunk.length;
        expect(size).to.equal(100 << 20);
        expect(process.memoryUsage().rss - before).to.be.below(80 << 20);
      }));

    it('ends a script, its children included, when its time is up', () =>
      connected(settings(), async (shell) => {
        let pid = 0;
        const onOutput = (_stream: string, chunk: Buffer) => {
          pid = Number(text(chunk));
        };
        const error = await rejection(
          shell.run('sleep 1000 & echo $!; wait', { timeoutMs: 3000, onOutput }),
        );
        expect(error.message).to.match(/timed out/);
        await gone(pid);
        expect(text((await shell.run('echo next')).stdout)).to.equal('next\n');
      }));

    it('ends running scripts when the connection is closed', async () => {
      const connection = await connect(settings());
      const shell = await connection.shell();
      const pid = await new Promise<number>((resolve) => {
        const onOutput = (_stream: string, chunk: Buffer) => resolve(Number(text(chunk)));
        shell.run('sleep 1000 & echo $!; wait', { onOutput }).catch(() => {});
      });
      await connection.close();
      await gone(pid);
    });

    it('rejects with ConnectionLost when the connection is killed, and works again after a reset', async () => {
      const connection = await connect(settings());
      const shell = await connection.shell();
      const { pid, end } = await new Promise<{ pid: number; end: Promise<unknown> }>((resolve) => {
        const onOutput = (_stream: string, chunk: Buffer) =>
          resolve({ pid: Number(text(chunk)), end });
        const end = shell.run('sleep 1000 & echo $!; wait', { onOutput });
        end.catch(() => {});
      });
      sshd.dropSessions();
      const error = await rejection(end);
      expect([error.name, error['begun']]).to.deep.equal(['Unreachable', true]);
      expect(error.message).to.match(/^The connection to web1 was lost: /);
      await gone(pid);
      await connection.reset({ reconnect: true });
      expect(text((await (await connection.shell()).run('echo back')).stdout)).to.equal('back\n');
      await connection.close();
    });

    it('says that a frame had not begun when the connection was already gone', async () => {
      const connection = await connect(settings());
      const shell = await connection.shell();
      const busy = shell.run('sleep 1000', { timeoutMs: 60_000 });
      busy.catch(() => {});
      const waiting = shell.run('echo never');
      sshd.dropSessions();
      expect((await rejection(waiting))['begun']).to.equal(false);
      await rejection(busy);
      await connection.close();
    });

    it('opens further connections where the host allows one session on each', async () => {
      const narrow = await startSshd({ config: ['MaxSessions 1'] });
      try {
        await connected(sshSettings(narrow, { transport }), async (shell) => {
          let read = '';
          for await (const chunk of shell.stream('echo streamed')) read += chunk;
          expect(read).to.equal('streamed\n');
          expect(text((await shell.run('echo ran')).stdout)).to.equal('ran\n');
        });
      } finally {
        await narrow.stop();
      }
    });

    const strict = process.env['CI'] === 'true';
    const shells = ['/bin/bash', '/bin/dash', '/bin/tcsh', '/usr/bin/fish'].filter(
      (shell) => strict || isInstalled(shell),
    );
    for (const shell of shells) {
      it(`does not mind that the login shell is ${shell}, nor what it prints`, async () => {
        const user = makeUser({ shell, sudo: ['ALL=(ALL) NOPASSWD: ALL'] });
        for (const file of ['.bashrc', '.cshrc'])
          writeFileSync(`/home/${user.name}/${file}`, 'echo good morning\n');
        try {
          await connected(settings({ user: user.name }), async (own, connection) => {
            expect(text((await own.run("echo 'it''s' \"$0\"")).stdout)).to.equal('its /bin/sh\n');
            const root = await connection.shell({ method: 'sudo', user: 'root' });
            expect(text((await root.run('id -u')).stdout)).to.equal('0\n');
            const other = await root.run(`su ${user.name} -c 'echo hi'`);
            expect(text(other.stdout)).to.match(/hi\n$/);
          });
        } finally {
          user.remove();
        }
      });
    }

    describe('where a host cannot be entered', () => {
      let silent: Server;
      let silentPort = 0;
      let nologin: TestUser;

      before(async () => {
        // It reads, so that it sees when a client has gone.
        silent = createServer((socket) => socket.on('error', () => {}).resume());
        silentPort = await new Promise((resolve) => {
          silent.listen(0, '127.0.0.1', () => {
            const address = silent.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          });
        });
        nologin = makeUser({ shell: '/usr/sbin/nologin' });
      });
      after(() => {
        silent.close();
        nologin.remove();
      });

      const failing = async (changes: Partial<ConnectionSettings>) => {
        const error = await rejection(connect(settings(changes)));
        expect(error.name).to.equal('Unreachable');
        expect(error['hint']).to.be.a('string');
        return error.message;
      };

      it('says that nothing listens on a closed port', async () => {
        expect(await failing({ port: await freePort() })).to.match(/refuse/);
      });

      it('says that a host does not answer in time', async () => {
        const started = Date.now();
        expect(await failing({ port: silentPort, connectTimeoutMs: 1000 })).to.match(
          /does not answer|timed out/,
        );
        expect(Date.now() - started).to.be.below(30_000);
      });

      it('says that a name cannot be resolved', async () => {
        expect(await failing({ address: 'no-such-host.invalid' })).to.match(/resolve/);
      });

      it('says which user and keys were refused', async () => {
        execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', `${sshd.dir}/stranger`]);
        const message = await failing({ privateKeyFile: `${sshd.dir}/stranger` });
        expect(message).to.match(
          transport === 'ssh' ? /login of "root": offered .*stranger/ : /Permission denied/,
        );
      });

      it('says what a user without a login shell is told', async () => {
        const connection = await connect(settings({ user: nologin.name }));
        const error = await rejection(connection.shell());
        expect(error.name).to.equal('Unreachable');
        expect(error.message).to.match(
          /gives the user no shell: This account is currently not available/,
        );
        await connection.close();
      });

      it('tries again, as often as it is told', async () => {
        const { port, close } = await startDoor(sshd.port, 2);
        await connected(
          settings({ port, retries: 3, hostKeyChecking: 'off', sshArgs: sshArgs('/dev/null') }),
          async (shell) => {
            expect(text((await shell.run('echo up')).stdout)).to.equal('up\n');
          },
        );
        await close();
      });

      it('stops trying when the signal is aborted', async () => {
        const control = new AbortController();
        const attempt = connect(settings({ port: silentPort, retries: 5 }), control.signal);
        attempt.catch(() => {});
        setImmediate(() => control.abort(new Error('enough')));
        expect((await rejection(attempt)).message).to.equal('enough');
      });

      it('leaves no connection behind, whenever the signal is aborted', async () => {
        for (let turns = 0; turns < 30; turns += 1) {
          const control = new AbortController();
          const attempt = connect(settings({ port: silentPort }), control.signal);
          attempt.catch(() => {});
          for (let turn = 0; turn < turns; turn += 1) await turnOver();
          control.abort(new Error('enough'));
          await rejection(attempt);
        }
        const count = () => promisify(silent.getConnections.bind(silent))();
        await until(
          async () => (await count()) === 0,
          () => 'connections are left',
        );
      });
    });
  });
}

function isInstalled(file: string): boolean {
  try {
    execFileSync('test', ['-x', file]);
    return true;
  } catch {
    return false;
  }
}

/** A way to a port that is closed to the first so many who knock. */
async function startDoor(to: number, refusals: number) {
  let knocks = 0;
  const server = createServer((client) => {
    knocks += 1;
    if (knocks <= refusals) return void client.destroy();
    const through = dial(to, '127.0.0.1');
    client.pipe(through).pipe(client);
    for (const socket of [client, through]) socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}
