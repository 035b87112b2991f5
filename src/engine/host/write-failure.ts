import { TaskError } from '../../shared/errors.ts';
import { table } from '../../shared/table.ts';
import type { TextOutput } from '../host-contract.ts';

/** What a write script said about its own end: the stage that failed and that stage's exit code. */
export interface Failure {
  readonly stage: string;
  readonly code: number;
  /** What the tools of the stage printed. */
  readonly stderr: string;
}

/** Finds the line by which a write script with this id reports where it failed. */
export function parseFailure(id: string, { code, stderr }: TextOutput): Failure {
  const at = stderr.lastIndexOf(`\n${id} `);
  if (at === -1) return { stage: 'script', code, stderr: stderr.trim() };
  const [stage = '', stageCode] = stderr
    .slice(at + id.length + 2)
    .trim()
    .split(' ');
  return { stage, code: Number(stageCode), stderr: stderr.slice(0, at).trim() };
}

const SENTENCES: Readonly<Record<string, string>> = table({
  directory: 'it is a directory',
  create: 'its directory takes no new file',
  content: 'its content does not fit or cannot be written',
  truncated: 'its content did not arrive whole',
  owner: 'its owner or group cannot be set',
  mode: 'its mode cannot be set',
  backup: 'the old file cannot be backed up',
  rename: 'the new file cannot take the place of the old one',
});

/** The causes that tools name, found in what they print, with the cure. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, 'make room on the file system'],
  [/Disk quota exceeded/, 'raise the quota, or make room'],
  [/Read-only file system/, 'mount the file system read-write'],
  [/Permission denied|Operation not permitted/, 'become a user who may write there'],
  [/nonexistent|No such file or directory/, 'create the directory first'],
  [/Device or resource busy/, 'set unsafe_writes if the file is a mount point'],
  [/invalid (?:user|group)|unknown user|unknown group/, 'create the user or group first'],
];

/** The error that the operator of the run sees for a write that failed; the old file is untouched. */
export function explainFailure(path: string, failure: Failure, stdout: string): TaskError {
  const { stage, code, stderr } = failure;
  const result = { rc: code, stdout, stderr };
  if (stage === 'validate') {
    return new TaskError(`failed to validate: rc:${code} error:${stderr}`, {
      hint: 'the old file is untouched',
      result: { ...result, exit_status: code },
    });
  }
  const cause = CAUSES.find(([pattern]) => pattern.test(stderr));
  const sentence = SENTENCES[stage] ?? 'the script that writes it ended early';
  const named = cause?.[0].exec(stderr)?.[0] ?? stderr;
  return new TaskError(
    `"${path}" is not written: ${sentence}${named === '' ? '' : ` (${named})`}`,
    {
      ...(cause !== undefined && { hint: cause[1] }),
      result,
    },
  );
}
