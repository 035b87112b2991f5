import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from '../run-command.ts';
import { aptOptionsFor } from './apt-options.ts';
import type { DebianSystem } from './system.ts';

/** Removes what only this computer's architecture has. */
const REMOVE_NATIVE = `cd "$1"
rm -rf lib64 usr/lib64 usr/lib/x86_64-linux-gnu usr/bin/*x86_64* etc/ld.so.c*/*x86_64* etc/ld.so.cache
rm -rf var/lib/apt/lists; mkdir -p var/lib/apt/lists/partial`;

/** Lists modes and owners, a file a line. */
const LIST_RIGHTS = 'cd "$1" && find bin/ etc sbin/ usr ! -type l -printf "%m %U:%G %p\\n"';

/**
 * Makes a copy of a Debian file system into that of another architecture: its packages are configured, and what
 * they have for the architecture is unpacked over it. An emulator would take ten times as long for it.
 */
export async function makeForeignBase(
  native: string,
  path: string,
  system: DebianSystem,
): Promise<void> {
  await mustRun('cp', ['-a', native, path]);
  const rights = await listRights(native);
  await mustRun('sh', ['-ec', REMOVE_NATIVE, 'sh', path]);
  const options = aptOptionsFor(path, system);
  await mustRun('apt-get', [...options, 'update', '-q']);
  const status = join(path, 'var/lib/dpkg/status');
  const stanzas = (await readFile(status, 'utf8')).split(/\n\n+/).filter(Boolean);
  const names = stanzas.filter((text) => !/^Architecture: all$/m.test(text)).map(nameOf);
  const versions = await unpackOver(path, names, options);
  await restoreRights(path, rights);
  const changed = stanzas.map((text) => stanzaFor(text, versions, system));
  await writeFile(status, `${changed.join('\n\n')}\n\n`);
  await writeFile(join(path, 'var/lib/dpkg/arch'), `${system.architecture}\n`);
  await renameRecords(join(path, 'var/lib/dpkg/info'), system);
}

/** Unpacks packages over a file system whose folders may be links; gives their versions by their names. */
async function unpackOver(
  path: string,
  names: readonly string[],
  options: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const archives = `${path}.deb`;
  await rm(archives, { recursive: true, force: true });
  await mustRun('mkdir', ['-p', archives]);
  await mustRun('apt-get', [...options, '-q', 'download', ...names], { cwd: archives });
  const unpack = 'dpkg-deb --fsys-tarfile "$1" | tar -xp --keep-directory-symlink -C "$2"';
  const versions = new Map<string, string>();
  for (const file of await readdir(archives)) {
    await mustRun('sh', ['-ec', unpack, 'sh', join(archives, file), path]);
    const fields = await mustRun('dpkg-deb', ['-f', join(archives, file), 'Package', 'Version']);
    versions.set(nameOf(fields), /^Version: (\S+)$/m.exec(fields)?.[1] ?? '');
  }
  await rm(archives, { recursive: true });
  return versions;
}

type Rights = ReadonlyMap<string, { readonly mode: string; readonly owner: string }>;

async function listRights(root: string): Promise<Rights> {
  const lines = (await mustRun('sh', ['-c', LIST_RIGHTS, 'sh', root])).trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [mode = '', owner = '', ...path] = line.split(' ');
      return [path.join(' '), { mode, owner }] as const;
    }),
  );
}

/** Packages give some files other owners and modes when they are configured. */
async function restoreRights(root: string, wanted: Rights): Promise<void> {
  for (const [path, { mode, owner }] of await listRights(root)) {
    const right = wanted.get(path);
    if (right === undefined || (right.mode === mode && right.owner === owner)) continue;
    await mustRun('chown', [right.owner, join(root, path)]);
    await mustRun('chmod', [right.mode, join(root, path)]);
  }
}

function nameOf(stanza: string): string {
  return /^Package: (\S+)$/m.exec(stanza)?.[1] ?? '';
}

function stanzaFor(
  stanza: string,
  versions: ReadonlyMap<string, string>,
  { architecture }: DebianSystem,
): string {
  const version = versions.get(nameOf(stanza));
  if (version === undefined) return stanza;
  return stanza
    .replace(/^Architecture: .*$/m, `Architecture: ${architecture}`)
    .replace(/^Version: .*$/m, `Version: ${version}`);
}

/** What dpkg remembers of each package: the names of these files, and the paths in them, tell the architecture. */
async function renameRecords(info: string, { architecture }: DebianSystem): Promise<void> {
  const files = await readdir(info);
  for (const file of files) {
    if (/\.(list|md5sums)$/.test(file)) {
      const text = await readFile(join(info, file), 'utf8');
      await writeFile(join(info, file), text.replaceAll('x86_64-linux-gnu', 'aarch64-linux-gnu'));
    }
    const name = file.replace(':amd64.', `:${architecture}.`);
    if (name !== file) await rename(join(info, file), join(info, name));
  }
}
