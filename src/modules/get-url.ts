import { posix } from 'node:path';
import {
  bytesContent,
  defineModule,
  fileResult,
  type PathState,
  planAttributes,
  planFile,
  type Result,
  resolveAttributes,
  run,
  TaskError,
} from '../engine/module.ts';
import type { Command } from '../shared/shell.ts';
import { type GetUrlArgs, getUrlArgs, requestOf } from './support/download/args.ts';
import { placeScript } from './support/download/place.ts';
import { type DownloadState, probeDownload } from './support/download/probe.ts';
import { type Answer, failureText, isSuccess, parseAnswer } from './support/download/script.ts';

export const getUrl = defineModule<GetUrlArgs, DownloadState>({
  name: 'get_url',
  aliases: ['ansible.builtin.get_url'],
  summary: 'Fetch a file from a web server to the host.',
  args: getUrlArgs,
  requiredBy: { client_key: ['client_cert'] },
  examples: [
    {
      title: 'Fetch a release and check it against its list of sums',
      args: {
        url: 'https://example.org/v1/tool-linux-arm64.tar.gz',
        dest: '/usr/local/src/',
        checksum: 'sha256:https://example.org/v1/SHA256SUMS',
      },
    },
    {
      title: 'Fetch a key once, and again when it is newer',
      args: {
        url: 'https://example.org/key.asc',
        dest: '/etc/apt/keyrings/example.asc',
        mode: '0644',
      },
    },
  ],
  returns: {
    url: 'The URL, without user and password.',
    dest: 'The file.',
    status_code: 'HTTP status.',
    msg: 'What the server said.',
    elapsed: 'Seconds that it took.',
    checksum_src: 'SHA-1 of what was fetched.',
    checksum_dest: 'SHA-1 of the file before.',
    md5sum: 'MD5 of what was fetched.',
    size: 'Size of the file in bytes.',
    backup_file: 'Path of the old file that was kept.',
  },

  probe: probeDownload,

  plan(current, args) {
    refuse(current, args);
    const { file, path, facts, answer } = current;
    const kept = file !== undefined && isUnchanged(current, args);
    if (kept) {
      const { steps, effects, state, diff } = planAttributes(file, facts, {
        path,
        attributes: args,
      });
      return { before: current, after: { ...current, file: state }, steps, effects, diff };
    }
    const content = {
      ...bytesContent(Buffer.alloc(0)),
      sha1: answer?.digests['sha1'] ?? 'not known yet',
    };
    const { steps, state } = planFile(file, facts, { path, attributes: args, content });
    const reached = foreseen(state, current);
    const isSettled = current.checksum !== undefined && !current.isInDirectory && !args.force;
    return {
      before: current,
      after: { ...current, file: reached, isFetched: true },
      steps: [
        run(downloadScript(current, args), {
          always: !isSettled,
          failure: `"${path}" is not written`,
        }),
        ...steps.slice(1),
      ],
      effects: [{ kind: 'path', name: path, state: reached }],
    };
  },

  report(state, args, plan, outputs) {
    const [output] = outputs;
    const done = output !== undefined && plan.after.isFetched ? parseAnswer(output) : undefined;
    const answer = done ?? plan.before.answer;
    const { file, path } = plan.before;
    const reached = state.file ?? plan.after.file;
    const isSame = done?.values['changed'] === 'no';
    return {
      ...{ url: requestOf(args, args.url).url, dest: path, elapsed: answer?.elapsed ?? 0 },
      ...(isSame && { changed: plan.steps.length > 1 }),
      ...{ checksum_dest: file?.checksum ?? null, ...answerResult(answer, args) },
      ...(reached !== undefined && fileResult(sized(reached, done))),
      ...(done?.values['backup'] !== undefined && { backup_file: done.values['backup'] }),
    };
  },
});

function sized(file: PathState, done: Answer | undefined): PathState {
  return done === undefined ? file : { ...file, size: done.sizeBytes };
}

function answerResult(answer: Answer | undefined, args: GetUrlArgs): Result {
  if (answer === undefined) {
    return { msg: 'file already exists', checksum_src: null, checksum_dest: null };
  }
  const { status, digests, reason, sizeBytes, headers } = answer;
  if (status === 304) return { status_code: 304, msg: 'HTTP Error 304: Not Modified' };
  const length = headers['content-length'] ?? (args.url.startsWith('http') ? 'unknown' : sizeBytes);
  return {
    ...{ status_code: status ?? null, msg: `${reason || 'OK'} (${length} bytes)` },
    ...(digests['sha1'] !== undefined && { checksum_src: digests['sha1'] }),
    ...(digests['md5'] !== undefined && { md5sum: digests['md5'] }),
  };
}

/** Throws TaskError where the file cannot be fetched or written. */
function refuse(
  { tool, path, parentExists, temporaryExists, answer }: DownloadState,
  args: GetUrlArgs,
): void {
  if (tool === undefined) {
    throw new TaskError('the host has nothing to fetch files with', {
      hint: 'install curl or wget, or copy the file from this machine with "copy"',
    });
  }
  if (!temporaryExists) throw new TaskError(`${args.tmp_dest} directory does not exist.`);
  if (answer !== undefined && answer.status !== 304 && !isSuccess(answer)) {
    const response = failureText(answer);
    throw new TaskError(`Request failed: ${response}`, {
      result: {
        ...(answer.status && { status_code: answer.status }),
        response,
        url: args.url,
        dest: path,
      },
    });
  }
  if (!parentExists) {
    throw new TaskError(`Destination ${posix.dirname(path)} does not exist`, {
      hint: 'create the directory first',
    });
  }
}

function isUnchanged(state: DownloadState, { force }: GetUrlArgs): boolean {
  const { file, digest, checksum, answer } = state;
  if (checksum !== undefined && digest !== checksum.value) return false;
  if (answer === undefined) return checksum !== undefined && !force;
  return answer.status === 304 || answer.digests['sha1'] === file?.checksum;
}

/** The file as later tasks of a check run see it: with what is known of it already. */
function foreseen(state: PathState, { answer, checksum }: DownloadState): PathState {
  const { content: _unknown, checksum: _made, ...rest } = state;
  const size =
    answer?.digests['sha1'] === undefined
      ? Number(answer?.headers['content-length'] ?? 0)
      : answer.sizeBytes;
  const digest = answer?.digests['sha1'] ?? checksum?.value;
  return { ...rest, size, ...(digest !== undefined && { checksum: digest }) };
}

function downloadScript(current: DownloadState, args: GetUrlArgs): Command {
  const { tool = 'curl', path, file, checksum, facts } = current;
  return placeScript(tool, requestOf(args, args.url), {
    ...{ path, file, checksum, maker: facts.maker },
    reached: resolveAttributes('file', file, args, facts),
    temporaryDirectory: args.tmp_dest,
    ...{ decompress: args.decompress, backup: args.backup, unsafeWrites: args.unsafe_writes },
  });
}
