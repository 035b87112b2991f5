/** Scenes that were played with ansible-core 2.19 on a local directory, played again with our modules. */
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { localController } from '../support/local-controller.ts';
import { openLocal, type RealHost } from '../support/real-host.ts';

type Result = Record<string, unknown>;
type Tree = Record<string, readonly unknown[]>;

interface Scene {
  readonly name: string;
  /** Shell commands that make the directory as it is before the first task. */
  readonly setup: string;
  readonly tasks: readonly {
    readonly module: string;
    readonly args: Result;
    /** What Ansible's check run reported, then what its real run did. */
    readonly check: Result;
    readonly result: Result;
    /** The directory afterwards: type, mode, uid, gid, and content or target of each path. */
    readonly tree: Tree;
  }[];
}

/** Members that depend on the moment or on Ansible's own way of working. */
const INCOMPARABLE = new Set(['diff', 'warnings', 'failed', 'msg', 'backup_file', 'details']);

const OF_MOMENT_OR_DISK = new Set([
  ...['atime', 'mtime', 'ctime', 'inode', 'dev', 'blocks', 'block_size'],
  ...['version', 'attributes', 'attr_flags', 'nlink'],
]);

const directory = new URL('recorded/', import.meta.url);
for (const file of readdirSync(directory)) {
  const scenes = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as Scene[];
  describe(`recorded from Ansible: ${file.replace('.json', '')}`, () => {
    for (const scene of scenes) it(scene.name, () => play(scene));
  });
}

async function play({ setup, tasks }: Scene): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tsprov-test-')));
  execFileSync('sh', ['-ec', `umask 022; chmod 755 .; ${setup}`], { cwd: root });
  const host = await openLocal();
  try {
    for (const [i, { module, args, check, result, tree }] of tasks.entries()) {
      const at = `task ${i + 1} (${module} ${JSON.stringify(args)})`;
      const given = withRoot(args, root);
      const before = readTree(root);
      // A check run tells what the real run will do; Ansible's own sometimes promises what then fails.
      const predicted = await predict(module, given);
      const promised = 'validate' in args ? check : result;
      expect(verdict(predicted), `${at}, check run`).to.deep.equal(verdict(promised));
      compareDiff(predicted['diff'], withRoot(check['diff'], root), at);
      expect(readTree(root), `${at}: a check run changes nothing`).to.deep.equal(before);
      compare(await outcome(host, module, given, false), result, root, at);
      expect(readTree(root), `${at}: the directory`).to.deep.equal(withRoot(tree, root));
    }
  } finally {
    await host.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** The result of a check run of one task alone: what earlier ones predicted has become true since. */
async function predict(module: string, args: Result): Promise<Result> {
  const host = await openLocal();
  try {
    return await outcome(host, module, args, true);
  } finally {
    await host.close();
  }
}

/** The result of one task; of one that fails, `failed` and what the error carries. */
async function outcome(
  host: RealHost,
  module: string,
  args: Result,
  check: boolean,
): Promise<Result> {
  try {
    const controller = localController('/');
    const { result, diff } = await host.play(module, args, { check, controller });
    return { failed: false, ...result, diff };
  } catch (error) {
    const { message, result = {} } = error as { message: string; result?: Result }; // Thrown by a module.
    return { changed: false, ...result, failed: true, msg: message };
  }
}

function compare(ours: Result, theirs: Result, root: string, at: string): void {
  const wanted = withRoot(theirs, root);
  const why = `${at}; ours: ${JSON.stringify(ours)}; Ansible's: ${JSON.stringify(wanted)}`;
  expect(verdict(ours), why).to.deep.equal(verdict(wanted));
  if (ours['failed'] === true) return;
  for (const [key, value] of Object.entries(wanted)) {
    // The temporary copy that Ansible sends a file to.
    if (key === 'src' && String(value).includes('/.ansible/tmp/')) continue;
    const isMadeOfThePath = key === 'size' && wanted['state'] === 'link';
    if (!INCOMPARABLE.has(key) && !isMadeOfThePath)
      expect(lasting(ours[key]), `${key} of ${why}`).to.deep.equal(lasting(value));
  }
}

/** What stat tells of a file, without the moment and the disk it was made on. */
function lasting(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('exists' in value)) return value;
  const members = Object.entries(value).filter(([name]) => !OF_MOMENT_OR_DISK.has(name));
  return Object.fromEntries(members.filter(([name]) => name !== 'size' || isFile(value)));
}

function isFile(stat: object): boolean {
  return 'isreg' in stat && stat.isreg === true;
}

function verdict({ failed = false, changed = false }: Result): Result {
  return { failed, changed };
}

/** Compares the states of a diff; the moment of a change is not known before it. */
function compareDiff(ours: unknown, theirs: unknown, at: string): void {
  if (!isStates(ours) || !isStates(theirs)) return;
  for (const side of ['before', 'after'] as const) {
    const { atime: _, mtime: __, ...wanted } = theirs[side];
    const { atime: ___, mtime: ____, ...given } = ours[side];
    expect(given, `${side} in the diff of ${at}`).to.deep.include(wanted);
  }
}

function isStates(diff: unknown): diff is { readonly before: Result; readonly after: Result } {
  if (typeof diff !== 'object' || diff === null || !('before' in diff)) return false;
  return typeof diff.before === 'object' && diff.before !== null;
}

/** Data in which `@` stands for the directory. */
function withRoot<T>(data: T, root: string): T {
  if (data === undefined) return data;
  const text = withoutMoment(JSON.stringify(data)).replaceAll(
    '@',
    JSON.stringify(root).slice(1, -1),
  );
  return JSON.parse(text) as T; // The same shape.
}

/** Names of backups hold a number and the time. */
function withoutMoment(text: string): string {
  return text.replaceAll(/\.\d+\.\d{4}-\d\d-\d\d@\d\d:\d\d:\d\d~/g, '.backup~');
}

function readTree(root: string, at = root): Tree {
  const entries = readdirSync(at).flatMap((name): [string, readonly unknown[]][] => {
    const path = join(at, name);
    const own: [string, readonly unknown[]] = [
      withoutMoment(relative(root, path)),
      describePath(path),
    ];
    return lstatSync(path).isDirectory() ? [own, ...Object.entries(readTree(root, path))] : [own];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describePath(path: string): readonly unknown[] {
  const { mode, uid, gid } = lstatSync(path);
  const digits = (mode & 0o7777).toString(8).padStart(4, '0');
  if (lstatSync(path).isSymbolicLink()) return ['link', digits, uid, gid, readlinkSync(path)];
  if (lstatSync(path).isDirectory()) return ['directory', digits, uid, gid];
  if (!lstatSync(path).isFile()) return ['file', digits, uid, gid];
  return ['file', digits, uid, gid, readFileSync(path, 'latin1')];
}
