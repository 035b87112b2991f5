/** The lock file: which version `latest` is, and which content a file has. */
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Controller } from '../../../engine/module.ts';
import { InvalidInput } from '../../../shared/errors.ts';
import { makeDirectories } from '../../../shared/make-directories.ts';
import { compileSchema } from '../../../shared/validate.ts';
import type { ReleaseArgs } from './args.ts';
import type { Lock, Locked, LockedFile, ReleaseMemory } from './memory.ts';

const text = { type: 'string' };
const lockedFile = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'sha256', 'trust'],
  properties: { url: text, sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' }, trust: text },
};
const lockProblems = compileSchema({
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['version', 'resolved', 'files'],
    properties: {
      version: text,
      resolved: text,
      files: { type: 'object', additionalProperties: lockedFile },
    },
  },
});

const HEADER = `# Made by tsprov: the versions and the contents of what it installs. Keep it beside the inventory.
# "-e update_versions=true" renews it.
`;

/** What a lock file said of a component when the run first read it. Throws InvalidInput where it is malformed. */
export function readLocked(
  controller: Controller,
  memory: ReleaseMemory,
  { lock_file: file, name }: Pick<ReleaseArgs, 'lock_file' | 'name'>,
): Locked | undefined {
  if (file === undefined) return undefined;
  const lock = memory.firstLocks.get(file) ?? memory.firstLocks.set(file, open(controller, file));
  return Object.hasOwn(lock, name) ? lock[name] : undefined;
}

function open(controller: Controller, file: string): Lock {
  const data = controller.readData(file) ?? {};
  const [problem] = lockProblems(data);
  if (problem === undefined) return data as Lock; // It has been checked.
  throw InvalidInput.at(
    { file, line: 1, column: 1 },
    problem.message,
    'remove the entry, or the file',
  );
}

/** Notes the version of a component and one of its files; files of another version go. */
export async function writeLocked(
  memory: ReleaseMemory,
  { lock_file: file, name }: Pick<ReleaseArgs, 'lock_file' | 'name'>,
  { version, asset, locked }: { version: string; asset: string; locked: LockedFile },
): Promise<void> {
  if (file === undefined) return;
  const lock = memory.locks.get(file) ?? memory.firstLocks.get(file) ?? {};
  const old = lock[name];
  const isSame = old?.version === version;
  if (isSame && isDeepStrictEqual(old.files[asset], locked)) return;
  const component: Locked = {
    version,
    resolved: isSame ? old.resolved : new Date().toISOString(),
    files: { ...(isSame && old.files), [asset]: locked },
  };
  memory.locks.set(file, { ...lock, [name]: component });
  // One write after the other: each has all that is known when its turn comes.
  const before = memory.writing.get(file) ?? Promise.resolve();
  await memory.writing.set(
    file,
    before.then(() => store(file, memory.locks.get(file) ?? {})),
  );
}

async function store(file: string, lock: Lock): Promise<void> {
  makeDirectories(dirname(file));
  await writeFile(`${file}.new`, renderLock(lock));
  await rename(`${file}.new`, file);
}

/** As YAML, sorted, so that a change shows as few lines. */
export function renderLock(lock: Lock): string {
  const components = sorted(lock).map(
    ([name, { version, resolved, files }]) =>
      `${name}:\n  version: ${JSON.stringify(version)}\n  resolved: ${JSON.stringify(resolved)}\n  files:\n${sorted(files).map(renderFile).join('')}`,
  );
  return HEADER + components.join('');
}

function renderFile([asset, file]: readonly [string, LockedFile]): string {
  const members = Object.entries(file).map(
    ([key, value]) => `      ${key}: ${JSON.stringify(value)}\n`,
  );
  return `    ${JSON.stringify(asset)}:\n${members.join('')}`;
}

function sorted<T>(members: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));
}
