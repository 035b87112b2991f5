/** Steps as scripts: what is sent for each, and what its answer means. */
import { randomBytes } from 'node:crypto';
import { TaskError } from '../../shared/errors.ts';
import { quote } from '../../shared/shell.ts';
import { splitWords } from '../../shared/shell-words.ts';
import type { RunStep, Step, StepOutput, TextOutput, WriteStep } from '../host-contract.ts';
import { openContent } from './content.ts';
import { explainFailure, parseFailure } from './write-failure.ts';
import { type Source, writeScript } from './write-script.ts';

const ID_BYTES = 8;

export interface StepScript {
  readonly text: string;
  /** Opens what is streamed into it. */
  readonly input?: () => AsyncIterable<Uint8Array>;
  /** Exit codes that are success. */
  readonly accept: readonly number[] | 'any';
  /** The step's output. Throws TaskError where it failed, NoBase64 where the host lacks the tool. */
  conclude(output: TextOutput): StepOutput;
}

/** The host has no `base64`; the step has changed nothing and can be sent again with octal content. */
export class NoBase64 extends Error {
  override readonly name = 'NoBase64';
}

/** Prepares a step. Throws TaskError where its local content cannot be read. */
export async function prepareStep(step: Step, encoding: 'base64' | 'octal'): Promise<StepScript> {
  return step.kind === 'run' ? prepareRun(step) : await prepareWrite(step, encoding);
}

function prepareRun(step: RunStep): StepScript {
  const { command, accept = [0], stdin } = step;
  return {
    text: stdin === undefined ? command.line : `printf %s ${quote(stdin)} | {\n${command.line}\n}`,
    accept,
    conclude(output) {
      if (accept === 'any' || accept.includes(output.code)) return output;
      throw stepFailure(step, output);
    },
  };
}

async function prepareWrite(step: WriteStep, encoding: 'base64' | 'octal'): Promise<StepScript> {
  const { source, input } = await openContent(step.content);
  const id = newId();
  const validate = validationWords(step);
  return {
    text: writeScript({ step, source: encoded(source, encoding), id, validate }),
    ...(input !== undefined && { input }),
    accept: [0],
    conclude(output) {
      if (output.code === 0) return written(step, id, output);
      const failure = parseFailure(id, output);
      if (failure.stage === 'base64') throw new NoBase64();
      throw explainFailure(step.path, failure, output.stdout);
    },
  };
}

/** A word that no output holds by chance. */
export function newId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

function encoded(source: Source, encoding: 'base64' | 'octal'): Source {
  const isInline = source.kind === 'base64' || source.kind === 'octal';
  return isInline ? { kind: encoding, bytes: source.bytes } : source;
}

function validationWords({ validate }: WriteStep): string[] {
  if (validate === undefined) return [];
  if (validate.includes('%s')) return splitWords(validate);
  throw new TaskError(`validate must contain %s: ${validate}`, {
    hint: '%s stands for the temporary file',
  });
}

function written(step: WriteStep, id: string, { code, stdout, stderr }: TextOutput): StepOutput {
  const at = step.backup === true ? stdout.lastIndexOf(`\n${id} `) : -1;
  if (at === -1) return { code, stdout, stderr };
  const suffix = stdout.slice(at + id.length + 2).trimEnd();
  return { code, stdout: stdout.slice(0, at), stderr, backupFile: step.path + suffix };
}

function stepFailure({ command, failure }: RunStep, output: TextOutput): TaskError {
  const { code, stdout, stderr } = output;
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-2).join('\n');
  const message = failure ?? `a command ended with exit code ${code}`;
  return new TaskError(said ? `${message}: ${said}` : message, {
    result: { rc: code, stdout, stderr, cmd: command.line },
  });
}
