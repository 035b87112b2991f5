import { expect } from 'chai';
import { exponentialBackoff } from '../../../src/kubernetes/backoff.ts';
import { type Result, TerminalError, WorkQueue } from '../../../src/scaler/cluster/work-queue.ts';
import { FakeClock, settle } from '../../support/scaler/fake-clock.ts';

describe('work queue', () => {
  let clock: FakeClock;
  /** What happened, in order. */
  let log: string[];
  /** Ends the run of a key that goes on. */
  let ends: Map<string, (result: Result | Error) => void>;
  let queue: WorkQueue;

  const end = async (key: string, result: Result | Error = {}) => {
    ends.get(key)?.(result);
    await settle();
  };

  const start = (workers = 2) => {
    const reconcile = (key: string) => {
      log.push(`${key} starts`);
      return new Promise<Result>((resolve, reject) => {
        ends.set(key, (result) => (result instanceof Error ? reject(result) : resolve(result)));
      });
    };
    const backoff = exponentialBackoff(100, 1000, () => 0);
    const onError = (key: string, error: unknown) =>
      log.push(`${key}: ${(error as Error).message}`);
    queue = new WorkQueue(reconcile, { workers, backoff, onError, clock });
  };

  beforeEach(() => {
    clock = new FakeClock();
    log = [];
    ends = new Map();
    start();
  });

  it('runs as many keys at once as it has workers, and the others in the order they came', async () => {
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    expect(log).to.deep.equal(['a starts', 'b starts']);
    expect(queue.depth).to.equal(2);
    await end('b');
    await end('a');
    expect(log).to.deep.equal(['a starts', 'b starts', 'c starts', 'd starts']);
  });

  it('never runs a key twice at once, and once more for all that came meanwhile', async () => {
    queue.add('a');
    for (let count = 0; count < 3; count += 1) queue.add('a');
    expect(log).to.deep.equal(['a starts']);
    await end('a');
    await end('a');
    expect(log).to.deep.equal(['a starts', 'a starts']);
  });

  it('lets other keys run while one that waits runs already', async () => {
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(log).to.deep.equal(['a starts', 'b starts']);
  });

  it('comes back when the result says so, and once only', async () => {
    queue.add('a');
    await end('a', { requeueAfterMs: 500 });
    queue.addAfter('a', 800);
    await clock.advance(499);
    expect(log).to.have.length(1);
    await clock.advance(1);
    await end('a');
    await clock.advance(10_000);
    expect(log).to.deep.equal(['a starts', 'a starts']);
  });

  it('runs a key at once that was due later, and not again then', async () => {
    queue.addAfter('a', 500);
    queue.add('a');
    await end('a');
    await clock.advance(1000);
    expect(log).to.deep.equal(['a starts']);
  });

  it('takes the earlier of two times', async () => {
    queue.addAfter('a', 500);
    queue.addAfter('a', 200);
    await clock.advance(200);
    expect(log).to.deep.equal(['a starts']);
  });

  it('waits longer after each failure of a key, up to a limit, and starts anew after a success', async () => {
    const waits: number[] = [];
    queue.add('a');
    for (let failures = 0; failures < 6; failures += 1) {
      await end('a', new Error('no'));
      waits.push(...clock.waits);
      await clock.advance(1000);
    }
    expect(waits).to.deep.equal([50, 100, 200, 400, 500, 500]);
    await end('a');
    queue.add('a');
    await end('a', new Error('no'));
    expect(clock.waits).to.deep.equal([50]);
  });

  it('does not come back by itself after a terminal error', async () => {
    queue.add('a');
    await end('a', new TerminalError('never'));
    await clock.advance(100_000);
    expect(log).to.deep.equal(['a starts', 'a: never']);
  });

  it('forgets a key: its timer, its failures, and what a run that goes on asks for', async () => {
    queue.add('a');
    await end('a', new Error('no'));
    queue.forget('a');
    await clock.advance(10_000);
    queue.add('a');
    queue.forget('a');
    await end('a', { requeueAfterMs: 100 });
    await clock.advance(10_000);
    expect(log).to.deep.equal(['a starts', 'a: no', 'a starts']);
  });

  it('runs a key that was forgotten and asked for again while it ran', async () => {
    queue.add('a');
    queue.forget('a');
    queue.add('a');
    await end('a');
    expect(log).to.deep.equal(['a starts', 'a starts']);
  });

  it('stops when the runs that go on have ended, and starts no other', async () => {
    for (const key of ['a', 'b', 'c']) queue.add(key);
    queue.addAfter('d', 100);
    const stopped = queue.stop().then(() => log.push('stopped'));
    await end('a', { requeueAfterMs: 10 });
    expect(log).not.to.include('stopped');
    await end('b', new Error('aborted'));
    await stopped;
    queue.add('e');
    await clock.advance(10_000);
    expect(log).to.deep.equal(['a starts', 'b starts', 'stopped']);
  });
});
