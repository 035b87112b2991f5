/** TCP streams over the master of the ssh command (`ssh -W`). */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { Refusal } from './channel.ts';
import { joinChannel } from './channel-stream.ts';
import { childChannel } from './child-channel.ts';
import type { Endpoint } from './connection.ts';

/** The words that make ssh carry a stream, and say on stderr when the master has opened it. */
export function streamWords({ host, port }: Endpoint): string[] {
  const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return ['-v', '-T', '-o', 'ControlMaster=no', '-W', where];
}

/** What ssh says with `-v` when the stream is open. */
const OPEN = /master session id/;

/** The stream of an ssh that was started so. Of one that is refused ssh does not tell whether it is forbidden. */
export async function openedStream(
  child: ChildProcessWithoutNullStreams,
): Promise<Duplex | Refusal> {
  const channel = childChannel(child);
  const refusal = await new Promise<Refusal | undefined>((resolve) => {
    let said = '';
    channel.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-8000);
      if (OPEN.test(said)) resolve(undefined);
    });
    void channel.ended.then(() => {
      resolve({ reason: said.trim().split('\n').at(-1) ?? '', isForbidden: true });
    });
  });
  return refusal ?? joinChannel(channel, Buffer.alloc(0), () => undefined);
}
