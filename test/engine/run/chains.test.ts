import { expect } from 'chai';
import fc from 'fast-check';
import { faultsHere, fileStories } from '../../support/chains/play-files.ts';
import { serve, sourceWorld } from '../../support/chains/source-world.ts';
import type { World } from '../../support/play-here.ts';

/** Always the same in CI; others, more, or those of a failure again: `CHAINS=1000 CHAIN_SEED=42`. */
const COUNT = Number(process.env['CHAINS'] ?? 6);
const SEED = Number(process.env['CHAIN_SEED'] ?? (process.env['CI'] ? 14 : Date.now() % 2 ** 31));
const LENGTH = 8;
/** Where the machine is busy, fewer will do. */
const LONGEST_MS = 60_000;

describe(`a random chain of tasks about files (seed ${SEED})`, () => {
  let world: World;
  let server: Awaited<ReturnType<typeof serve>>;

  before(async () => {
    world = sourceWorld();
    server = await serve(world);
  });
  after(async () => {
    await server.close();
    world.remove();
  });

  it('does what a check run says', async () => {
    const property = fc.asyncProperty(fileStories(LENGTH), async (story) => {
      expect(await faultsHere(story, world, server.url)).to.deep.equal([]);
    });
    const limits = { numRuns: COUNT, interruptAfterTimeLimit: LONGEST_MS };
    await fc.assert(property, { ...limits, seed: SEED, includeErrorInReport: true });
  });
});
