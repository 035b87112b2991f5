import { StringDecoder } from 'node:string_decoder';
import { ApiError } from '../../kubernetes/api-error.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';

/** One thing that happened, as the API server tells it. A bookmark has nothing but a resource version. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubeObject;
}

/** A line of a watch that is no event: the stream cannot be trusted any more. */
export class GarbledStream extends Error {
  override readonly name = 'GarbledStream';
}

const TYPES = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

/**
 * The events of a watch, one for each line. A last line without an end was cut off and is dropped: it will come again.
 * @throws {ApiError} where the server ends the watch with an error.
 * @throws {GarbledStream}
 */
export async function* readWatchEvents(stream: AsyncIterable<Buffer>): AsyncGenerator<WatchEvent> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() !== '') yield parseEvent(line);
    }
  }
}

function parseEvent(line: string): WatchEvent {
  const { type, object } = parseLine(line);
  if (type === 'ERROR')
    throw ApiError.of('WATCH', codeOf(object), JSON.stringify(object), undefined);
  const metadata = (object as KubeObject | undefined)?.metadata;
  if (!TYPES.has(type) || typeof metadata !== 'object' || metadata === null) throw garbled(line);
  return { type, object } as WatchEvent;
}

function parseLine(line: string): { type: string; object: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null)
      return value as { type: string; object: unknown };
  } catch {
    // Told below, as a value of the wrong shape is.
  }
  throw garbled(line);
}

function garbled(line: string): GarbledStream {
  return new GarbledStream(`a watch sent what is no event: ${line.slice(0, 100)}`);
}

function codeOf(status: unknown): number {
  return Number((status as { code?: unknown } | null)?.code ?? 500);
}
