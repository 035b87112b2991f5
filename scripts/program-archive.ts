/**
 * Packs the scaler as it comes onto nodes: its bundle, the executable and what tells its version, in one archive. The same
 * content gives the same archive, so that its sum says whether a node has it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BLOCK = 512;
const EXECUTABLE = 'bin/tsprov-scaler.js';
const BUNDLE = 'dist/scaler';

/** Writes the archive; the bundle has been built. */
export function packProgram(archive: string): void {
  const bundled = readdirSync(BUNDLE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map(({ parentPath, name }) => join(parentPath, name));
  const files = new Map([
    ['package.json', Buffer.from(ownPackage())],
    ...[EXECUTABLE, 'LICENSE', ...bundled]
      .sort()
      .map((path) => [path, readFileSync(path)] as const),
  ]);
  const members = [...files].flatMap(([path, content]) => member(path, content));
  const tar = Buffer.concat([...members, Buffer.alloc(2 * BLOCK)]);
  writeFileSync(archive, gzipSync(tar, { level: 9 }));
}

/** What Node has to know of the program, and its version. */
function ownPackage(): string {
  const { name, version, license, type, engines } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  return `${JSON.stringify({ name, version, license, type, engines }, undefined, 2)}\n`;
}

/** Header and content of a file as POSIX.1-1988 has them (ustar); it belongs to root and was made at the epoch. */
function member(path: string, content: Buffer): readonly Buffer[] {
  if (Buffer.byteLength(path) > 100) throw new Error(`"${path}" is too long for an archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0);
  header.write(path === EXECUTABLE ? '0000755\0' : '0000644\0', 100);
  header.write('0000000\0'.repeat(2), 108);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(`${'0'.repeat(11)}\0`, 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  header.write('root', 265);
  header.write('root', 297);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc(-content.length & (BLOCK - 1))];
}
