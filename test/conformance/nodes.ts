import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import type { Engine } from './site.ts';

/** What a node has beside Python: what the targets take for granted on a machine. */
const PACKAGES = [
  ...['acl', 'attr', 'bzip2', 'cron', 'curl', 'e2fsprogs', 'file', 'git', 'gpg', 'netcat-openbsd'],
  ...['openssl', 'python3-debian', 'rsync', 'unzip', 'xz-utils', 'zip', 'zstd', 'locales'],
];

const nodes = new Map<Engine, Promise<NspawnNode>>();

/** The node of an engine: the same one until it is given back. */
export function engineNode(engine: Engine): Promise<NspawnNode> {
  const node = nodes.get(engine) ?? newNode();
  nodes.set(engine, node);
  return node;
}

async function newNode(): Promise<NspawnNode> {
  const node = await startNode({ name: 'twin', python: true, packages: PACKAGES });
  // A node does not outlive a loss of power anyway, and waiting for the disk takes most of an installation.
  await writeFile(join(node.root, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'force-unsafe-io\n');
  return node;
}

/** Ends the node of an engine, so that the next target gets a new one. */
export async function giveBack(engine: Engine): Promise<void> {
  const node = nodes.get(engine);
  nodes.delete(engine);
  await (await node)?.stop();
}
