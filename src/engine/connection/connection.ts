/** The contract between the engine and a transport: one connected host, reached through persistent shells. */
import type { Duplex } from 'node:stream';

/** What one script left behind. */
export interface Output {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** How to become another user on the host. */
export interface Become {
  readonly method: string;
  readonly user: string;
  readonly password?: string | undefined;
  readonly exe?: string | undefined;
  readonly flags?: string | undefined;
  /** The directory to go to before the program is called. */
  readonly chdir?: string | undefined;
  /** Prompts to answer, without their colon, instead of those that the program is known for. */
  readonly prompts?: readonly string[] | undefined;
}

/** Hears what happens below, as much of it as is asked for with `-v`. */
export interface Trace {
  readonly verbosity: number;
  tell(verbosity: number, text: string): void;
}

/** Everything that decides how a host is reached. Resolved from variables, keywords, options and configuration. */
export interface ConnectionSettings {
  readonly transport: 'ssh' | 'openssh' | 'local';
  /** Name of the host in the inventory, for messages. */
  readonly name: string;
  readonly address: string;
  readonly port?: number | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly privateKeyFile?: string | undefined;
  readonly privateKeyPassphrase?: string | undefined;
  /** `strict` refuses unknown keys, `accept-new` records them, `off` checks nothing. A changed key is refused by both of the first. */
  readonly hostKeyChecking: 'strict' | 'accept-new' | 'off';
  readonly connectTimeoutMs: number;
  /** How often a failed connection attempt is repeated. */
  readonly retries: number;
  /** Extra arguments of the system `ssh` (openssh transport); `-o ProxyJump=`, `-J`, `-o ProxyCommand=`, `-o Port` … are honoured by `ssh` too. */
  readonly sshArgs: readonly string[];
  readonly sshExecutable?: string | undefined;
  /** Where commands on this machine run: the playbook's directory (local transport). */
  readonly directory?: string | undefined;
  /** Shell on the host, `/bin/sh` unless `ansible_shell_executable` says otherwise. */
  readonly shell: string;
  /** Asks the person at the terminal, e.g. for a key's passphrase; undefined where there is no terminal. */
  readonly prompt?: ((question: string) => Promise<string>) | undefined;
  readonly trace?: Trace | undefined;
}

export interface RunOptions {
  /** The script is ended and the shell reopened after this long. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with every piece of output as it arrives. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
}

/** Where a stream leads, as the host sees it. */
export interface Endpoint {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** One persistent remote `sh` of one user. Scripts run one after the other, each in a subshell with stdin from /dev/null. */
export interface Shell {
  /**
   * Runs a script and resolves with what it printed and its exit code. One frame, one round trip.
   * Throws ConnectionLost (an Unreachable that says whether the script may have begun) when the connection is lost,
   * TaskError (`timed out`) after `timeoutMs`, the signal's reason when it is aborted.
   */
  run(script: string, options?: RunOptions): Promise<Output>;
  /**
   * Runs several scripts one after the other as one frame: one round trip for all of them. Each has its own subshell,
   * output and exit code; the options are those of the whole frame. Rejects as `run` does, with nothing of any script.
   */
  runAll(scripts: readonly string[], options?: RunOptions): Promise<Output[]>;
  /**
   * Streams bytes into a script's stdin on a channel of its own (for large content), resolves with its output.
   * To the script a lost connection looks like the end of its input: let it write a temporary file only, and rename
   * that in a later run, when this has resolved.
   */
  pipe(script: string, input: AsyncIterable<Uint8Array>, options?: RunOptions): Promise<Output>;
  /** Streams a script's stdout on a channel of its own, for large downloads. Throws TaskError on a non-zero exit code. */
  stream(script: string, options?: RunOptions): AsyncIterable<Buffer>;
  /**
   * Opens a TCP stream from the host; where its SSH server forwards none, by a command of the login user there.
   * Throws TaskError with the cure where the host does not get there, Unreachable where the host has gone.
   */
  openStream(to: Endpoint): Promise<Duplex>;
}

/** A connected host. Closing it ends every script that still runs on it. */
export interface Connection {
  /** The shell of the login user, or of the user to become; opened at the first call, then kept. */
  shell(become?: Become): Promise<Shell>;
  /** Frames sent so far: the round trips that this connection has cost. */
  readonly frames: number;
  /** Forgets the shells (new groups, new limits); with `reconnect`, the transport too. */
  reset(options?: { readonly reconnect?: boolean }): Promise<void>;
  /**
   * Ends the shells of users to become, other than `except`; each opens again at its next use, with what groups its user
   * has then.
   */
  endBecome(except: Become | undefined): Promise<void>;
  close(): Promise<void>;
}

/** Opens a connection. Throws Unreachable with the reason and its cure. */
export type Connect = (settings: ConnectionSettings, signal?: AbortSignal) => Promise<Connection>;
