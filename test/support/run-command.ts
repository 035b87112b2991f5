import { spawn } from 'node:child_process';

/** What a finished command left behind. `code` is 128 + n after signal n, 127 where the program is missing. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** The command is killed after this long. */
  readonly timeoutMs?: number;
}

/** Runs a program without a shell and resolves when it has ended, whatever its exit code. */
export function runCommand(
  file: string,
  args: readonly string[],
  { cwd, env, input, timeoutMs }: CommandOptions = {},
): Promise<CommandResult> {
  const child = spawn(file, args, {
    cwd,
    env: env ?? process.env,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that ends without reading its input closes the pipe: not an error of the test.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString();
  return new Promise((resolve) => {
    child.on('error', (error) =>
      resolve({ code: 127, stdout: text(stdout), stderr: String(error) }),
    );
    child.on('close', (code) =>
      resolve({ code: code ?? 128, stdout: text(stdout), stderr: text(stderr) }),
    );
  });
}

/** Runs a program and gives its stdout. Throws with its stderr on any other exit code than 0. */
export async function mustRun(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(file, args, options);
  if (code !== 0) {
    throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${tail(stderr || stdout)}`);
  }
  return stdout;
}

function tail(text: string): string {
  return text.trim().slice(-2000);
}
