import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PlayRun, playOn } from '../play-on.ts';
import type { TestNode } from './node.ts';

/** Where the bundled playbooks are played, and with which variables. */
export interface NodePlay {
  readonly nodes: TestNode | readonly TestNode[];
  /** Gets the inventory, the lock file and the cache of releases. */
  readonly folder: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Plays one of the bundled playbooks; `reset` does not ask. */
export async function playNode(
  name: 'prepare' | 'verify' | 'reset',
  { nodes, folder, variables }: NodePlay,
  args: readonly string[] = [],
): Promise<PlayRun> {
  const file = join(folder, 'variables.json');
  const all = { confirm: true, release_cache: join(folder, 'cache'), ...variables };
  await writeFile(file, JSON.stringify(all));
  return playOn(nodes, folder, `playbooks/${name}-node.yaml`, ['-e', `@${file}`, ...args]);
}
