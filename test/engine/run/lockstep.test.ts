import { expect } from 'chai';
import fc from 'fast-check';
import { comparePaths, Lockstep } from '../../../src/engine/run/lockstep.ts';
import type { Path } from '../../../src/engine/run/pace.ts';

/** What a member does: the steps of the play that it takes; it leaves after the last. */
type Way = readonly number[];

interface Turn {
  readonly step: number;
  readonly members: readonly number[];
}

const STEPS = 12;
const ways = fc.array(fc.subarray(Array.from({ length: STEPS }, (_, i) => i)), {
  minLength: 1,
  maxLength: 8,
});
/** How long a member dawdles before each of its steps, in turns of the event loop. */
const delays = fc.array(fc.nat(3), { minLength: 1, maxLength: 20 });

async function walk(all: readonly Way[], pauses: readonly number[]): Promise<Turn[]> {
  const turns: Turn[] = [];
  let running = false;
  let count = 0;
  const lockstep = new Lockstep<number, number, string>(all.length, async (step, members) => {
    expect(running, 'two turns at once').to.equal(false);
    running = true;
    turns.push({ step, members: [...members].sort((a, b) => a - b) });
    await dawdle(pauses[turns.length % pauses.length] ?? 0);
    running = false;
    return new Map(members.map((member) => [member, `${member}:${step}`]));
  });
  await Promise.all(
    all.map(async (way, member) => {
      for (const step of way) {
        await dawdle(pauses[count++ % pauses.length] ?? 0);
        expect(await lockstep.arrive(member, [step], step)).to.equal(`${member}:${step}`);
      }
      lockstep.leave();
    }),
  );
  return turns;
}

async function dawdle(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((done) => setImmediate(done));
}

describe('hosts in lockstep', () => {
  it('take each step once, together, in the order of the play, however fast each is', async () => {
    await fc.assert(
      fc.asyncProperty(ways, delays, async (all, pauses) => {
        const expected = Array.from({ length: STEPS }, (_, step) => ({
          step,
          members: all.flatMap((way, member) => (way.includes(step) ? [member] : [])),
        })).filter(({ members }) => members.length > 0);
        expect(await walk(all, pauses)).to.deep.equal(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('all hear of a turn that breaks', async () => {
    const lockstep = new Lockstep<string, string, string>(2, async () => {
      throw new Error('broken');
    });
    const ends = await Promise.allSettled(
      ['a', 'b'].map((host) => lockstep.arrive(host, [0], 'x')),
    );
    expect(ends.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
  });

  const path = fc.array(fc.nat(5), { maxLength: 4 });
  it('stand in one order: paths compare as numbers do', () => {
    fc.assert(
      fc.property(path, path, path, (a: Path, b: Path, c: Path) => {
        expect(Math.sign(comparePaths(a, b))).to.equal(-Math.sign(comparePaths(b, a)) + 0);
        expect(comparePaths(a, a)).to.equal(0);
        if (comparePaths(a, b) <= 0 && comparePaths(b, c) <= 0)
          expect(comparePaths(a, c)).to.be.at.most(0);
      }),
    );
  });
});
