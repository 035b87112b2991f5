/** Finding out what a download would do: the host's file, and the least that the server has to be asked. */
import { posix } from 'node:path';
import {
  type AttributeFacts,
  type PathState,
  probeAttributes,
  type Reader,
  TaskError,
} from '../../../engine/module.ts';
import { joinCommands, sh } from '../../../shared/shell.ts';
import { type GetUrlArgs, requestOf } from './args.ts';
import { findChecksum, parseChecksum, type WantedChecksum } from './checksum.ts';
import { type DownloadRequest, httpDate } from './request.ts';
import { type Answer, fetchScript, isSuccess, parseAnswer, printHeaders } from './script.ts';
import { findTool, type Tool } from './tools.ts';

export interface DownloadState {
  readonly tool?: Tool;
  /** The file, in the directory where `dest` is one. */
  readonly path: string;
  readonly isInDirectory: boolean;
  readonly file: PathState | undefined;
  /** Digest of the file by the wanted algorithm. */
  readonly digest?: string;
  readonly checksum?: WantedChecksum;
  readonly parentExists: boolean;
  readonly temporaryExists: boolean;
  readonly facts: AttributeFacts;
  /** Set where the plan is to fetch. */
  readonly isFetched?: boolean;
  /** What the server said; absent where it was not asked. */
  readonly answer?: Answer;
}

/** Reads the host, and the server where the answer depends on it. */
export async function probeDownload(host: Reader, args: GetUrlArgs): Promise<DownloadState> {
  const wanted = parseChecksum(args.checksum);
  const [dest, tool, parent, temporary] = await Promise.all([
    host.path(args.dest, { follow: true }),
    host.read(findTool),
    host.path(posix.dirname(args.dest), { follow: true }),
    args.tmp_dest === undefined ? undefined : host.path(args.tmp_dest, { follow: true }),
  ]);
  const isInDirectory = dest?.type === 'directory' || args.dest.endsWith('/');
  const about = {
    ...(tool.stdout.trim() !== '' && { tool: tool.stdout.trim() as Tool }), // findTool prints no other.
    isInDirectory,
    parentExists: isInDirectory ? dest !== undefined : parent?.type === 'directory',
    temporaryExists: args.tmp_dest === undefined || temporary?.type === 'directory',
  };
  const checksum =
    wanted?.isUrl === true ? await fetchChecksum(host, about.tool, args, wanted) : wanted;
  const answer = isInDirectory ? await ask(host, about.tool, args, {}) : undefined;
  const path = isInDirectory ? posix.join(args.dest, fileName(args.url, answer)) : args.dest;
  const known = {
    ...about,
    path,
    ...(checksum && { checksum }),
    ...(await probeFile(host, path, args, checksum)),
  };
  const reply = answer ?? (await askAbout(host, known, args));
  return { ...known, ...(reply !== undefined && { answer: reply }) };
}

async function probeFile(
  host: Reader,
  path: string,
  args: GetUrlArgs,
  checksum: WantedChecksum | undefined,
): Promise<Pick<DownloadState, 'file' | 'digest' | 'facts'>> {
  const [file, digested, facts] = await Promise.all([
    host.path(path, { follow: true, checksum: 'sha1' }),
    checksum && host.path(path, { follow: true, checksum: checksum.algorithm }),
    probeAttributes(host, path, args),
  ]);
  const digest = digested?.checksum;
  return { file, facts, ...(digest !== undefined && { digest }) };
}

/** The server is asked no more than is needed to know whether the file changes. */
async function askAbout(
  host: Reader,
  { tool, file, digest, checksum }: Omit<DownloadState, 'answer'>,
  args: GetUrlArgs,
): Promise<Answer | undefined> {
  if (checksum !== undefined && digest === checksum.value && !args.force) return undefined;
  const since = file === undefined || checksum !== undefined || args.force ? undefined : file.mtime;
  const glance =
    tool === 'apt-helper' ? undefined : await ask(host, tool, args, { since, method: 'HEAD' });
  if (glance?.status === 304) return glance;
  const isKnownEnough =
    glance !== undefined &&
    isSuccess(glance) &&
    isDecided(glance, file, checksum !== undefined && !args.force);
  return isKnownEnough ? glance : await ask(host, tool, args, { since });
}

/** Whether the headers alone tell that the file changes. */
function isDecided({ headers }: Answer, file: PathState | undefined, differs: boolean): boolean {
  if (file === undefined || differs) return true;
  const length = headers['content-length'];
  return (
    length !== undefined &&
    headers['content-encoding'] === undefined &&
    Number(length) !== file.size
  );
}

async function ask(
  host: Reader,
  tool: Tool | undefined,
  args: GetUrlArgs,
  { since, method = 'GET' }: { since?: number | undefined; method?: 'GET' | 'HEAD' },
): Promise<Answer | undefined> {
  if (tool === undefined) return undefined;
  const request = withDate(requestOf(args, args.url), tool, since);
  const options = {
    method,
    decompress: args.decompress && method === 'GET',
    digests: method === 'GET' ? ['sha1'] : [],
  };
  const script = joinCommands([fetchScript(tool, request, options), printHeaders], '\n');
  return parseAnswer(await host.read(script));
}

function withDate(
  request: DownloadRequest,
  tool: Tool,
  since: number | undefined,
): DownloadRequest {
  if (since === undefined || tool === 'apt-helper' || !request.url.startsWith('http'))
    return request;
  return { ...request, headers: { ...request.headers, 'If-Modified-Since': httpDate(since) } };
}

async function fetchChecksum(
  host: Reader,
  tool: Tool | undefined,
  args: GetUrlArgs,
  wanted: WantedChecksum,
): Promise<WantedChecksum | undefined> {
  if (tool === undefined) return undefined;
  const fetching = fetchScript(tool, requestOf(args, wanted.value), {
    decompress: true,
    digests: [],
  });
  const output = await host.read(
    joinCommands([fetching, printHeaders, sh`echo ==body==; cat "$w/body"`], '\n'),
  );
  const answer = parseAnswer(output);
  const name = fileName(args.url, undefined);
  const text = output.stdout.slice(
    output.stdout.lastIndexOf('\n==body==\n') + '\n==body==\n'.length,
  );
  const value = isSuccess(answer) ? findChecksum(text, name) : undefined;
  if (value !== undefined) return { ...wanted, value };
  throw new TaskError(`Unable to find a checksum for file '${name}' in '${wanted.value}'`, {
    ...(!isSuccess(answer) && { hint: answer.error || `HTTP status ${answer.status}` }),
  });
}

/** The name that the server gives, else the last part of the URL's path. */
function fileName(url: string, answer: Answer | undefined): string {
  const disposition = answer?.headers['content-disposition'] ?? '';
  const [, quoted, plain] = /filename="([^"]*)"|filename=([^;\s]+)/i.exec(disposition) ?? [];
  const given = posix.basename(quoted ?? plain ?? '');
  if (given !== '' && given !== '.' && given !== '..') return given;
  return posix.basename(decodeURIComponent(new URL(url).pathname)) || 'index.html';
}
