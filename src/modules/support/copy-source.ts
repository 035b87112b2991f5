/** What copy copies: bytes given in the playbook, files and directories of the controller, or of the host itself. */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { bytesContent, type Controller, type KnownContent } from '../../engine/module.ts';
import { toBytes } from '../../shared/raw-bytes.ts';

/** Files up to this size are read whole, so that they can be compared and predicted; larger ones are streamed. */
const WHOLE_LIMIT_BYTES = 256 * 1024;
/** Files of a directory that are read whole together have at most this many bytes. */
const TREE_LIMIT_BYTES = 16 * 1024 * 1024;
const VAULT_HEADER = '$ANSIBLE_VAULT';

export interface SourceEntry {
  /** Path below the source directory; empty for a single file. */
  readonly relative: string;
  readonly type: 'file' | 'directory' | 'link';
  readonly mode: number;
  readonly content?: KnownContent & { readonly md5?: string };
  readonly target?: string;
}

export interface CopySource {
  /** Absolute path, or undefined for bytes given in the playbook. */
  readonly path: string | undefined;
  /** Whether it is on the host itself. */
  readonly isRemote: boolean;
  readonly isTree: boolean;
  readonly entries: readonly SourceEntry[];
}

/** Bytes given in the playbook; a mapping or list becomes JSON as Python writes it. */
export function givenSource(content: unknown): CopySource {
  const bytes = toBytes(contentText(content));
  const entry = { relative: '', type: 'file', mode: 0o644, content: wholeContent(bytes) } as const;
  return { path: undefined, isRemote: false, isTree: false, entries: [entry] };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (typeof content === 'boolean') return content ? 'True' : 'False';
  return content === null || typeof content !== 'object' ? String(content) : pythonJson(content);
}

/** JSON with blanks after `,` and `:` and everything beyond ASCII escaped, as Python writes it. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([k, v]) => `${pythonJson(k)}: ${pythonJson(v)}`);
    return `{${members.join(', ')}}`;
  }
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[\u0080-\uffff]/g, escaped);
}

/** Rendered or given bytes; text where they are text, so that plans can be read. */
export function wholeContent(bytes: Buffer): KnownContent & { readonly md5: string } {
  const known = bytesContent(bytes);
  const md5 = createHash('md5').update(bytes).digest('hex');
  if (!isUtf8(bytes)) return { ...known, md5 };
  return { ...known, md5, content: { kind: 'text', text: bytes.toString() } };
}

interface LocalOptions {
  readonly decrypt: boolean;
  /** Copy what links in a directory point to, instead of the links. */
  readonly followLinks: boolean;
}

/** A file or directory of the controller. Throws TaskError where it is missing. */
export async function localSource(
  controller: Controller,
  src: string,
  options: LocalOptions,
): Promise<CopySource> {
  const path = controller.findFile('files', src.replace(/(.)\/+$/, '$1'));
  if (!isDirectory(path)) {
    const file = { path, relative: '', room: WHOLE_LIMIT_BYTES };
    const entry = await fileEntry(controller, file, options.decrypt);
    return { path, isRemote: false, isTree: false, entries: [entry] };
  }
  const entries: SourceEntry[] = [];
  let room = TREE_LIMIT_BYTES;
  for (const found of walk(path, '', options.followLinks, [])) {
    const file = { path: join(path, found.relative), relative: found.relative, room };
    const entry =
      found.type === 'file' ? await fileEntry(controller, file, options.decrypt) : found;
    room -= entry.content?.bytes?.length ?? 0;
    entries.push(entry);
  }
  return { path, isRemote: false, isTree: true, entries };
}

function isDirectory(path: string): boolean {
  return followed(path)?.isDirectory() === true;
}

/** Everything below a directory, directories before what is in them. */
function* walk(
  top: string,
  relative: string,
  followLinks: boolean,
  above: readonly string[],
): Generator<SourceEntry> {
  const here = [...above, realpathSync(join(top, relative))];
  for (const name of readdirSync(join(top, relative)).sort()) {
    const below = join(relative, name);
    const path = join(top, below);
    const isLink = lstatSync(path).isSymbolicLink();
    const stats = followed(path);
    const mode = (stats?.mode ?? 0o644) & 0o7777;
    // A link to a directory above would lead round and round.
    const isFollowed = followLinks && stats !== undefined && !here.includes(realpathSync(path));
    if (isLink && !isFollowed) {
      yield { relative: below, type: 'link', mode, target: readlinkSync(path) };
    } else if (stats?.isDirectory() === true) {
      yield { relative: below, type: 'directory', mode };
      yield* walk(top, below, followLinks, here);
    } else {
      yield { relative: below, type: 'file', mode };
    }
  }
}

/** What a path leads to; undefined for a link to nowhere or to itself. */
function followed(path: string): Stats | undefined {
  return existsSync(path) ? statSync(path) : undefined;
}

interface LocalFile {
  readonly path: string;
  readonly relative: string;
  /** How many bytes may still be read whole. */
  readonly room: number;
}

async function fileEntry(
  controller: Controller,
  { path, relative, room }: LocalFile,
  decrypt: boolean,
): Promise<SourceEntry> {
  const stats = followed(path);
  const mode = (stats?.mode ?? 0o644) & 0o7777;
  const size = stats?.size ?? 0;
  const isSmall = size <= Math.min(WHOLE_LIMIT_BYTES, room);
  const content =
    isSmall || (decrypt && (await isVault(path)))
      ? wholeContent(controller.readFile(path, { decrypt }))
      : await largeContent(path, size);
  return { relative, type: 'file', mode, content };
}

async function isVault(file: string): Promise<boolean> {
  for await (const chunk of createReadStream(file, { end: VAULT_HEADER.length - 1 })) {
    return String(chunk) === VAULT_HEADER;
  }
  return false;
}

async function largeContent(
  file: string,
  sizeBytes: number,
): Promise<KnownContent & { md5: string }> {
  const [sha, md] = [createHash('sha1'), createHash('md5')];
  for await (const chunk of createReadStream(file)) {
    sha.update(chunk);
    md.update(chunk);
  }
  const sha1 = sha.digest('hex');
  return {
    content: { kind: 'local', file, sizeBytes, sha1 },
    sizeBytes,
    sha1,
    md5: md.digest('hex'),
  };
}
