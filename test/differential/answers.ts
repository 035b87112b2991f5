import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ansibleBin } from '../support/ansible.ts';
import { CACHE } from '../support/cache.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { isRecording, isReplayed } from '../support/recording.ts';
import { mustRun } from '../support/run-command.ts';
import { type Case, layOut, workFolder } from './case.ts';
import type { Outcome } from './outcome.ts';
import { readController, readNode, type World } from './world.ts';

/** What Ansible did with each case, by its name. */
const RECORDED = join(import.meta.dirname, 'recorded');

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
  return parse(
    text
      .replaceAll(folder, '<folder>')
      .replaceAll(CACHE, '<cache>')
      .replaceAll(node.address, '<node>'),
  );
}

/**
 * What real Ansible does with a case, or did when its answers were recorded. Throws where the case has changed since.
 *
 * Cases that install packages are always played: their answers are of today's packages.
 */
export async function answersOfAnsible(test: Case, side: Side): Promise<Answers> {
  const file = join(RECORDED, `${test.name}.json`);
  const isLasting = test.packages.length === 0;
  if (isReplayed && isLasting) return readAnswers(test, file);
  const answers = await playCase(test, side);
  if (isRecording && isLasting) await writeFile(file, stringify(answers, await digest(test)));
  return answers;
}

async function readAnswers(test: Case, file: string): Promise<Answers> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  // Written by `answersOfAnsible`.
  const { of } = JSON.parse(text) as { of?: string };
  if (of !== (await digest(test)))
    throw new Error(
      `record what Ansible does: TSPROV_RECORDED=record npm run test:differential -- -g 'plays ${test.name} as'`,
    );
  return parse(text);
}

/** Of all files of a case. */
async function digest({ folder }: Case): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.sort()) hash.update(relative(folder, file)).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/** @param of The digest of the case; what Ansible printed for people is left out. */
function stringify({ outcomes, node, controller }: Answers, of?: string): string {
  const kept = outcomes.map((outcome) => (of === undefined ? outcome : { ...outcome, output: '' }));
  const plain = { of, outcomes: kept, node: [...node], controller: [...controller] };
  return `${JSON.stringify(plain, null, of === undefined ? 0 : 1)}\n`;
}

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
