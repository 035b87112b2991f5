/** What a machine wrote to a disk, as the emulator's `blklogwrites` notes it, and the disk as it was in between. */
import { open, readFile } from 'node:fs/promises';

/** One write: bytes of the disk from an offset on. */
interface Write {
  readonly at: number;
  readonly data: Buffer;
}

const DISCARD = 4n;

/** Reads a log, which has whole sectors of this many bytes: one about itself, then one about each write and what it wrote. */
export async function readWrites(file: string, sector = 512): Promise<Write[]> {
  const log = await readFile(file);
  const writes: Write[] = [];
  for (let at = sector; at + sector <= log.length; ) {
    const [where, count, flags] = [0, 8, 16].map((offset) => log.readBigUInt64LE(at + offset));
    const size = flags === DISCARD ? 0 : Number(count) * sector;
    at += sector;
    if (size > 0) writes.push({ at: Number(where) * sector, data: log.subarray(at, at + size) });
    at += size;
  }
  return writes;
}

/** Does writes to the image of a disk again, and looks at it before the first and after each. */
export async function replay<Seen>(
  image: string,
  writes: readonly Write[],
  look: () => Promise<Seen>,
): Promise<Seen[]> {
  const disk = await open(image, 'r+');
  try {
    const seen = [await look()];
    for (const { at, data } of writes) {
      await disk.write(data, 0, data.length, at);
      seen.push(await look());
    }
    return seen;
  } finally {
    await disk.close();
  }
}
