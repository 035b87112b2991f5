import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCrioRepository } from '../releases/crio-packages.ts';
import { copyTo, type TestNode } from './node.ts';

/** What a node is told about the repository of CRI-O that it was offered, as an item of `crio_repositories`. */
export const CRIO_REPOSITORY = {
  ...{ name: 'cri-o', url: 'file:/opt/crio/', suite: '/' },
  key: 'file:///opt/crio/Release.key',
};

/**
 * Puts a repository of CRI-O on a node, and gives it a place for images: in the file system of a container node, which
 * consists of layers itself, there can be none.
 */
export async function offerCrio(node: TestNode): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tsprov-crio-repository-'));
  await writeCrioRepository(folder);
  await copyTo(node, folder, '/opt/crio');
  await rm(folder, { recursive: true, force: true });
  await node.exec(
    `chmod -R a+rX /opt/crio
    ! grep -q ' / overlay ' /proc/mounts || { mkdir -p /var/lib/containers && mount -t tmpfs tmpfs /var/lib/containers; }`,
  );
}
