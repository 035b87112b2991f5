/** What a module may ask of one host and change on it: states, reads, steps and effects. Modules import it through `module.ts`. */
import type { Duplex } from 'node:stream';
import type { Command } from '../shared/shell.ts';
import type { Value } from './values.ts';

/** What a command printed. Bytes that are not UTF-8 are replaced by U+FFFD. */
export interface TextOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type FileType = 'file' | 'directory' | 'link' | 'fifo' | 'socket' | 'block' | 'char';

/** What is at a path. Sizes in bytes, times in seconds since the epoch, with fraction. */
export interface PathState {
  readonly path: string;
  readonly type: FileType;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly owner: string;
  readonly group: string;
  readonly size: number;
  readonly inode: number;
  readonly device: number;
  readonly links: number;
  readonly atime: number;
  readonly mtime: number;
  readonly ctime: number;
  /** Where a link points, as it is written in the link. */
  readonly target?: string;
  /** Where a followed link leads in the end, through all links. */
  readonly realPath?: string;
  /** Hex digest of a regular file, when it was asked for. */
  readonly checksum?: string;
  /** Content of a regular file, when it was asked for and is at most `PATH_CONTENT_LIMIT_BYTES`. */
  readonly content?: Buffer;
}

export const PATH_CONTENT_LIMIT_BYTES = 16 * 1024 * 1024;

export interface PathQuery {
  /** Look at what a link points to. Default false. */
  readonly follow?: boolean;
  readonly checksum?: 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';
  readonly content?: boolean;
}

export interface UserState {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly comment: string;
  readonly home: string;
  readonly shell: string;
  /** What earlier tasks of a check run would have left of the password; absent where none has. */
  readonly shadow?: {
    /** Of the hash that is set. */
    readonly digest?: string;
    readonly isLocked: boolean;
    readonly isUnlockable: boolean;
    readonly hasShadow: boolean;
    /** In days; `expires` since 1970, undefined is unlimited. */
    readonly ageing: {
      readonly min: number | undefined;
      readonly max: number | undefined;
      readonly warn: number | undefined;
      readonly inactive: number | undefined;
      readonly expires: number | undefined;
    };
  };
}

export interface GroupState {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** A unit as `systemctl show` describes it; all its properties, text as systemd prints it. */
export interface UnitState {
  readonly name: string;
  readonly exists: boolean;
  readonly active: string;
  readonly enabled: string;
  readonly properties: Readonly<Record<string, string>>;
}

/**
 * Reads one host for one task, as the task's user. Never changes anything. Calls made in the same tick
 * travel together in one round trip. In check mode the answers include what earlier tasks would have done.
 */
export interface Reader {
  /** Name of the host in the inventory. */
  readonly name: string;
  /** Whether the host is this machine: its files are the controller's. */
  readonly isLocal?: boolean;
  /** Runs a command that only reads; any exit code is an answer. */
  read(command: Command): Promise<TextOutput>;
  /** What is at a path, or undefined. */
  path(path: string, query?: PathQuery): Promise<PathState | undefined>;
  /** Whether anything is at a path, a link that leads nowhere included. */
  exists(path: string): Promise<boolean>;
  user(nameOrId: string): Promise<UserState | undefined>;
  group(nameOrId: string): Promise<GroupState | undefined>;
  unit(name: string, scope?: 'system' | 'user' | 'global'): Promise<UnitState>;
  /** The facts that `setup` gathers, without prefix. */
  facts(options?: FactOptions): Promise<ReadonlyMap<string, Value>>;
  /**
   * Opens a TCP stream from the host to an address as the host sees it. Throws TaskError with the cure where that is
   * not to be had.
   */
  openStream(to: { readonly host: string; readonly port: number }): Promise<Duplex>;
  /**
   * What an earlier task, with the same user and environment, has read under this name; read now where there is none or
   * something was changed on the host since.
   */
  recall<T>(name: string, read: () => Promise<T>): Promise<T>;
  /**
   * What earlier tasks of a check run would have done to one resource (the last effect of that kind and name), or
   * undefined. `path`, `user`, `group` and `unit` consult it by themselves; other probes ask here.
   */
  predicted<K extends Effect['kind']>(
    kind: K,
    name: string,
  ): Extract<Effect, { kind: K }> | undefined;
  /** Predicted paths below a directory, oldest first, under names that begin with the directory as it is given. */
  predictedBelow(directory: string): readonly Extract<Effect, { kind: 'path' }>[];
  /** Every predicted effect of a kind, oldest first; empty outside check mode. */
  predictedAll<K extends Effect['kind']>(kind: K): readonly Extract<Effect, { kind: K }>[];
}

export interface FactOptions {
  readonly subset?: readonly string[];
  readonly timeoutSeconds?: number;
  readonly factPath?: string;
}

/** Writes to one host for one task. */
export interface Writer extends Reader {
  /** Aborted when the run is interrupted or the task's time is over. */
  readonly signal?: AbortSignal | undefined;
  /** Carries out one step. Throws TaskError with rc, stdout and stderr when it fails. */
  perform(step: Step): Promise<StepOutput>;
  /** Carries out steps in order, up to the first that fails, in as few round trips as it can. */
  performAll?(steps: readonly Step[]): Promise<readonly StepOutput[]>;
  /** Streams a remote file's bytes. Throws TaskError when it cannot be read. */
  download(path: string): AsyncIterable<Buffer>;
}

export interface StepOutput extends TextOutput {
  /** Where the replaced file was kept, when the step asked for a backup. */
  readonly backupFile?: string;
}

/** Content of a file to write. Text and base64 travel in the script, a local file is streamed, a remote one stays there. */
export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly base64: string }
  | {
      readonly kind: 'local';
      readonly file: string;
      readonly sizeBytes: number;
      readonly sha1: string;
    }
  | { readonly kind: 'remote'; readonly path: string; readonly sizeBytes: number };

/** A new content for a file, written atomically: temporary file in the same directory, fsync, rename. */
export interface WriteStep {
  readonly kind: 'write';
  readonly path: string;
  readonly content: Content;
  /** Permission bits; absent keeps those of the file that is replaced, or 0666 less the umask. */
  readonly mode?: number;
  /** Names or ids; absent keeps those of the file that is replaced. */
  readonly owner?: string;
  readonly group?: string;
  /** A file of the host whose ACL and extended attributes it gets, instead of those of the file that is replaced. */
  readonly attributesOf?: string;
  readonly backup?: boolean;
  /** Command with `%s` for the temporary file; a non-zero exit leaves the old file untouched. */
  readonly validate?: string;
  /** Overwrite in place when a rename is impossible (a bind mount, a directory that takes no new file). */
  readonly unsafeWrites?: boolean;
  /**
   * The disk has it when the step ends, and at every moment before then the name leads to the old content or the new one:
   * for a file that is read before its file system is mended, as a boot loader reads it.
   */
  readonly durable?: boolean;
}

export interface RunStep {
  readonly kind: 'run';
  /** In it `$login` is the shell that a bare command of the connection would get: of the account, or `/bin/sh`. */
  readonly command: Command;
  /** Exit codes that are success; default only 0. `any` leaves the judgement to `report`. */
  readonly accept?: readonly number[] | 'any';
  readonly stdin?: string;
  /** Members of the failure's result, and the sentence to show when the step fails. */
  readonly failure?: string;
}

export interface StepMarks {
  /** Planned whatever the state (a restart, a command): not expected to vanish when the plan is made again. */
  readonly always?: boolean;
  /** Housekeeping that Ansible does not count as a change (daemon-reload, apt-mark manual). */
  readonly quiet?: boolean;
}

/** One change of a plan, as plain data that can be stored and shown. */
export type Step = (WriteStep | RunStep) & StepMarks;

/** What a step will have done, so that later tasks of a check run see the host as it would be. */
export type Effect =
  | { readonly kind: 'path'; readonly name: string; readonly state: PathState | undefined }
  /** What is at a path afterwards, and below it, cannot be known. */
  | {
      readonly kind: 'unknown-path';
      readonly name: string;
      /** What it depends on, for `unknown (depends on: …)`. */
      readonly because: string;
      /** Something is there, whatever it is. */
      readonly exists?: boolean;
      /** The path itself is as it was: only what is below it is unknown. */
      readonly below?: boolean;
    }
  | { readonly kind: 'user'; readonly name: string; readonly state: UserState | undefined }
  | { readonly kind: 'group'; readonly name: string; readonly state: GroupState | undefined }
  | {
      readonly kind: 'unit';
      readonly name: string;
      readonly active?: string;
      readonly enabled?: string;
    }
  | {
      readonly kind: 'package';
      readonly name: string;
      readonly installed: boolean;
      readonly version?: string;
      /** False where its services are kept from being started. */
      readonly startsServices?: boolean;
    }
  | { readonly kind: 'sysctl'; readonly name: string; readonly value: string }
  | { readonly kind: 'kernel-module'; readonly name: string; readonly loaded: boolean }
  /** An object of a cluster; `name` says which, and of which cluster. Absent: it is gone. */
  | { readonly kind: 'cluster-object'; readonly name: string; readonly object: object | undefined }
  /**
   * Something not modelled changes; `name` says what, for `unknown (depends on: …)`. `makesFiles`: any file may be there
   * afterwards.
   */
  | { readonly kind: 'other'; readonly name: string; readonly makesFiles?: boolean };

/** What `--diff` shows: two texts, two states, or text made by the tool itself. */
export type Diff =
  | {
      readonly before: string;
      readonly after: string;
      readonly beforeHeader?: string;
      readonly afterHeader?: string;
    }
  | { readonly before: object; readonly after: object }
  | { readonly prepared: string };

/** A step that runs a command. */
export function run(
  command: Command,
  options: Omit<RunStep, 'kind' | 'command'> & StepMarks = {},
): Step {
  return { kind: 'run', command, ...options };
}

/** A step that writes a file. */
export function write(file: Omit<WriteStep, 'kind'> & StepMarks): Step {
  return { kind: 'write', ...file };
}
