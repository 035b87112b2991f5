/** Archives that lie on the controller. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Content, type Controller, TaskError } from '../../../engine/module.ts';
import { type ArchiveEntry, type Handler, handlerOf, UNPACKERS } from './entry.ts';
import { readTar } from './tar-reader.ts';
import { readZip } from './zip-reader.ts';

/** An archive that has been read. */
export interface LocalArchive {
  readonly file: string;
  readonly handler: Handler;
  readonly entries: readonly ArchiveEntry[];
  readonly content: Content;
}

const VAULT = '$ANSIBLE_VAULT;';

/** Reads an archive along the search path; one encrypted with vault is decrypted. Throws TaskError. */
export async function readLocalArchive(
  controller: Controller,
  src: string,
  { decrypt }: { readonly decrypt: boolean },
): Promise<LocalArchive> {
  const file = controller.findFile('files', src);
  const first = await firstBytes(file);
  if (first.length === 0) throw new TaskError(`Invalid archive '${file}', the file is 0 bytes`);
  if (decrypt && first.toString('latin1').startsWith(VAULT)) {
    const bytes = controller.readFile(file);
    const content: Content = { kind: 'base64', base64: bytes.toString('base64') };
    return await readArchive(file, bytes, content);
  }
  return await readOnce(file, first);
}

/** Reads an archive of this machine. Throws TaskError. */
export async function readArchiveFile(file: string): Promise<LocalArchive> {
  return await readOnce(file, await firstBytes(file));
}

/** Archives that were read, by name and state of the file: many hosts want the same one. */
const known = new Map<string, Promise<LocalArchive>>();

async function readOnce(file: string, first: Buffer): Promise<LocalArchive> {
  const { mtimeMs, size } = await stat(file);
  const key = [file, mtimeMs, size].join('\n');
  const reading =
    known.get(key) ?? localContent(file).then((content) => readArchive(file, first, content));
  known.set(key, reading);
  return await reading;
}

async function readArchive(file: string, bytes: Buffer, content: Content): Promise<LocalArchive> {
  const handler = handlerOf(bytes);
  const whole = content.kind === 'local' ? undefined : bytes;
  try {
    const entries =
      handler === 'ZipArchive'
        ? readZip(whole ?? (await readFile(file)))
        : await readTar(
            unpacked(
              whole === undefined ? createReadStream(file) : Readable.from([whole]),
              handler,
            ),
          );
    return { file, handler, entries, content };
  } catch (cause) {
    if (cause instanceof TaskError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError(`"${file}" cannot be read as an archive: ${reason}`, {
      cause,
      hint: 'give a zip archive, or a tar archive as it is or packed by gzip, bzip2, xz or zstd',
    });
  }
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** A file of this machine as content. */
export async function localContent(file: string): Promise<Content> {
  const hash = createHash('sha1');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer); // It has no encoding.
  return { kind: 'local', file, sizeBytes: (await stat(file)).size, sha1: hash.digest('hex') };
}

function unpacked(source: Readable, handler: Handler): AsyncIterable<Buffer> {
  const program = UNPACKERS[handler];
  if (program === undefined) return source;
  // An error of either reaches whoever reads, and both are closed together.
  if (program === 'gzip') return pipeline(source, createGunzip(), () => {});
  return spawned(source, program);
}

async function* spawned(source: Readable, program: string): AsyncIterable<Buffer> {
  const child = spawn(program, ['-dc'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<number | Error>((resolve) => {
    child.on('error', resolve).on('close', (code) => resolve(code ?? 1));
  });
  // The program may end before it has read all: the exit code tells.
  child.stdin.on('error', () => {});
  source.pipe(child.stdin);
  try {
    yield* child.stdout as AsyncIterable<Buffer>; // It has no encoding.
  } finally {
    source.destroy();
    child.kill();
  }
  const outcome = await ended;
  if (outcome instanceof Error) {
    throw new TaskError(`this machine has no ${program} to look into the archive`, {
      hint: `install ${program} here, or copy the archive to the host and set "remote_src: true"`,
      cause: outcome,
    });
  }
  if (outcome !== 0) throw new Error(`${program} cannot unpack it`);
}
