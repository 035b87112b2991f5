import { expect } from 'chai';
import { keepStreaming } from '../../../../src/scaler/triggers/support/keep-streaming.ts';

/** Streams that break (false), or end well (true), one after the other; gives the waits between them. */
async function waitsOf(streams: readonly boolean[]): Promise<readonly number[]> {
  const waits: number[] = [];
  const watching = new AbortController();
  let opened = 0;
  await keepStreaming({
    open: async function* () {
      opened += 1;
      yield opened;
      if (!streams[opened - 1]) throw new Error('broken');
    },
    onMessage: () => {},
    signal: watching.signal,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      if (opened === streams.length) watching.abort();
    },
  });
  return waits;
}

describe('keepStreaming', () => {
  it('waits twice as long each time, up to a minute', async () => {
    const waits = await waitsOf(Array.from({ length: 7 }, () => false));
    expect(waits).to.deep.equal([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('begins anew after an end without failure', async () => {
    expect(await waitsOf([false, false, true, true, false, false])).to.deep.equal([
      2000, 4000, 2000, 2000, 2000, 4000,
    ]);
  });

  it('ends at a failure that is final', async () => {
    let opened = 0;
    await keepStreaming({
      // biome-ignore lint/correctness/useYield: a stream that fails before its first message.
      open: async function* () {
        opened += 1;
        throw new Error('unknown');
      },
      onMessage: () => {},
      isFinal: () => true,
      signal: new AbortController().signal,
    });
    expect(opened).to.equal(1);
  });
});
