import { TaskError } from '../../shared/errors.ts';
import { sh } from '../../shared/shell.ts';
import type { Output, RunOptions, Shell } from '../connection/connection.ts';
import type { Step, StepOutput, TextOutput, Writer } from '../host-contract.ts';
import { type Environment, withEnvironment } from './environment.ts';
import { operand } from './path-script.ts';
import { type HostOptions, HostReader, toText } from './reader.ts';
import { isCutShort, nextGroup, parseGroup, renderGroup } from './step-group.ts';
import { NoBase64, newId, type StepScript } from './step-script.ts';

export interface WriterOptions extends HostOptions {
  /** Limits of every step: timeout, interruption, and who sees the output as it arrives. */
  readonly run?: RunOptions | undefined;
  /** Whether the shell was started by a login of its user: then `$SHELL` is the one of the account. */
  readonly hasLoginShell?: boolean;
}

/** Shells whose host has no `base64`. */
const withoutBase64 = new WeakSet<Shell>();

/** Writes to one host for one task. */
export class HostWriter extends HostReader implements Writer {
  readonly #shell: Shell;
  readonly #environment: Environment;
  readonly #run: RunOptions;
  readonly #login: string;
  #touched = false;

  constructor(options: WriterOptions) {
    super({ ...options, signal: options.run?.signal });
    this.#shell = options.shell;
    this.#environment = options.environment ?? {};
    this.#run = options.run ?? {};
    this.#login = (options.hasLoginShell === true ? sh`\${SHELL:-/bin/sh}` : sh`/bin/sh`).line;
  }

  get signal(): AbortSignal | undefined {
    return this.#run.signal;
  }

  /** Whether a step has been sent to the host: the task can no longer be repeated as if it had not begun. */
  get touched(): boolean {
    return this.#touched;
  }

  async perform(step: Step): Promise<StepOutput> {
    const [output] = await this.performAll([step]);
    if (output === undefined) throw new TaskError('a step ended without an answer');
    return output;
  }

  /**
   * Carries out steps in order, up to the first that fails, in as few round trips as their sizes allow. Throws
   * TaskError with rc, stdout and stderr of the one that fails.
   */
  async performAll(steps: readonly Step[]): Promise<StepOutput[]> {
    const outputs: StepOutput[] = [];
    while (outputs.length < steps.length) {
      const encoding = withoutBase64.has(this.#shell) ? 'octal' : 'base64';
      // Steps travel alone where somebody watches their output.
      const end = this.#run.onOutput === undefined ? steps.length : outputs.length + 1;
      const group = await nextGroup(steps.slice(outputs.length, end), encoding);
      this.#touched = true;
      for (const [i, text] of (await this.#sendGroup(group)).entries()) {
        const output = this.#conclude(group[i], text);
        if (output === undefined) break;
        outputs.push(output);
      }
    }
    return outputs;
  }

  download(path: string): AsyncIterable<Buffer> {
    const script = sh`cat ${operand(path)}`.line;
    return this.#shell.stream(withEnvironment(this.#environment, script), this.#run);
  }

  async #sendGroup(group: readonly StepScript[]): Promise<TextOutput[]> {
    const [first] = group;
    if (first === undefined) return [];
    if (group.length === 1) return [toText(await this.#send(first.text, first.input))];
    const id = newId();
    const output = toText(await this.#send(renderGroup(group, id)));
    const outputs = parseGroup(id, output);
    if (!isCutShort(group, outputs)) return outputs;
    throw new TaskError('a step ended the shell that it ran in', {
      result: { ...output, rc: output.code },
    });
  }

  /** The step's output, or undefined where it has to be sent again because the host has no base64. */
  #conclude(script: StepScript | undefined, text: TextOutput): StepOutput | undefined {
    try {
      return script?.conclude(text);
    } catch (error) {
      if (!(error instanceof NoBase64)) throw error;
      withoutBase64.add(this.#shell);
      return undefined;
    }
  }

  #send(script: string, input?: () => AsyncIterable<Uint8Array>): Promise<Output> {
    // The journal of writes lies in the home of the shell, whatever the task calls its home.
    const text = `home=$HOME login=${this.#login}\n${withEnvironment(this.#environment, script)}`;
    if (input === undefined) return this.#shell.run(text, this.#run);
    return this.#shell.pipe(text, input(), this.#run);
  }
}
