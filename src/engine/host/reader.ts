import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Duplex } from 'node:stream';
import { TaskError, UnknownState } from '../../shared/errors.ts';
import { type Command, sh } from '../../shared/shell.ts';
import type { Endpoint, Output, Shell } from '../connection/connection.ts';
import {
  type Effect,
  type FactOptions,
  type GroupState,
  PATH_CONTENT_LIMIT_BYTES,
  type PathQuery,
  type PathState,
  type Reader,
  type TextOutput,
  type UnitState,
  type UserState,
} from '../host-contract.ts';
import type { Value } from '../values.ts';
import { type Environment, withEnvironment } from './environment.ts';
import { isLikelyDirectory, isLikelyFile } from './likely-package.ts';
import { linksScript, parseLinks } from './links-script.ts';
import { normalizePath } from './normalize-path.ts';
import { parseGroup, parseUser } from './parse-account.ts';
import { parsePath } from './parse-path.ts';
import { parseUnit } from './parse-unit.ts';
import { pathScript } from './path-script.ts';
import { PredictedState } from './predicted.ts';
import { type ReadQueue, readQueueOf } from './read-queue.ts';
import { DEBIAN_MARK, unitScript } from './unit-script.ts';

/** Gathers facts by reads of one host. */
export type GatherFacts = (
  read: (command: Command) => Promise<TextOutput>,
  options?: FactOptions,
) => Promise<ReadonlyMap<string, Value>>;

/** What was read before, by names. */
export interface Memory {
  recall<T>(name: string, read: () => Promise<T>): Promise<T>;
}

export interface HostOptions {
  /** Name of the host in the inventory. */
  readonly name: string;
  readonly isLocal?: boolean | undefined;
  /** The shell of the task's user. */
  readonly shell: Shell;
  readonly environment?: Environment | undefined;
  /** What earlier tasks have read; without it everything is read anew. */
  readonly memory?: Memory | undefined;
  /** In a check run: what earlier tasks would have done to this host. */
  readonly predicted?: PredictedState | undefined;
  readonly gatherFacts: GatherFacts;
  /** Until when an answer is waited for. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads one host for one task; all reads of a tick, of all tasks, share a frame. */
export class HostReader implements Reader {
  readonly name: string;
  readonly isLocal: boolean;
  readonly #shell: Pick<Shell, 'openStream'>;
  readonly #memory: Memory | undefined;
  readonly #queue: ReadQueue;
  readonly #environment: Environment;
  readonly #predicted: PredictedState;
  readonly #foresees: boolean;
  readonly #gatherFacts: GatherFacts;
  readonly #signal: AbortSignal | undefined;

  constructor(options: HostOptions) {
    const {
      name,
      isLocal = false,
      shell,
      environment = {},
      memory,
      predicted,
      gatherFacts,
      signal,
    } = options;
    this.name = name;
    this.isLocal = isLocal;
    this.#shell = shell;
    this.#memory = memory;
    this.#queue = readQueueOf(shell);
    this.#environment = environment;
    this.#predicted = predicted ?? new PredictedState();
    this.#foresees = predicted !== undefined;
    this.#gatherFacts = gatherFacts;
    this.#signal = signal;
  }

  async read(command: Command): Promise<TextOutput> {
    return toText(await this.#run(command.line));
  }

  async path(path: string, query: PathQuery = {}): Promise<PathState | undefined> {
    const answer = this.#predicted.path(path, query.follow === true);
    const name = { path, ...(answer.isFollowed && { realPath: answer.path }) };
    if (answer.known) {
      return answer.state && { ...(await this.#complete(answer.state, query)), ...name };
    }
    if (answer.unknown) throw new UnknownState(answer.unknown.because);
    const isRedirected = answer.path !== normalizePath(path);
    const at = isRedirected ? answer.path : path;
    const [real, links] = await Promise.all([this.#probePath(at, query), this.#linksTo(at)]);
    // What earlier tasks would have done may lie behind links that were not known until now.
    if (this.#predicted.learn(links)) return await this.path(path, query);
    if (real !== undefined) return { ...name, ...real, path };
    await this.#refuseGuess(path);
    return undefined;
  }

  async exists(path: string): Promise<boolean> {
    const answer = this.#predicted.path(path, false);
    if (!answer.known && answer.unknown?.exists === true) return true;
    return (await this.path(path)) !== undefined;
  }

  async user(nameOrId: string): Promise<UserState | undefined> {
    const { stdout } = await this.read(accountScript('passwd', nameOrId));
    return this.#predicted.user(nameOrId, parseUser(nameOrId, stdout));
  }

  async group(nameOrId: string): Promise<GroupState | undefined> {
    const { stdout } = await this.read(accountScript('group', nameOrId));
    return this.#predicted.group(nameOrId, parseGroup(nameOrId, stdout));
  }

  async unit(name: string, scope: 'system' | 'user' | 'global' = 'system'): Promise<UnitState> {
    const { stdout } = await this.read(unitScript(name, scope));
    const [family, properties = ''] = stdout.split(DEBIAN_MARK);
    const startsOnInstall = family?.trim() === 'debian';
    return this.#predicted.unit(parseUnit(name, properties), { startsOnInstall });
  }

  facts(options?: FactOptions): Promise<ReadonlyMap<string, Value>> {
    return this.#gatherFacts((command) => this.read(command), options);
  }

  openStream(to: Endpoint): Promise<Duplex> {
    return this.#shell.openStream(to);
  }

  recall<T>(name: string, read: () => Promise<T>): Promise<T> {
    return this.#memory?.recall(name, read) ?? read();
  }

  predicted<K extends Effect['kind']>(
    kind: K,
    name: string,
  ): Extract<Effect, { kind: K }> | undefined {
    return this.#predicted.last(kind, name);
  }

  predictedAll<K extends Effect['kind']>(kind: K): readonly Extract<Effect, { kind: K }>[] {
    return this.#predicted.all(kind);
  }

  predictedBelow(directory: string): readonly Extract<Effect, { kind: 'path' }>[] {
    return this.#predicted.below(directory);
  }

  #run(script: string): Promise<Output> {
    return this.#queue.run(withEnvironment(this.#environment, script), this.#signal);
  }

  async #probePath(path: string, query: PathQuery): Promise<PathState | undefined> {
    return parsePath(path, await this.#run(pathScript(path, query)));
  }

  /** In a check run, links on the way to a path and at it. */
  async #linksTo(path: string): Promise<ReadonlyMap<string, string>> {
    if (!this.#foresees || !posix.isAbsolute(path)) return new Map();
    const at = normalizePath(path);
    return parseLinks((await this.#run(linksScript(at))).stdout.toString());
  }

  /** Adds checksum and content to a predicted state: its own, else those of the file it was made from. */
  async #complete(state: PathState, query: PathQuery): Promise<PathState> {
    const wantsMore = query.checksum !== undefined || query.content === true;
    if (state.type !== 'file' || !wantsMore) return state;
    if (state.content !== undefined) return { ...state, ...digest(state.content, query) };
    const real = state.inode > 0 ? await this.#probePath(state.path, query) : undefined;
    if (real?.inode === state.inode) return { ...state, ...contentOf(real) };
    if (isAnswered(state, query)) return state;
    throw new UnknownState(`content of ${state.path}`);
  }

  /** Throws UnknownState where an earlier task may bring the missing path, a package that it installs for one. */
  async #refuseGuess(path: string): Promise<void> {
    const maker = this.#predicted.sourceOfParent(path);
    if (maker !== undefined) throw new UnknownState(maker);
    const packages = this.#predicted.installedPackages();
    const own = packages.find((name) => isLikelyFile(name, path));
    const source = own ?? (await this.#sourceOfDirectory(posix.dirname(path), packages));
    if (source !== undefined) throw new UnknownState(`package ${source}`);
  }

  /** The package that may bring a missing directory. */
  async #sourceOfDirectory(
    directory: string,
    packages: readonly string[],
  ): Promise<string | undefined> {
    const source = packages.find((name) => isLikelyDirectory(name, directory));
    const isThere = source !== undefined && (await this.path(directory)) !== undefined;
    return isThere ? undefined : source;
  }
}

/** Output as text; bytes that are not UTF-8 become U+FFFD. */
export function toText({ code, stdout, stderr }: Output): TextOutput {
  return { code, stdout: stdout.toString(), stderr: stderr.toString() };
}

function accountScript(database: 'passwd' | 'group', nameOrId: string): Command {
  if (/^-|[\n:]/.test(nameOrId) || nameOrId === '') {
    throw new TaskError(`"${nameOrId}" is not a name of a user or group`);
  }
  return sh`if command -v getent >/dev/null; then getent ${database} ${nameOrId}; else cat ${`/etc/${database}`}; fi`;
}

function contentOf({ checksum, content }: PathState): Pick<PathState, 'checksum' | 'content'> {
  return { ...(checksum !== undefined && { checksum }), ...(content !== undefined && { content }) };
}

function digest(content: Buffer, { checksum }: PathQuery): Pick<PathState, 'checksum'> {
  if (checksum === undefined) return {};
  return { checksum: createHash(checksum).update(content).digest('hex') };
}

/** Whether a state that has no content still tells all that was asked. */
function isAnswered(state: PathState, { checksum, content }: PathQuery): boolean {
  if (content === true && state.size <= PATH_CONTENT_LIMIT_BYTES) return false;
  if (checksum === undefined) return true;
  return state.checksum?.length === createHash(checksum).digest('hex').length;
}
