/** A host made of data: what a module reads is looked up, what it writes changes the data. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type {
  Effect,
  FactOptions,
  FileType,
  GroupState,
  PathQuery,
  PathState,
  Step,
  StepOutput,
  TextOutput,
  UnitState,
  UserState,
  Writer,
  WriteStep,
} from '../../src/engine/module.ts';
import { TaskError } from '../../src/engine/module.ts';
import { fromPlain, type Value } from '../../src/engine/values.ts';
import type { Command } from '../../src/shared/shell.ts';
import { FakeCluster, type FakeObject } from './fake-cluster.ts';

/** A path of a fake host. Left-out members are those of a plain file of root's. */
interface FakePath extends Partial<Omit<PathState, 'content' | 'type'>> {
  readonly type?: FileType;
  readonly content?: string;
}

/** The answer to every command line that `match` fits; `*` stands for anything. The first that fits counts. */
interface FakeCommand extends Partial<TextOutput> {
  readonly match: string;
}

type Table<Entry> = Readonly<Record<string, Entry | null>>;

/** A host as data. An entry that is null is not there. */
export interface FakeHostData {
  readonly paths?: Table<FakePath>;
  readonly users?: Table<Partial<UserState>>;
  readonly groups?: Table<Partial<GroupState>>;
  readonly units?: Table<Partial<Omit<UnitState, 'name'>>>;
  readonly commands?: readonly FakeCommand[];
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Effects of earlier tasks of a check run. */
  readonly predicted?: readonly Effect[];
  /** Objects of a cluster whose API server answers at every address; its environment says nothing of clusters. */
  readonly cluster?: readonly FakeObject[];
}

/** What every host answers when a case does not say otherwise. */
const USUAL_ANSWERS: Readonly<Record<string, TextOutput>> = {
  'umask; id': { code: 0, stdout: '0022\nuid=0(root) gid=0(root) groups=0(root)\n', stderr: '' },
};

const NOTHING_SAID: TextOutput = { code: 0, stdout: '', stderr: '' };

export class FakeHost implements Writer {
  readonly name: string = 'node1';
  /** Everything that was performed, in order. */
  readonly performed: Step[] = [];
  readonly #cluster: FakeCluster | undefined;
  #data: FakeHostData;

  constructor(data: FakeHostData = {}) {
    this.#data = data;
    this.#cluster = data.cluster && new FakeCluster(data.cluster);
  }

  /** Changes the host as a later state says: entries are replaced, commands are asked before the earlier ones. */
  become(later: FakeHostData): void {
    const now = this.#data;
    this.#cluster?.put(later.cluster ?? []);
    this.#data = {
      paths: { ...now.paths, ...later.paths },
      users: { ...now.users, ...later.users },
      groups: { ...now.groups, ...later.groups },
      units: { ...now.units, ...later.units },
      facts: { ...now.facts, ...later.facts },
      commands: [...(later.commands ?? []), ...(now.commands ?? [])],
      predicted: later.predicted ?? now.predicted ?? [],
    };
  }

  /** Brings about what steps are said to do. */
  undergo(effects: readonly Effect[]): void {
    for (const effect of effects) this.become(outcome(effect, this.#data));
  }

  async read({ line }: Command): Promise<TextOutput> {
    const isEnvironment = this.#cluster !== undefined && line.startsWith("printf '%s\\0' ");
    const usual = isEnvironment ? NOTHING_SAID : USUAL_ANSWERS[line];
    const answer = this.#answer(line) ?? usual;
    if (answer === undefined) throw new Error(`the case says no answer to this command: ${line}`);
    return answer;
  }

  async path(path: string, query: PathQuery = {}): Promise<PathState | undefined> {
    const entry = this.#data.paths?.[path];
    if (entry === undefined || entry === null) return undefined;
    if (query.follow === true && entry.type === 'link' && entry.target !== undefined) {
      return this.path(new URL(entry.target, `file://${path}`).pathname, query);
    }
    return pathState(path, entry, query);
  }

  async user(nameOrId: string): Promise<UserState | undefined> {
    const users = present(this.#data.users).map(([name, user]) => userState(name, user));
    return users.find(({ name, uid }) => name === nameOrId || String(uid) === nameOrId);
  }

  async group(nameOrId: string): Promise<GroupState | undefined> {
    const groups = present(this.#data.groups).map(([name, group]) => groupState(name, group));
    return groups.find(({ name, gid }) => name === nameOrId || String(gid) === nameOrId);
  }

  async unit(name: string): Promise<UnitState> {
    const units = this.#data.units ?? {};
    const known = units[name] ?? units[`${name}.service`];
    const exists = known !== undefined && known !== null;
    const properties: Record<string, string> = exists ? {} : { LoadState: 'not-found' };
    return { name, exists, active: 'inactive', enabled: '', properties, ...known };
  }

  async facts(_options?: FactOptions): Promise<ReadonlyMap<string, Value>> {
    return fromPlain(this.#data.facts ?? {}) as ReadonlyMap<string, Value>; // A plain object becomes a dict.
  }

  /** Leads to its cluster or, where it has none, into the network of this machine. */
  async openStream(to: { readonly host: string; readonly port: number }): Promise<Duplex> {
    if (this.#cluster !== undefined) return this.#cluster.connect();
    const socket = connect(to);
    await once(socket, 'connect');
    return socket;
  }

  recall<T>(_name: string, read: () => Promise<T>): Promise<T> {
    return read();
  }

  async exists(path: string): Promise<boolean> {
    return (await this.path(path)) !== undefined;
  }

  predicted<K extends Effect['kind']>(kind: K, name: string) {
    return this.predictedAll(kind).findLast((effect) => effect.name === name);
  }

  predictedBelow(directory: string) {
    return this.predictedAll('path').filter(({ name }) => name.startsWith(`${directory}/`));
  }

  predictedAll<K extends Effect['kind']>(kind: K): readonly Extract<Effect, { kind: K }>[] {
    const effects = this.#data.predicted ?? [];
    return effects.filter((effect): effect is Extract<Effect, { kind: K }> => effect.kind === kind);
  }

  async perform(step: Step): Promise<StepOutput> {
    this.performed.push(step);
    if (step.kind === 'write') {
      this.become({ paths: { [step.path]: written(step, this.#data.paths?.[step.path] ?? {}) } });
      const backup = step.backup === true ? { backupFile: `${step.path}.1.backup~` } : {};
      return { code: 0, stdout: '', stderr: '', ...backup };
    }
    const output = this.#answer(step.command.line) ?? { code: 0, stdout: '', stderr: '' };
    const accepted = step.accept ?? [0];
    if (accepted === 'any' || accepted.includes(output.code)) return output;
    const { code: rc, stdout, stderr } = output;
    throw new TaskError(step.failure ?? stderr, { result: { rc, stdout, stderr } });
  }

  async *download(path: string): AsyncIterable<Buffer> {
    const found = await this.path(path, { follow: true, content: true });
    if (found?.content === undefined) throw new TaskError(`${path} cannot be read`);
    yield found.content;
  }

  #answer(line: string): TextOutput | undefined {
    const found = this.#data.commands?.find(({ match }) => fits(match, line));
    if (found === undefined) return undefined;
    return { code: found.code ?? 0, stdout: found.stdout ?? '', stderr: found.stderr ?? '' };
  }
}

function fits(pattern: string, line: string): boolean {
  const parts = pattern
    .trim()
    .split('*')
    .map((part) => part.replace(/[$()+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(line.trim());
}

function present<Entry>(table: Table<Entry> = {}): [string, Entry][] {
  return Object.entries(table).filter((pair): pair is [string, Entry] => pair[1] !== null);
}

function pathState(path: string, entry: FakePath, query: PathQuery): PathState {
  const { content = '', type = 'file', ...rest } = entry;
  const bytes = Buffer.from(content);
  const isFile = type === 'file';
  const { checksum } = query;
  return {
    path,
    type,
    mode: { file: 0o644, link: 0o777 }[type as string] ?? 0o755,
    uid: 0,
    gid: 0,
    owner: 'root',
    group: 'root',
    size: isFile ? bytes.length : 0,
    inode: 1,
    device: 1,
    links: 1,
    atime: 0,
    mtime: 0,
    ctime: 0,
    ...(isFile && checksum && { checksum: createHash(checksum).update(bytes).digest('hex') }),
    ...(isFile && query.content === true && { content: bytes }),
    ...rest,
  };
}

function userState(name: string, user: Partial<UserState>): UserState {
  const home = `/home/${name}`;
  return { name, uid: 1000, gid: 1000, comment: '', home, shell: '/bin/sh', ...user };
}

function groupState(name: string, group: Partial<GroupState>): GroupState {
  return { name, gid: 1000, members: [], ...group };
}

function written(step: WriteStep, old: FakePath): FakePath {
  const {
    mode = old.mode ?? 0o644,
    owner = old.owner ?? 'root',
    group = old.group ?? 'root',
  } = step;
  return { ...old, type: 'file', mode, owner, group, content: text(step.content) };
}

function text(content: WriteStep['content']): string {
  if (content.kind === 'text') return content.text;
  if (content.kind === 'base64') return Buffer.from(content.base64, 'base64').toString();
  return `content of ${content.kind === 'local' ? content.file : content.path}`;
}

function outcome(effect: Effect, data: FakeHostData): FakeHostData {
  switch (effect.kind) {
    case 'path':
      return {
        paths: { [effect.name]: effect.state === undefined ? null : plainPath(effect.state) },
      };
    case 'user':
      return { users: { [effect.name]: effect.state ?? null } };
    case 'group':
      return { groups: { [effect.name]: effect.state ?? null } };
    case 'unit': {
      const { active, enabled } = effect;
      const unit = data.units?.[effect.name] ?? { exists: true };
      return {
        units: {
          [effect.name]: { ...unit, ...(active && { active }), ...(enabled && { enabled }) },
        },
      };
    }
    default:
      return {};
  }
}

function plainPath({ content, ...state }: PathState): FakePath {
  return content === undefined ? state : { ...state, content: content.toString() };
}
