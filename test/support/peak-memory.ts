import { createHash } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { Content } from '../../src/engine/module.ts';

const MEGABYTE = 1024 * 1024;

/** Often enough to see what is held while 100 MB are on their way, and seldom enough not to keep them waiting. */
const LOOK_EVERY_MS = 200;

/** Moves 10 MB and then 100 MB, and expects that the larger one held no more memory than half of the difference. */
export async function expectStreaming(move: (sizeBytes: number) => Promise<void>): Promise<void> {
  // What the first one loads stays.
  await move(10 * MEGABYTE);
  const small = await peakOf(() => move(10 * MEGABYTE));
  const large = await peakOf(() => move(100 * MEGABYTE));
  expect(large - small).to.be.below(45 * MEGABYTE);
}

async function peakOf(work: () => Promise<void>): Promise<number> {
  const collectGarbage = garbageCollector();
  let peak = 0;
  const look = () => {
    // The memory of the process tells when garbage was last collected, and not who holds what.
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    peak = Math.max(peak, heapUsed + external);
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  await work();
  clearInterval(timer);
  look();
  return peak;
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  // It appears in contexts that are made from now on.
  return runInNewContext('gc') as () => void;
}

/** Makes a file of zeros and tells its content, as a module's input does. */
export function zeros(file: string, sizeBytes: number): Content {
  writeFileSync(file, '');
  truncateSync(file, sizeBytes);
  const hash = createHash('sha1');
  const piece = Buffer.alloc(MEGABYTE);
  for (let left = sizeBytes; left > 0; left -= MEGABYTE) hash.update(piece);
  return { kind: 'local', file, sizeBytes, sha1: hash.digest('hex') };
}
