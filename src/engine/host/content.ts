import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { TaskError } from '../../shared/errors.ts';
import type { Content } from '../host-contract.ts';
import type { Source } from './write-script.ts';

/** Content up to this size travels inside the script, in one round trip; larger content is streamed. */
const INLINE_LIMIT_BYTES = 256 * 1024;

/** How a content travels: as part of the script, or through its stdin. */
export interface Transfer {
  readonly source: Source;
  /** Opens what is streamed. */
  readonly input?: () => AsyncIterable<Uint8Array>;
}

/** Decides how a content travels. Throws TaskError when a local file cannot be read. */
export async function openContent(content: Content): Promise<Transfer> {
  if (content.kind === 'local' && content.sizeBytes > INLINE_LIMIT_BYTES) {
    const { file, sizeBytes, sha1 } = content;
    return { source: { kind: 'stdin', sizeBytes, sha1 }, input: () => bytesOf(file) };
  }
  if (content.kind === 'remote') return { source: { kind: 'remote', path: content.path } };
  const bytes = await readBytes(content);
  if (bytes.length <= INLINE_LIMIT_BYTES) return { source: { kind: 'base64', bytes } };
  return {
    source: { kind: 'stdin', sizeBytes: bytes.length },
    input: () => Readable.from([bytes]),
  };
}

/** Opens the file only when somebody reads, who also closes it. */
async function* bytesOf(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file) as AsyncIterable<Buffer>; // It has no encoding.
}

async function readBytes(content: Exclude<Content, { kind: 'remote' }>): Promise<Buffer> {
  switch (content.kind) {
    case 'text':
      return Buffer.from(content.text);
    case 'base64':
      return Buffer.from(content.base64, 'base64');
    case 'local':
      return await readFile(content.file).catch((cause: unknown) => {
        throw new TaskError(`local file "${content.file}" cannot be read: ${String(cause)}`, {
          cause,
        });
      });
  }
}
