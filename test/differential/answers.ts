import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ansibleBin } from '../support/ansible.ts';
import { cached } from '../support/cache.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { mustRun } from '../support/run-command.ts';
import { type Case, layOut, workFolder } from './case.ts';
import type { Outcome } from './outcome.ts';
import { readController, readNode, type World } from './world.ts';

/** Exit code of a run that was ended because it took too long: no answer. */
const KILLED = 128;

/** All that one engine did with a case: each run, then what was left on the node and on the controller. */
export interface Answers {
  readonly outcomes: readonly Outcome[];
  readonly node: World;
  readonly controller: World;
}

/** One engine with a node of its own, equal to every other's at the start of a case. */
export interface Side {
  readonly node: () => Promise<NspawnNode>;
  /** Where cases are laid out for it. */
  readonly folder: string;
  readonly play: (folder: string, args: readonly string[]) => Promise<Outcome>;
}

/** A node that starts once it is needed. The name is always the same: what a play shows of it must be equal. */
export function lazyNode(): { start: () => Promise<NspawnNode>; stop: () => Promise<void> } {
  let node: Promise<NspawnNode> | undefined;
  return {
    start: () => {
      node ??= startNode({ name: 'twin', python: true });
      return node;
    },
    stop: async () => (await node)?.stop(),
  };
}

/** Plays a case. The node's address and the case's folder are replaced by `<node>` and `<folder>`. */
export async function playCase(test: Case, side: Side): Promise<Answers> {
  const node = await side.node();
  const work = workFolder(test.name);
  await node.exec(`rm -rf ${work}; mkdir -p ${work}; ${test.node ?? ''}`);
  const folder = await layOut(test, side.folder, node);
  const env = { ...process.env, PATH: `${await ansibleBin()}:${process.env['PATH']}` };
  for (const command of test.prepare) await mustRun('sh', ['-c', command], { cwd: folder, env });
  const outcomes: Outcome[] = [];
  for (const args of test.runs) {
    const outcome = await side.play(folder, args);
    if (outcome.exitCode === KILLED) throw new Error(`${test.name} did not end: ${outcome.output}`);
    outcomes.push(outcome);
  }
  const left = { node: await readNode(node, test), controller: await readController(folder) };
  const text = stringify({ outcomes, ...left });
  return parse(text.replaceAll(folder, '<folder>').replaceAll(node.address, '<node>'));
}

/** The same, but asked only once a day for the same case: the answers are kept in the cache. */
export async function playCaseCached(test: Case, side: Side): Promise<Answers> {
  const day = new Date().toISOString().slice(0, 10);
  const file = await cached(
    `answers/${day}-${test.name}-${await digest(test.folder)}`,
    async (path) => writeFile(path, stringify(await playCase(test, side))),
  );
  return parse(await readFile(file, 'utf8'));
}

/** Of everything the answers depend on: the case and how its results are read. */
async function digest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const root of [folder, join(import.meta.dirname, 'callback')]) {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const file of files.sort()) hash.update(file).update(await readFile(file));
  }
  for (const name of ['answers.ts', 'case.ts', 'play-ansible.ts', 'world.ts']) {
    hash.update(await readFile(join(import.meta.dirname, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

const stringify = (answers: Answers) =>
  JSON.stringify({ ...answers, node: [...answers.node], controller: [...answers.controller] });

function parse(text: string): Answers {
  // Written by `stringify`.
  const plain = JSON.parse(text) as {
    outcomes: Outcome[];
    node: [string, string][];
    controller: [string, string][];
  };
  return {
    outcomes: plain.outcomes,
    node: new Map(plain.node),
    controller: new Map(plain.controller),
  };
}
