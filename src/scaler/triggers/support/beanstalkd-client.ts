/** The one command of beanstalkd's protocol that is needed. */
import { connect, type Socket } from 'node:net';
import type { Address } from './host-and-port.ts';
import { askSource } from './source.ts';

export interface BeanstalkdServer extends Address {
  /** For the connection, and for silence after it. */
  readonly timeoutMs: number;
}

const MOST_CHARACTERS = 65_536;

/** The numbers of a tube by their names; undefined where there is no such tube. @throws {Error} */
export async function readTubeStatistics(
  { host, port, timeoutMs }: BeanstalkdServer,
  tube: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  const source = { label: `beanstalkd at ${host}:${port}`, secrets: [] };
  const socket = connect({ host, port });
  try {
    const work = () => ask(socket, `stats-tube ${tube}\r\n`, timeoutMs);
    return parseStatistics(await askSource(source, work, signal, () => socket.destroy()));
  } finally {
    socket.destroy();
  }
}

function ask(socket: Socket, command: string, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('latin1'); // One character is one byte, as the protocol counts.
    socket.setTimeout(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs} ms`)));
    socket.on('connect', () => socket.write(command));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('it ended the connection before its answer')));
    socket.on('data', (piece: string) => {
      text += piece;
      try {
        const answer = takeAnswer(text);
        if (answer !== undefined) resolve(answer.body);
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** `OK <bytes>`, then the bytes; or `NOT_FOUND`. Undefined while it is not complete. */
function takeAnswer(text: string): { readonly body: string | undefined } | undefined {
  if (text.length > MOST_CHARACTERS) throw new Error('its answer is too long');
  const end = text.indexOf('\r\n');
  if (end < 0) return undefined;
  const line = text.slice(0, end);
  if (line === 'NOT_FOUND') return { body: undefined };
  const [, size] = /^OK (\d+)$/.exec(line) ?? [];
  if (size === undefined) throw new Error(`it answers "${line.slice(0, 80)}"`);
  const body = text.slice(end + 2, end + 2 + Number(size));
  return body.length === Number(size) ? { body } : undefined;
}

function parseStatistics(body: string | undefined): ReadonlyMap<string, number> | undefined {
  if (body === undefined) return undefined;
  const pairs = [...body.matchAll(/^([\w-]+): (\d+)\s*$/gm)];
  return new Map(pairs.map(([, name = '', count]) => [name, Number(count)]));
}
