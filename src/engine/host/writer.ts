import { randomBytes } from 'node:crypto';
import { TaskError } from '../../shared/errors.ts';
import { quote, sh } from '../../shared/shell.ts';
import { splitWords } from '../../shared/shell-words.ts';
import type { Output, RunOptions, Shell } from '../connection/connection.ts';
import type { RunStep, Step, StepOutput, TextOutput, Writer, WriteStep } from '../host-contract.ts';
import { openContent, type Transfer } from './content.ts';
import { type Environment, withEnvironment } from './environment.ts';
import { operand } from './path-script.ts';
import { type HostOptions, HostReader, toText } from './reader.ts';
import { explainFailure, parseFailure } from './write-failure.ts';
import { type Source, type WriteJob, writeScript } from './write-script.ts';

export interface WriterOptions extends HostOptions {
  /** Limits of every step: timeout, interruption, and who sees the output as it arrives. */
  readonly run?: RunOptions | undefined;
}

/** Shells whose host has no `base64`. */
const withoutBase64 = new WeakSet<Shell>();

/** Writes to one host for one task. */
export class HostWriter extends HostReader implements Writer {
  readonly #shell: Shell;
  readonly #environment: Environment;
  readonly #run: RunOptions;
  #touched = false;

  constructor(options: WriterOptions) {
    super(options);
    this.#shell = options.shell;
    this.#environment = options.environment ?? {};
    this.#run = options.run ?? {};
  }

  /** Whether a step has been sent to the host: the task can no longer be repeated as if it had not begun. */
  get touched(): boolean {
    return this.#touched;
  }

  async perform(step: Step): Promise<StepOutput> {
    this.#touched = true;
    return step.kind === 'run' ? await this.#perform(step) : await this.#write(step);
  }

  download(path: string): AsyncIterable<Buffer> {
    const script = sh`cat ${operand(path)}`.line;
    return this.#shell.stream(withEnvironment(this.#environment, script), this.#run);
  }

  async #perform(step: RunStep): Promise<TextOutput> {
    const { command, accept = [0], stdin } = step;
    const script =
      stdin === undefined ? command.line : `printf %s ${quote(stdin)} | {\n${command.line}\n}`;
    const output = toText(await this.#send(script));
    if (accept === 'any' || accept.includes(output.code)) return output;
    throw stepFailure(step, output);
  }

  async #write(step: WriteStep): Promise<StepOutput> {
    const transfer = await openContent(step.content);
    const id = randomBytes(8).toString('hex');
    const source = withoutBase64.has(this.#shell) ? inOctal(transfer.source) : transfer.source;
    const job: WriteJob = { step, source, id, validate: validationWords(step) };
    const output = toText(await this.#transmit(writeScript(job), transfer));
    if (output.code === 0) return written(step, id, output);
    const failure = parseFailure(id, output);
    if (failure.stage !== 'base64') throw explainFailure(step.path, failure, output.stdout);
    withoutBase64.add(this.#shell);
    return await this.#write(step);
  }

  #transmit(script: string, { input }: Transfer): Promise<Output> {
    // The journal of writes lies in the home of the shell, whatever the task calls its home.
    const text = `home=$HOME\n${withEnvironment(this.#environment, script)}`;
    if (input === undefined) return this.#shell.run(text, this.#run);
    return this.#shell.pipe(text, input, this.#run);
  }

  #send(script: string): Promise<Output> {
    return this.#shell.run(withEnvironment(this.#environment, script), this.#run);
  }
}

function inOctal(source: Source): Source {
  return source.kind === 'base64' ? { kind: 'octal', bytes: source.bytes } : source;
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
