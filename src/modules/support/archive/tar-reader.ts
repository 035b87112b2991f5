/** Reads the entries of a tar archive: ustar, GNU and pax. */
import { createHash } from 'node:crypto';
import { table } from '../../../shared/table.ts';
import type { ArchiveEntry } from './entry.ts';

const BLOCK_BYTES = 512;
const HEAD_BYTES = 20;
const TYPES: Readonly<Record<string, ArchiveEntry['type']>> = table({
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hard',
  '2': 'link',
  '5': 'directory',
});

/** Members that a pax header or a GNU long name gives to the entry that follows. */
type Overrides = Readonly<Record<string, string>>;

/** The entries of an unpacked tar archive, with the digests of files; closes it. Throws Error where it is none. */
export async function readTar(bytes: AsyncIterable<Buffer>): Promise<ArchiveEntry[]> {
  const source = new ByteSource(bytes);
  try {
    return await readEntries(source);
  } finally {
    // What follows the end mark of an archive is not read.
    await source.close();
  }
}

async function readEntries(source: ByteSource): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (let entry = await readEntry(source, {}); entry; entry = await readEntry(source, {})) {
    entries.push(entry);
  }
  if (entries.length === 0 && !source.hasBegun) throw new Error('it ends before its first entry');
  return entries;
}

/** The next entry, its extended headers applied; undefined at the end. */
async function readEntry(
  source: ByteSource,
  overrides: Overrides,
): Promise<ArchiveEntry | undefined> {
  const block = await source.take(BLOCK_BYTES);
  if (block.length < BLOCK_BYTES || block.every((byte) => byte === 0)) return undefined;
  source.hasBegun = true;
  const header = parseHeader(block);
  const type = String.fromCharCode(block[156] ?? 0);
  if ('xgLK'.includes(type)) {
    const text = (await source.takePadded(header.size)).toString();
    const more = type === 'g' ? {} : readOverrides(type, text);
    return await readEntry(source, { ...overrides, ...more });
  }
  const size = Number(overrides['size'] ?? header.size);
  const hash = createHash('sha1');
  let head: Buffer = Buffer.alloc(0);
  await source.drain(size, (piece) => {
    hash.update(piece);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, piece.subarray(0, HEAD_BYTES)]);
  });
  const entry = withOverrides({ ...header, size, type: TYPES[type] ?? 'other' }, overrides);
  if (entry.type !== 'file') return entry;
  return {
    ...entry,
    sha1: hash.digest('hex'),
    head: head.subarray(0, HEAD_BYTES).toString('hex'),
  };
}

function parseHeader(block: Buffer): ArchiveEntry {
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (sum !== number(block, 148, 8)) throw new Error('it is not a tar archive');
  const isUstar = block.toString('latin1', 257, 262) === 'ustar';
  const prefix = isUstar && block[262] === 0 ? text(block, 345, 155) : '';
  const name = text(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: 'file',
    mode: number(block, 100, 8) & 0o7777,
    uid: number(block, 108, 8),
    gid: number(block, 116, 8),
    size: number(block, 124, 12),
    mtime: number(block, 136, 12),
    target: text(block, 157, 100),
    ...(isUstar && { owner: text(block, 265, 32), group: text(block, 297, 32) }),
  };
}

function text(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString('utf8', at, end === -1 || end > at + length ? at + length : end);
}

/** Octal text, or a big-endian number whose first bit is set. */
function number(block: Buffer, at: number, length: number): number {
  const first = block[at] ?? 0;
  if (first < 0x80) return Number.parseInt(text(block, at, length).trim() || '0', 8);
  const rest = block.subarray(at + 1, at + length);
  return rest.reduce((value, byte) => value * 256 + byte, first & 0x7f);
}

function readOverrides(type: string, value: string): Overrides {
  if (type === 'L') return { path: value.replace(/\0.*$/s, '') };
  if (type === 'K') return { linkpath: value.replace(/\0.*$/s, '') };
  const records: Record<string, string> = {};
  for (let rest = Buffer.from(value); rest.length > 0; ) {
    const length = Number.parseInt(rest.toString('latin1', 0, 20), 10);
    if (!(length > 0)) break;
    const [, key = '', content = ''] =
      /^\d+ ([^=]*)=(.*)\n$/s.exec(rest.toString('utf8', 0, length)) ?? [];
    records[key] = content;
    rest = rest.subarray(length);
  }
  return records;
}

function withOverrides(entry: ArchiveEntry, overrides: Overrides): ArchiveEntry {
  const { path, linkpath, mtime, uid, gid, uname, gname } = overrides;
  return {
    ...entry,
    name: path ?? entry.name,
    target: linkpath ?? entry.target,
    mtime: mtime === undefined ? entry.mtime : Math.floor(Number(mtime)),
    uid: uid === undefined ? entry.uid : Number(uid),
    gid: gid === undefined ? entry.gid : Number(gid),
    owner: uname ?? entry.owner,
    group: gname ?? entry.group,
  };
}

/** Takes exact numbers of bytes from a stream of pieces. */
class ByteSource {
  hasBegun = false;
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#pieces = bytes[Symbol.asyncIterator]();
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  /** So many bytes, or what is left at the end. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    await this.#each(length, (piece) => parts.push(piece));
    return Buffer.concat(parts);
  }

  async takePadded(length: number): Promise<Buffer> {
    const taken = await this.take(length);
    await this.take(padding(length));
    return taken;
  }

  /** Passes the bytes of one entry on, and skips those that fill its last block. */
  async drain(length: number, use: (piece: Buffer) => void): Promise<void> {
    await this.#each(length, use);
    await this.take(padding(length));
  }

  async #each(length: number, use: (piece: Buffer) => void): Promise<void> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#pieces.next();
        if (next.done === true) return;
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      use(piece);
    }
  }
}

const padding = (length: number) => (BLOCK_BYTES - (length % BLOCK_BYTES)) % BLOCK_BYTES;
