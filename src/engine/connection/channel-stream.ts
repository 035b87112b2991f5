/** A channel's input and output as one stream. */
import { Duplex } from 'node:stream';
import type { Channel, ChannelEnd } from './channel.ts';

/**
 * Joins them; the stream ends with the channel's output.
 * @param first What was read of the output already.
 * @param failure The error that the end of the channel means, undefined where it means none.
 */
export function joinChannel(
  channel: Channel,
  first: Buffer,
  failure: (end: ChannelEnd) => Error | undefined,
): Duplex {
  const { stdin, stdout } = channel;
  const stream = new Duplex({
    read: () => stdout.resume(),
    write: (chunk, _encoding, done) => stdin.write(chunk, () => done()),
    final: (done) => stdin.end(() => done()),
    destroy: (error, done) => {
      channel.destroy();
      done(error);
    },
  });
  if (first.length > 0) stream.push(first);
  stdout.on('data', (chunk: Buffer) => {
    if (!stream.push(chunk)) stdout.pause();
  });
  // Its reason may come after the end of the output.
  void channel.ended.then((end) => {
    const error = failure(end);
    if (error === undefined) stream.push(null);
    else stream.destroy(error);
  });
  return stream;
}
