/** Bringing a file of a release to this machine, proved by its SHA-256. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TaskError } from '../../../engine/module.ts';
import { makeDirectories } from '../../../shared/make-directories.ts';
import { findChecksum } from '../download/checksum.ts';
import type { ReleaseArgs } from './args.ts';
import type { Obtained, ReleaseMemory } from './memory.ts';
import { localFile, localPlaces, mirrored, redacted } from './place.ts';
import { fetchFile, fetchText } from './request.ts';

/** A file of a release for one architecture. */
export interface Artifact {
  /** Name of the component. */
  readonly name: string;
  readonly version: string;
  readonly asset: string;
  /** Where upstream has it; what the lock file and messages say. */
  readonly url: string;
  /** Where to ask instead, if not the mirror of upstream's place. */
  readonly otherUrl: string | undefined;
  /** Upstream's list of sums. */
  readonly sumsUrl: string | undefined;
  /** What its content has to be, where that is known. */
  readonly sha256: string | undefined;
  /** Where that comes from. */
  readonly trust: 'given' | 'locked' | 'published' | 'first use';
}

/** Finds the file in the local directory or in the cache, or fetches it; once in a run. Throws TaskError. */
export function obtain(
  artifact: Artifact,
  args: ReleaseArgs,
  { obtained }: ReleaseMemory,
): Promise<Obtained> {
  const key = [artifact.url, artifact.sha256, args.files_dir, args.cache_dir].join('\n');
  const known = obtained.get(key);
  if (known !== undefined) return known;
  const result = obtained.set(key, bring(artifact, args));
  // What failed for one host may be tried for the next.
  result.catch(() => obtained.delete(key));
  return result;
}

async function bring(artifact: Artifact, args: ReleaseArgs): Promise<Obtained> {
  const sha256 = artifact.sha256 ?? (await publishedSum(artifact, args));
  if (args.files_dir !== undefined) return fromDirectory(artifact, args.files_dir, sha256);
  const cache = join(cacheDir(args), 'releases');
  if (sha256 !== undefined) {
    const file = join(cache, sha256, artifact.asset.replaceAll('/', '_'));
    if (existsSync(file) && (await digestOf(file)) === sha256) return { file, sha256 };
  }
  return download(artifact, args, { cache, sha256 });
}

/** The user's cache by the rules of XDG. */
function cacheDir({ cache_dir: given }: ReleaseArgs): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return given ?? join(base, 'tsprov');
}

async function fromDirectory(
  { url, asset }: Artifact,
  directory: string,
  sha256: string | undefined,
): Promise<Obtained> {
  const file = localFile(directory, url);
  if (file === undefined) {
    throw new TaskError(`"${directory}" has no ${asset}`, {
      hint: `put it there as ${localPlaces(directory, url).join(' or as ')}`,
    });
  }
  const digest = await digestOf(file);
  expectDigest(file, digest, sha256);
  return { file, sha256: digest };
}

async function download(
  artifact: Artifact,
  args: ReleaseArgs,
  { cache, sha256 }: { cache: string; sha256: string | undefined },
): Promise<Obtained> {
  const from = artifact.otherUrl ?? mirrored(artifact.url, args);
  const unfinished = join(cache, `unfinished-${randomUUID()}`);
  makeDirectories(cache);
  try {
    const digest = await fetchFile(from, unfinished);
    expectDigest(redacted(from), digest, sha256);
    const file = join(cache, digest, artifact.asset.replaceAll('/', '_'));
    makeDirectories(join(cache, digest));
    await rename(unfinished, file);
    return { file, sha256: digest };
  } finally {
    await rm(unfinished, { force: true });
  }
}

function expectDigest(what: string, digest: string, wanted: string | undefined): void {
  if (wanted === undefined || digest === wanted) return;
  throw new TaskError(`${what} has the SHA-256 ${digest}, and ${wanted} is wanted`, {
    hint: 'the download is damaged, or someone has replaced the file; nothing is installed',
  });
}

/** What upstream's list of sums says; undefined where there is no list. */
async function publishedSum(
  { sumsUrl, asset }: Artifact,
  args: ReleaseArgs,
): Promise<string | undefined> {
  if (sumsUrl === undefined) return undefined;
  const text =
    args.files_dir === undefined
      ? await fetchText(mirrored(sumsUrl, args))
      : localText(args.files_dir, sumsUrl);
  const sum = findChecksum(text, asset);
  if (sum !== undefined && /^[0-9a-f]{64}$/.test(sum)) return sum;
  throw new TaskError(`${redacted(sumsUrl)} has no SHA-256 of ${asset}`);
}

function localText(directory: string, url: string): string {
  const file = localFile(directory, url);
  if (file !== undefined) return readFileSync(file, 'utf8');
  throw new TaskError(`"${directory}" has no list of sums`, {
    hint: `put it there as ${localPlaces(directory, url).join(' or as ')}, or give \`checksums\``,
  });
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer); // It has no encoding.
  return hash.digest('hex');
}
