/** Reads the entries of a zip archive from its central directory. */
import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { ArchiveEntry } from './entry.ts';

const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const ENTRY_BYTES = 46;
const LINK = 0o120000;
const DIRECTORY = 0o040000;
const KIND = 0o170000;

/** The entries of a zip archive, with the digests of files. Throws Error where it is none, or is encrypted. */
export function readZip(bytes: Buffer): ArchiveEntry[] {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1 || end < bytes.length - END_BYTES - LONGEST_COMMENT) {
    throw new Error('it is not a zip archive');
  }
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) throw new Error('zip64 archives cannot be read here');
  return Array.from({ length: count }, () => {
    const { entry, next } = readEntry(bytes, at);
    at = next;
    return entry;
  });
}

function readEntry(bytes: Buffer, at: number): { entry: ArchiveEntry; next: number } {
  if (bytes.readUInt32LE(at) !== 0x02014b50) throw new Error('its directory is damaged');
  const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
  const [nameLength = 0, extraLength = 0, commentLength = 0] = lengths;
  const flags = bytes.readUInt16LE(at + 8);
  if ((flags & 1) !== 0) throw new Error('it is encrypted');
  const isUnix = bytes[at + 5] === 3;
  const bits = isUnix ? bytes.readUInt16LE(at + 40) : 0;
  const encoding = (flags & 0x800) !== 0 || isUnix ? 'utf8' : 'latin1';
  const name = bytes.toString(encoding, at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength);
  const type = typeOf(name, bits & KIND);
  const content = type === 'directory' ? Buffer.alloc(0) : contentOf(bytes, at);
  return {
    entry: {
      ...{ name, type, size: bytes.readUInt32LE(at + 24) },
      ...(bits !== 0 && { mode: bits & 0o7777 }),
      ...(type === 'link' && { target: content.toString() }),
      ...(type === 'file' && { sha1: createHash('sha1').update(content).digest('hex') }),
    },
    next: at + ENTRY_BYTES + nameLength + extraLength + commentLength,
  };
}

function typeOf(name: string, kind: number): ArchiveEntry['type'] {
  if (name.endsWith('/') || kind === DIRECTORY) return 'directory';
  return kind === LINK ? 'link' : 'file';
}

function contentOf(bytes: Buffer, at: number): Buffer {
  const method = bytes.readUInt16LE(at + 10);
  const header = bytes.readUInt32LE(at + 42);
  const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
  const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
  if (method === 0) return packed;
  if (method === 8) return inflateRawSync(packed);
  throw new Error(`it uses compression method ${method}`);
}
