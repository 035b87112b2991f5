import { expect } from 'chai';
import type { Output, RunOptions } from '../../../src/engine/connection/connection.ts';
import { ReadQueue } from '../../../src/engine/host/read-queue.ts';

const answer = (script: string): Output => ({
  code: 0,
  stdout: Buffer.from(`of ${script}`),
  stderr: Buffer.alloc(0),
});

/** A shell on which the script `endless` goes on until it is ended; tells when it has begun. */
function shell(onEndless: () => void) {
  const frames: string[][] = [];
  const runAll = (scripts: readonly string[], { signal }: RunOptions = {}): Promise<Output[]> => {
    // The first frame begins with a script of the queue's own.
    frames.push(scripts.filter((script) => script.length < 20));
    if (!scripts.includes('endless')) return Promise.resolve(scripts.map(answer));
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      onEndless();
    });
  };
  return { frames, runAll };
}

describe('a read that somebody no longer waits for', () => {
  const gone = new Error('gone');
  const outcome = (asked: Promise<Output>) =>
    asked.then(
      ({ stdout }) => stdout.toString(),
      (error: unknown) => error,
    );

  it('fails with the reason, and those of its frame are asked again', async () => {
    const impatient = new AbortController();
    const host = shell(() => impatient.abort(gone));
    const queue = new ReadQueue(host);
    const [endless, other, unbound] = [
      outcome(queue.run('endless', impatient.signal)),
      outcome(queue.run('other', new AbortController().signal)),
      outcome(queue.run('unbound')),
    ];
    expect(await endless).to.equal(gone);
    expect(await Promise.all([other, unbound])).to.deep.equal(['of other', 'of unbound']);
    expect(host.frames).to.deep.equal([
      ['endless', 'other', 'unbound'],
      ['other', 'unbound'],
    ]);
  });

  it('goes on where somebody else waits for the same', async () => {
    const [impatient, patient] = [new AbortController(), new AbortController()];
    const givers = [() => impatient.abort(new Error('one of two')), () => patient.abort(gone)];
    const host = shell(() => givers.shift()?.());
    const queue = new ReadQueue(host);
    const asked = [queue.run('endless', impatient.signal), queue.run('endless', patient.signal)];
    expect(await Promise.all(asked.map(outcome))).to.deep.equal([gone, gone]);
    expect(host.frames).to.deep.equal([['endless'], ['endless']]);
  });
});
