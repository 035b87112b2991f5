/** Finding out what unpacking an archive would change. */
import { posix } from 'node:path';
import {
  type AttributeFacts,
  type PathState,
  probeAttributes,
  type Reader,
  TaskError,
  UnknownState,
} from '../../../engine/module.ts';
import { sh } from '../../../shared/shell.ts';
import { isUrl } from '../apt/command.ts';
import { findTool, type Tool } from '../download/tools.ts';
import { isRemote, type UnarchiveArgs } from './args.ts';
import { differences, type Terms } from './difference.ts';

import type { ArchiveEntry, Handler } from './entry.ts';
import { withPredicted } from './foreseen-listing.ts';
import { type Listing, listingScript, parseListing, printNames } from './listing.ts';
import type { LocalArchive } from './local.ts';
import { compareScript, type Source } from './script.ts';
import { type Chosen, chooseEntries } from './selection.ts';

export interface UnarchiveInput {
  readonly args: UnarchiveArgs;
  readonly archive?: LocalArchive;
}

export interface UnarchiveState {
  readonly dest: PathState | undefined;
  /** Where a relative destination leads to. */
  readonly resolved?: string;
  /** What `creates` names is there. */
  readonly isCreated: boolean;
  readonly facts: AttributeFacts;
  readonly handler?: Handler;
  readonly source?: Source;
  /** Names as the archive writes them. */
  readonly names: readonly string[];
  /** Paths below the destination. */
  readonly paths: readonly string[];
  /** What the archive says of them, where it lies on the controller. */
  readonly entries?: readonly ArchiveEntry[];
  /** Directories of those paths that neither the archive nor the host has, topmost first. */
  readonly missing: readonly string[];
  /** The archive would have been brought by an earlier task of a check run: what is in it is not known. */
  readonly isForeseen?: boolean;
  /** What is not yet as the archive has it. */
  readonly differences: readonly string[];
}

/** Reads the host; an archive of the controller has been read already. Throws TaskError. */
export async function probeUnarchive(
  host: Reader,
  { args, archive }: UnarchiveInput,
): Promise<UnarchiveState> {
  const [dest, created, facts, tool, here] = await Promise.all([
    host.path(args.dest, { follow: true }),
    args.creates === undefined ? undefined : host.path(args.creates),
    probeAttributes(host, args.dest, args),
    isRemote(args) && isUrl(args.src) ? host.read(findTool) : undefined,
    posix.isAbsolute(args.dest) ? undefined : host.read(sh`pwd`),
  ]);
  const known = {
    dest,
    ...(here !== undefined && { resolved: posix.resolve(here.stdout.trimEnd(), args.dest) }),
    isCreated: created !== undefined,
    facts,
    names: [],
    paths: [],
    missing: [],
    differences: [],
  };
  if (known.isCreated || dest?.type !== 'directory') return known;
  if (archive !== undefined) {
    const compared = await compareLocal(host, args, archive, facts);
    return { ...known, ...compared, missing: await missingOf(host, args, compared) };
  }
  const source = sourceOf(args, tool?.stdout.trim());
  if (await isForeseen(host, args)) {
    return { ...known, source, isForeseen: true, differences: [`${args.src}: not there yet`] };
  }
  const compared = await compareRemote(host, args, source, facts);
  refuseStale(host, args, compared);
  return { ...known, source, ...compared, missing: await missingOf(host, args, compared) };
}

/** Whether an earlier task of a check run would have brought the archive: then nobody knows what is in it. */
async function isForeseen(host: Reader, { src }: UnarchiveArgs): Promise<boolean> {
  if (isUrl(src) || src.startsWith('~')) return false;
  if (host.predicted('unknown-path', src)?.exists === true) return await host.exists(src);
  return host.predicted('path', src)?.state !== undefined;
}

/** The host has compared the archive with what is really there, not with what earlier tasks would have changed. */
function refuseStale(host: Reader, { dest }: UnarchiveArgs, { paths }: Comparison): void {
  const changed = host.predictedBelow(dest).map(({ name }) => posix.relative(dest, name));
  if (changed.some((each) => paths.includes(each))) throw new UnknownState(`what is in ${dest}`);
}

async function missingOf(
  host: Reader,
  { dest }: UnarchiveArgs,
  { paths, differences: found }: Comparison,
): Promise<string[]> {
  if (found.length === 0) return [];
  const implied = [...new Set(paths.flatMap(directoriesOf))].filter(
    (each) => !paths.includes(each),
  );
  const there = await Promise.all(implied.map((each) => host.exists(posix.join(dest, each))));
  return implied.filter((_, i) => there[i] === false);
}

/** The directories of a relative path, topmost first. */
function directoriesOf(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === '.' || parent === '/' ? [] : [...directoriesOf(parent), parent];
}

function sourceOf(
  { src, validate_certs: validateCerts }: UnarchiveArgs,
  tool: string | undefined,
): Source {
  if (!isUrl(src)) return { path: src };
  if (tool) return { url: src, tool: tool as Tool, validateCerts }; // findTool prints no other.
  throw new TaskError('the host has nothing to fetch files with', {
    hint: 'install curl or wget on the host',
  });
}

type Comparison = Pick<UnarchiveState, 'handler' | 'names' | 'paths' | 'entries' | 'differences'>;

async function compareLocal(
  host: Reader,
  args: UnarchiveArgs,
  { handler, entries }: LocalArchive,
  facts: AttributeFacts,
): Promise<Comparison> {
  const { include, exclude, extra_opts: extraOptions } = args;
  const chosen = chooseEntries(entries, handler, { include, exclude, extraOptions });
  const paths = chosen.map(({ path }) => path);
  const listing = await list(host, args.dest, paths);
  const terms = termsOf(args, facts, handler);
  return {
    handler,
    names: chosen.map(({ entry }) => entry.name),
    paths,
    entries: chosen.map(({ entry }) => entry),
    differences: differences(chosen, listing, terms),
  };
}

async function list(host: Reader, dest: string, paths: readonly string[]): Promise<Listing> {
  const names = printNames(paths.filter((path) => !path.includes('\n')));
  const { stdout } = await host.read(listingScript(dest, names));
  return withPredicted(parseListing(stdout), dest, host.predictedBelow(dest));
}

async function compareRemote(
  host: Reader,
  args: UnarchiveArgs,
  source: Source,
  facts: AttributeFacts,
): Promise<Comparison> {
  const isPath = !isUrl(args.src) && !args.src.startsWith('~');
  if (isPath && (await host.path(args.src, { follow: true })) === undefined) {
    throw new TaskError(`Source '${args.src}' does not exist`);
  }
  const output = await host.read(compareScript(source, args));
  const [head = '', rest = ''] = output.stdout.split(/^==(?:names|tree)==\n/m);
  const handler = /^kind=(\w+)/m.exec(head)?.[1] as Handler | undefined; // The script prints no other.
  if (output.code !== 0 || handler === undefined) throw unreadable(args.src, output);
  const terms = termsOf(args, facts, handler);
  return output.stdout.includes('\n==tree==\n')
    ? { handler, ...compareTrees(rest, terms) }
    : { handler, ...readTarDiff(rest, terms) };
}

function unreadable(src: string, { code, stderr }: { code: number; stderr: string }): TaskError {
  const said = stderr.trim().split('\n').at(-1) ?? '';
  const message = code === 7 ? `"${src}" cannot be read as an archive: ${said}` : said;
  return new TaskError(message || `"${src}" cannot be read`, { result: { rc: code, stderr } });
}

function compareTrees(text: string, terms: Terms): Omit<Comparison, 'handler'> {
  const [tree = '', there = ''] = text.split(/^==there==\n/m);
  const wanted = Object.entries(parseListing(tree)).filter(([path]) => path !== '.');
  const chosen = wanted.map(([path, { mtime, ...state }]): Chosen => {
    const name = state.type === 'directory' ? `${path}/` : path;
    const entry: ArchiveEntry = { ...state, name, ...(!terms.isZip && { mtime }) };
    return { entry, path };
  });
  return {
    names: chosen.map(({ entry }) => entry.name),
    paths: chosen.map(({ path }) => path),
    differences: differences(chosen, parseListing(there), terms),
  };
}

/** Lines of `tar --diff`; owners and modes count only for root, who alone can set them as the archive has them. */
function readTarDiff(text: string, { isRoot }: Terms): Omit<Comparison, 'handler'> {
  const [listed = '', compared = ''] = text.split(/^==diff==\n/m);
  const names = listed.split('\n').filter((line) => line !== '');
  const lines = compared.split('\n').filter((line) => line !== '');
  const relevant = lines.filter((line) => isRoot || !/: (?:Uid|Gid|Mode) differs$/.test(line));
  return {
    names,
    paths: names.map((name) => name.replace(/^(?:\.?\/)+|\/+$/g, '')),
    differences: relevant,
  };
}

function termsOf(args: UnarchiveArgs, facts: AttributeFacts, handler: Handler): Terms {
  return {
    keepNewer: args.keep_newer,
    mode: args.mode,
    owner: facts.owner?.id,
    group: facts.group?.id,
    isRoot: facts.maker.uid === 0,
    umask: facts.umask,
    isZip: handler === 'ZipArchive',
    options: args.extra_opts,
  };
}
