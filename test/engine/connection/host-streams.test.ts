import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { expect } from 'chai';
import type { ConnectionSettings, Shell } from '../../../src/engine/connection/connection.ts';
import { freePort } from '../../support/free-port.ts';
import { skipFor } from '../../support/skip.ts';
import { needSshd, type Sshd, startSshd } from '../../support/sshd.ts';
import { connected, LOCAL, rejection, sshArgs, sshSettings } from './settings.ts';

/** A service of the host's loopback that answers each piece in capitals and knows who is connected. */
class Capitals {
  readonly server: Server;
  readonly sockets = new Set<Socket>();

  constructor() {
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      socket.on('error', () => {});
      socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()));
    }).listen(0, '127.0.0.1');
  }

  get endpoint() {
    return { host: '127.0.0.1', port: (this.server.address() as AddressInfo).port };
  }

  /** Resolves when everybody has left. */
  async empty(): Promise<void> {
    await Promise.all([...this.sockets].map((socket) => once(socket, 'close')));
  }
}

/** What is answered to a text. */
async function ask(stream: Duplex, text: string): Promise<string> {
  let answer = '';
  const read = (chunk: Buffer) => {
    answer += chunk.toString();
    if (answer.length >= text.length) stream.emit('answered');
  };
  stream.on('data', read);
  stream.write(text);
  await once(stream, 'answered');
  stream.off('data', read);
  return answer;
}

/** A folder for a PATH with these commands alone. */
function folderOf(dir: string, commands: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(dir, 'path-'));
  for (const [name, file] of Object.entries(commands)) symlinkSync(file, join(folder, name));
  return folder;
}

/** An SSH client configuration with a jump host. */
function jumpConfig(jump: Sshd): string {
  return `Host bastion
  HostName 127.0.0.1
  Port ${jump.port}
  User root
  IdentityFile ${jump.keyFile}
  UserKnownHostsFile ${jump.knownHostsFile}
`;
}

describe('a TCP stream from a host', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tsprov-streams-'));
  const config = join(dir, 'config');
  let service: Capitals;
  let open: Sshd;
  let closed: Sshd;

  before(async function () {
    needSshd(this);
    service = new Capitals();
    open = await startSshd();
    closed = await startSshd({ config: ['AllowTcpForwarding no'] });
    writeFileSync(config, jumpConfig(open));
  });
  after(async () => {
    service?.server.close();
    await Promise.all([open?.stop(), closed?.stop()]);
    rmSync(dir, { recursive: true });
  });

  const ways: Record<string, () => ConnectionSettings> = {
    'this machine': () => LOCAL,
    ssh: () => sshSettings(open),
    openssh: () => sshSettings(open, { transport: 'openssh' }),
    'ssh through a jump host': () =>
      sshSettings(open, {
        sshArgs: [...sshArgs(open.knownHostsFile).slice(2), '-F', config, '-J', 'bastion'],
      }),
    'ssh that forbids forwarding': () => sshSettings(closed),
    'openssh that forbids forwarding': () => sshSettings(closed, { transport: 'openssh' }),
  };
  for (const [way, settings] of Object.entries(ways)) {
    it(`carries bytes both ways and ends, over ${way}`, () =>
      connected(settings(), async (shell) => {
        const stream = await shell.openStream(service.endpoint);
        expect(await ask(stream, 'hello')).to.equal('HELLO');
        expect(await ask(stream, 'x'.repeat(300_000))).to.equal('X'.repeat(300_000));
        stream.end();
        stream.resume();
        await once(stream, 'close');
        await service.empty();
      }));

    it(`ends when the service ends it, over ${way}`, () =>
      connected(settings(), async (shell) => {
        const stream = await shell.openStream(service.endpoint);
        expect(await ask(stream, 'hello')).to.equal('HELLO');
        stream.resume();
        for (const socket of service.sockets) socket.end();
        await once(stream, 'end');
      }));

    it(`says that nothing listens, over ${way}`, () =>
      connected(settings(), async (shell) => {
        const port = await freePort();
        const error = await rejection(shell.openStream({ host: '127.0.0.1', port }));
        expect(error.name).to.equal('TaskError');
        expect(error.message).to.match(
          new RegExp(`does not reach 127.0.0.1:${port}: .*refused`, 'i'),
        );
        expect(error['hint']).to.equal(
          'nothing listens there: start the service, or correct the address',
        );
      }));
  }
  const carriers: Record<string, Readonly<Record<string, string>>> = {
    bash: { bash: '/bin/bash', cat: '/bin/cat' },
    socat: { socat: '/usr/bin/socat' },
    'nc of busybox': { nc: '/bin/busybox' },
  };
  for (const [name, commands] of Object.entries(carriers)) {
    it(`is carried by ${name} where that is what a host without forwarding has`, async function () {
      const missing = Object.values(commands).find((file) => !existsSync(file));
      skipFor(missing && `${missing} is not installed`, this);
      await onlyWith(commands, async (shell) => {
        const stream = await shell.openStream(service.endpoint);
        expect(await ask(stream, 'hello')).to.equal('HELLO');
        stream.end();
        stream.resume();
        await once(stream, 'close');
        await service.empty();
      });
    });
  }

  it('names the cures where the host neither forwards nor has a command', () =>
    onlyWith({}, async (shell) => {
      const error = await rejection(shell.openStream(service.endpoint));
      expect(error.message).to.equal(
        'the SSH server of web1 forwards no TCP streams, and web1 has no command that carries one',
      );
      expect(error['hint']).to.match(/AllowTcpForwarding.*delegate_to: localhost/);
    }));

  /** On a host without forwarding that has these commands alone. */
  async function onlyWith(
    commands: Readonly<Record<string, string>>,
    work: (shell: Shell) => Promise<void>,
  ): Promise<void> {
    const lines = ['AllowTcpForwarding no', `SetEnv PATH=${folderOf(dir, commands)}`];
    const sshd = await startSshd({ config: lines });
    try {
      await connected(sshSettings(sshd), work);
    } finally {
      await sshd.stop();
    }
  }
});
