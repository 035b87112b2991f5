import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mustRun } from '../run-command.ts';

/** A file: its content, or where a link points. */
type Member = Buffer | string | { readonly link: string };

/** A gzipped tar archive with an entry for its root, foreign owners and executable files, as some upstreams have them. */
export async function tarball(members: Readonly<Record<string, Member>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tsprov-tarball-'));
  try {
    const tree = join(folder, 'tree');
    for (const [name, member] of Object.entries(members)) await put(join(tree, name), member);
    const archive = join(folder, 'archive.tgz');
    await mustRun('tar', [
      ...['-C', tree, '--owner=1001', '--group=127', '--mtime=@1700000000', '--sort=name'],
      ...['-czf', archive, '.'],
    ]);
    return await readFile(archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function put(path: string, member: Member): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (typeof member === 'object' && 'link' in member) await symlink(member.link, path);
  else await writeFile(path, member, { mode: 0o775 });
}

/** The first bytes of a program for a machine; as little as tells what it is for. */
export function elf(machine: 'amd64' | 'arm64' | 'arm', text = ''): Buffer {
  const head = Buffer.alloc(64);
  head.write('\x7fELF', 0, 'latin1');
  head[4] = machine === 'arm' ? 1 : 2;
  head.writeUInt16LE({ amd64: 0x3e, arm64: 0xb7, arm: 0x28 }[machine], 18);
  return Buffer.concat([head, Buffer.from(text)]);
}
