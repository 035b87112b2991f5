/** The `openssh` transport: the ssh command of this machine, one master process per host, channels multiplexed over it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { Channel, OpenOptions, Refusal, Transport } from './channel.ts';
import { childChannel } from './child-channel.ts';
import type { ConnectionSettings, Endpoint } from './connection.ts';
import { Askpass } from './openssh-askpass.ts';
import { opensshFailure } from './openssh-failure.ts';
import { openedStream, streamWords } from './openssh-stream.ts';
import { ConnectFailure } from './ssh-failure.ts';
import { withRetries } from './ssh-journey.ts';
import { debugTrace, traceCommand } from './trace.ts';

/** What the master prints once it is logged in. */
const READY = 'tsprov-ready';

/** What ssh says of itself with `-v`. */
const DEBUG = /^(?:debug\d: |OpenSSH_|Authenticated to )/;

/** Time that the master gets beyond the connect timeout, to log in. */
const LOGIN_MS = 20_000;

/** Connects and logs in. Throws Unreachable with what ssh said and the cure. */
export async function opensshTransport(
  settings: ConnectionSettings,
  signal?: AbortSignal,
): Promise<Transport> {
  const askpass = new Askpass(settings);
  return withRetries(() => login(settings, askpass, signal), settings.retries, signal);
}

/** Logs in, once more for each locked key that ssh meets. */
async function login(
  settings: ConnectionSettings,
  askpass: Askpass,
  signal: AbortSignal | undefined,
): Promise<Transport> {
  for (;;) {
    signal?.throwIfAborted();
    // The path of a socket may have 104 bytes at most.
    const dir = await mkdtemp(join(tmpdir(), 'tsprov-ssh-'));
    try {
      return await startMaster(settings, { dir, askpass }, signal);
    } catch (error) {
      try {
        if (!(error instanceof ConnectFailure)) throw error;
        await askpass.learn(dir, error);
      } finally {
        await rm(dir, { recursive: true, force: true });
      }
    }
  }
}

/** What an attempt uses: a directory of its own, which goes with the connection, and who answers. */
interface Attempt {
  readonly dir: string;
  readonly askpass: Askpass;
}

async function startMaster(
  settings: ConnectionSettings,
  { dir, askpass }: Attempt,
  signal: AbortSignal | undefined,
): Promise<Transport> {
  const answers = {
    SSH_ASKPASS: await askpass.install(dir),
    SSH_ASKPASS_REQUIRE: 'force',
    ...askpass.environment(),
  };
  const ssh = new SshCommand(settings, dir, answers);
  const args = [
    '-N',
    '-T',
    '-o',
    'ControlMaster=yes',
    '-o',
    'PermitLocalCommand=yes',
    '-o',
    `LocalCommand=echo ${READY}`,
    ...(debugTrace(settings.name, settings.trace) === undefined ? [] : ['-vvv']),
  ];
  traceCommand(settings, ssh.words(args));
  const master = ssh.start(args);
  try {
    await ready(master, settings, signal);
    return new OpensshTransport(ssh, master, dir);
  } catch (error) {
    master.kill();
    throw error;
  }
}

/** The ssh command line for one host. */
class SshCommand {
  readonly #settings: ConnectionSettings;
  readonly #dir: string;
  readonly #answers: NodeJS.ProcessEnv;

  constructor(settings: ConnectionSettings, dir: string, answers: NodeJS.ProcessEnv) {
    this.#settings = settings;
    this.#dir = dir;
    this.#answers = answers;
  }

  /** The words of the command line. */
  words(args: readonly string[]): string[] {
    const { sshExecutable = 'ssh', sshArgs, address } = this.#settings;
    // Of an option given twice ssh takes the first.
    const ours = ['-o', `ControlPath=${join(this.#dir, 'c')}`, '-o', 'ControlPersist=no', ...args];
    return [sshExecutable, ...ours, ...sshArgs, ...this.#options(), address];
  }

  /** Starts ssh; `command` is run on the host. */
  start(args: readonly string[], command: readonly string[] = []): ChildProcessWithoutNullStreams {
    const [program = '', ...words] = [...this.words(args), ...command];
    // Without a controlling terminal ssh can ask nobody but our askpass, and Ctrl-C does not reach it.
    return spawn(program, words, { detached: true, stdio: 'pipe', env: this.#environment() });
  }

  #options(): string[] {
    const { port, user, privateKeyFile, hostKeyChecking, connectTimeoutMs, password } =
      this.#settings;
    const checking = {
      strict: [],
      'accept-new': ['StrictHostKeyChecking=accept-new'],
      off: ['StrictHostKeyChecking=no'],
    };
    const methods =
      password === undefined
        ? ['PasswordAuthentication=no', 'KbdInteractiveAuthentication=no']
        : [];
    const options = [
      ...checking[hostKeyChecking],
      ...methods,
      ...(port === undefined ? [] : [`Port=${port}`]),
      ...(user === undefined ? [] : [`User=${user}`]),
      ...(privateKeyFile === undefined ? [] : [`IdentityFile="${privateKeyFile}"`]),
      `ConnectTimeout=${Math.ceil(connectTimeoutMs / 1000)}`,
      'NumberOfPasswordPrompts=1',
      'ServerAliveInterval=15',
      'ServerAliveCountMax=4',
    ];
    return options.flatMap((option) => ['-o', option]);
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      LC_ALL: 'C',
      // ssh before 8.4 asks the helper only where it believes in a display.
      DISPLAY: process.env['DISPLAY'] ?? ':0',
      ...this.#answers,
    };
  }
}

/** Resolves when the master is logged in. */
function ready(
  master: ChildProcessWithoutNullStreams,
  settings: ConnectionSettings,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timeoutMs = settings.connectTimeoutMs + LOGIN_MS;
    const timer = setTimeout(
      () => reject(opensshFailure(settings, 'Operation timed out')),
      timeoutMs,
    );
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    const debug = debugTrace(settings.name, settings.trace);
    createInterface(master.stderr).on('line', (line) => {
      if (debug !== undefined && DEBUG.test(line)) debug(line);
      else said = `${said}${line}\n`.slice(-8000);
    });
    master.stdout.on('data', (chunk: Buffer) => {
      if (!chunk.includes(READY)) return;
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    master.on('error', (error) => reject(opensshFailure(settings, error.message)));
    master.on('close', () => {
      clearTimeout(timer);
      reject(opensshFailure(settings, said.trim()));
    });
  });
}

class OpensshTransport implements Transport {
  readonly #ssh: SshCommand;
  readonly #master: ChildProcessWithoutNullStreams;
  readonly #dir: string;
  readonly #gone: Promise<void>;

  constructor(ssh: SshCommand, master: ChildProcessWithoutNullStreams, dir: string) {
    this.#ssh = ssh;
    this.#master = master;
    this.#dir = dir;
    this.#gone = new Promise((resolve) => master.once('close', () => resolve()));
  }

  async open(command: string, { terminal = false }: OpenOptions = {}): Promise<Channel> {
    const child = this.#ssh.start(
      [terminal ? '-tt' : '-T', '-o', 'ControlMaster=no'],
      ['--', command],
    );
    return childChannel(child, async (code, signal) => {
      // ssh ends with 255 for its own failures, and also when a signal ended the command.
      const lost = signal !== null || (code === 255 && !(await this.#masterAnswers()));
      return { lost, reason: lost ? 'the ssh connection ended' : `exit code ${code}` };
    });
  }

  openStream(to: Endpoint): Promise<Duplex | Refusal> {
    return openedStream(this.#ssh.start(streamWords(to)));
  }

  #masterAnswers(): Promise<boolean> {
    const check = this.#ssh.start(['-O', 'check']);
    return new Promise((resolve) => {
      check.once('error', () => resolve(false));
      check.once('close', (code) => resolve(code === 0));
    });
  }

  async close(): Promise<void> {
    if (this.#master.exitCode === null && this.#master.signalCode === null) {
      this.#master.kill();
      await this.#gone;
    }
    await rm(this.#dir, { recursive: true, force: true });
  }
}
