import { expect } from 'chai';
import { persist } from '../../../../src/scaler/triggers/support/persist.ts';

describe('persist', () => {
  /** The waits between attempts; the signal aborts once they are as many as outcomes. */
  const waitsOf = async (outcomes: readonly ('fails' | 'ends' | 'progresses')[]) => {
    const stop = new AbortController();
    const waits: number[] = [];
    let attempt = 0;
    await persist(
      async (onProgress) => {
        const outcome = outcomes[attempt++];
        if (outcome === 'progresses') onProgress();
        if (outcome === 'fails') throw new Error('it fails');
      },
      {
        firstWaitMs: 2,
        mostWaitMs: 10,
        signal: stop.signal,
        async wait(ms) {
          waits.push(ms);
          if (waits.length === outcomes.length) stop.abort();
        },
      },
    );
    expect(attempt).to.equal(outcomes.length);
    return waits;
  };

  it('waits longer after each attempt, whether it failed or ended, up to the longest', async () => {
    expect(await waitsOf(['fails', 'ends', 'fails', 'fails', 'fails'])).to.deep.equal([
      2, 4, 8, 10, 10,
    ]);
  });

  it('waits as at first after progress', async () => {
    expect(await waitsOf(['fails', 'fails', 'progresses', 'fails'])).to.deep.equal([2, 4, 2, 4]);
  });

  it('ends while it waits once it is told to', async () => {
    const stop = new AbortController();
    const work = async () => stop.abort();
    await persist(work, { firstWaitMs: 1e9, mostWaitMs: 1e9, signal: stop.signal });
  });
});
