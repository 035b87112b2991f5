/** known_hosts files as sshd(8) describes them: which keys a host may show, and recording new ones. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectories } from '../../shared/make-directories.ts';

/** A host key as it travels: the blob begins with its own type. */
export interface HostKey {
  readonly type: string;
  readonly blob: Buffer;
}

/** Where a host is, as known_hosts names it. */
export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** A line of a known_hosts file. */
export interface KnownHost {
  readonly file: string;
  readonly line: number;
  readonly marker: 'revoked' | 'cert-authority' | undefined;
  /** Comma-separated patterns, or one hashed name. */
  readonly names: string;
  readonly key: HostKey;
}

/** What the files say about a key that a host shows. */
export type Verdict =
  | { readonly is: 'known' }
  /** `authority` is set where only a certificate authority vouches for the host. */
  | { readonly is: 'unknown'; readonly authority?: KnownHost | undefined }
  | { readonly is: 'changed' | 'revoked'; readonly entry: KnownHost };

/** Lines of known_hosts text. Lines that say nothing to us are passed over, as ssh does. */
export function parseKnownHosts(text: string, file: string): KnownHost[] {
  return text.split('\n').flatMap((line, i) => parseLine(line.trim(), file, i + 1) ?? []);
}

function parseLine(text: string, file: string, line: number): KnownHost | undefined {
  if (text === '' || text.startsWith('#')) return undefined;
  const words = text.split(/\s+/);
  const marker = words[0]?.startsWith('@') ? words.shift()?.slice(1) : undefined;
  if (marker !== undefined && marker !== 'revoked' && marker !== 'cert-authority') return undefined;
  const [names, , base64] = words;
  if (names === undefined || base64 === undefined) return undefined;
  const blob = Buffer.from(base64, 'base64');
  return blob.length < 8 ? undefined : { file, line, marker, names, key: readHostKey(blob) };
}

/** Reads several files, in order. Files that do not exist have no lines. */
export async function readKnownHosts(files: readonly string[]): Promise<KnownHost[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.flatMap((text, i) => parseKnownHosts(text, files[i] ?? ''));
}

/** The key in a blob. */
export function readHostKey(blob: Buffer): HostKey {
  const length = blob.length < 4 ? 0 : blob.readUInt32BE(0);
  return { type: blob.toString('latin1', 4, Math.min(4 + length, blob.length)), blob };
}

/** `SHA256:…` as ssh-keygen prints it. */
export function fingerprint({ blob }: HostKey): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** The name of an address in known_hosts: `host`, or `[host]:port` for a port other than 22. */
export function knownName({ host, port }: HostAddress): string {
  return port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
}

/** Plain keys on record for an address, to be asked for first. */
export function keysOf(entries: readonly KnownHost[], address: HostAddress): KnownHost[] {
  const named = plainEntries(entries, knownName(address));
  return named.length > 0 ? named : plainEntries(entries, address.host.toLowerCase());
}

/**
 * Judges a key. A key of a type that is not on record counts as changed where the host has others on record:
 * ssh asks for the recorded types first, so an honest host would have shown one of them.
 */
export function judge(entries: readonly KnownHost[], address: HostAddress, key: HostKey): Verdict {
  const name = knownName(address);
  const revoked = entries.find(
    (entry) => entry.marker === 'revoked' && sameKey(entry.key, key) && matches(entry, name),
  );
  if (revoked !== undefined) return { is: 'revoked', entry: revoked };
  const named = plainEntries(entries, name);
  const portless = plainEntries(entries, address.host.toLowerCase());
  if ([...named, ...portless].some((entry) => sameKey(entry.key, key))) return { is: 'known' };
  const entry = named.find((each) => each.key.type === key.type) ?? named[0];
  if (entry !== undefined) return { is: 'changed', entry };
  return {
    is: 'unknown',
    authority: entries.find((each) => each.marker === 'cert-authority' && matches(each, name)),
  };
}

function plainEntries(entries: readonly KnownHost[], name: string): KnownHost[] {
  return entries.filter((entry) => entry.marker === undefined && matches(entry, name));
}

function sameKey(a: HostKey, b: HostKey): boolean {
  return a.blob.equals(b.blob);
}

function matches({ names }: KnownHost, name: string): boolean {
  return names.startsWith('|')
    ? matchesHash(names, name)
    : matchesPatterns(names.toLowerCase().split(','), name);
}

function matchesHash(text: string, name: string): boolean {
  const [, version, salt = '', hash = ''] = text.split('|');
  const wanted = Buffer.from(hash, 'base64');
  const found = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest();
  return version === '1' && wanted.length === found.length && timingSafeEqual(wanted, found);
}

/** True when a pattern fits and no negated one does; `*` and `?` are wildcards. */
export function matchesPatterns(patterns: readonly string[], name: string): boolean {
  if (patterns.some((pattern) => pattern.startsWith('!') && fits(pattern.slice(1), name)))
    return false;
  return patterns.some((pattern) => !pattern.startsWith('!') && fits(pattern, name));
}

function fits(pattern: string, name: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}

/** Records a key at the end of a file, which is made where it does not exist. With `hashed` the name is not readable. */
export async function recordHostKey(
  file: string,
  address: HostAddress,
  key: HostKey,
  { hashed = false } = {},
): Promise<void> {
  const name = hashed ? hashName(knownName(address)) : knownName(address);
  makeDirectories(dirname(file), 0o700);
  const text = await readFile(file, 'utf8').catch(() => '');
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  await appendFile(file, `${gap}${name} ${key.type} ${key.blob.toString('base64')}\n`, {
    mode: 0o600,
  });
}

function hashName(name: string): string {
  const salt = randomBytes(20);
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}
