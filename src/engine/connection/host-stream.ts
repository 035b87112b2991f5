/** TCP streams from a host: by the transport, else by a command on the host that carries the bytes. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { TaskError } from '../../shared/errors.ts';
import { givenScript, sh } from '../../shared/shell.ts';
import type { Channel, Transport } from './channel.ts';
import { joinChannel } from './channel-stream.ts';
import type { Endpoint } from './connection.ts';

/** How much of what a command says is kept for messages. */
const SAID_CHARACTERS = 2000;

/**
 * Opens a TCP stream from a host of this name. Throws TaskError with the cure where the host does not get there,
 * Unreachable where the host has gone.
 */
export async function openHostStream(
  transport: Transport,
  to: Endpoint,
  name: string,
): Promise<Duplex> {
  const opened = await transport.openStream(to);
  if (!('isForbidden' in opened)) return opened;
  if (!opened.isForbidden) throw notConnected(to, name, opened.reason);
  return carriedStream(transport, to, name);
}

/**
 * A script that prints `nonce` when it is connected (with bash) or begins to connect, carries bytes from then on and ends
 * with the first end of either side.
 */
function carryScript({ host, port }: Endpoint, nonce: string): string {
  const bash = [
    'exec 3<>"/dev/tcp/$1/$2" || exit 1',
    'echo "$0"; exec 4<&0 2>/dev/null',
    'cat <&3 & r=$!',
    'cat <&4 >&3 & w=$!',
    'wait -n; kill $r $w; exit 0',
  ].join('\n');
  const address = host.includes(':') ? `[${host}]` : host;
  return sh`if command -v bash >/dev/null; then exec bash -c ${givenScript(bash)} ${nonce} ${host} ${port};
elif command -v socat >/dev/null; then echo ${nonce}; exec socat - ${`TCP:${address}:${port}`};
elif command -v nc >/dev/null; then echo ${nonce}; exec nc ${host} ${port};
else exit 127; fi`.line;
}

async function carriedStream(transport: Transport, to: Endpoint, name: string): Promise<Duplex> {
  const nonce = randomBytes(16).toString('hex');
  const script = carryScript(to, nonce);
  const channel = await transport.open(sh`exec /bin/sh -c ${givenScript(script)}`.line);
  let said = '';
  channel.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-SAID_CHARACTERS);
  });
  const failure = (reason: string) =>
    reason === 'exit code 127'
      ? forbidden(name)
      : notConnected(to, name, /(?:.*: )?(.*)/.exec(said.trim())?.[1] || reason);
  const rest = await afterNonce(channel, nonce, failure);
  return joinChannel(channel, rest, ({ lost, reason }) => {
    if (lost) return notConnected(to, name, reason);
    return reason === 'exit code 1' ? failure(reason) : undefined;
  });
}

/** Waits for the line that begins the stream: what login scripts print comes before. Gives what came behind it. */
function afterNonce(
  channel: Channel,
  nonce: string,
  failure: (reason: string) => Error,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      const at = seen.indexOf(`${nonce}\n`);
      if (at < 0) return;
      channel.stdout.off('data', read);
      channel.stdout.pause();
      resolve(seen.subarray(at + nonce.length + 1));
    };
    channel.stdout.on('data', read);
    void channel.ended.then(({ reason }) => reject(failure(reason)));
  });
}

function notConnected({ host, port }: Endpoint, name: string, reason: string): TaskError {
  const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new TaskError(`${name} does not reach ${where}: ${reason}`, {
    hint: /refused/i.test(reason)
      ? 'nothing listens there: start the service, or correct the address'
      : `check the address as ${name} sees it, and its firewall`,
  });
}

function forbidden(name: string): TaskError {
  return new TaskError(
    `the SSH server of ${name} forwards no TCP streams, and ${name} has no command that carries one`,
    {
      hint: 'allow it (AllowTcpForwarding local), install bash, socat or nc there, or run the task with delegate_to: localhost',
    },
  );
}
