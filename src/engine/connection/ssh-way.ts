/** The stream of bytes over which SSH is spoken: a socket, or the output of a ProxyCommand. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { ConnectFailure } from './ssh-failure.ts';
import type { SshTarget } from './ssh-target.ts';

/** Opens the way to a host that needs no jump. Rejects with the network's error. */
export function openWay(target: SshTarget): Promise<Duplex> {
  return target.proxyCommand === undefined
    ? openSocket(target)
    : Promise.resolve(runProxy(target, target.proxyCommand));
}

function openSocket({ host, port, family, localAddress }: SshTarget): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    // Without noDelay every small exchange waits 40 ms for the delayed acknowledgement of the last one.
    const socket = connect({
      host,
      port,
      noDelay: true,
      family,
      ...(localAddress !== undefined && { localAddress }),
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function runProxy(target: SshTarget, command: string): Duplex {
  const child = spawn('/bin/sh', ['-c', `exec ${command}`], { stdio: 'pipe', detached: true });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000);
  });
  const way = new Duplex({
    read: () => child.stdout.resume(),
    write: (chunk, _encoding, done) => child.stdin.write(chunk, () => done()),
    final: (done) => child.stdin.end(done),
    destroy: (error, done) => {
      child.kill();
      done(error);
    },
  });
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk: Buffer) => {
    if (!way.push(chunk)) child.stdout.pause();
  });
  // The end of its output alone would not tell why it came.
  child.on('close', (code) => {
    if (code === 0) way.push(null);
    else way.destroy(proxyFailure(target, said.trim() || command, code));
  });
  return way;
}

function proxyFailure({ name }: SshTarget, said: string, code: number | null): ConnectFailure {
  return new ConnectFailure(`The ProxyCommand of ${name} ended with exit code ${code}: ${said}.`, {
    hint: 'run the command by hand, or correct ProxyCommand in the ssh configuration',
    again: false,
  });
}
