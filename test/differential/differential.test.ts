import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ansibleBin } from '../support/ansible.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { mustRun } from '../support/run-command.ts';
import { type Case, layOut, readCases, workFolder } from './case.ts';
import { compareOutcomes, compareWorlds, type Difference } from './compare.ts';
import { readExplanations, unexplained } from './explanations.ts';
import { playAnsible } from './play-ansible.ts';
import { playTsprov } from './play-tsprov.ts';
import { readController, readNode } from './world.ts';

const cases = await readCases();
const explanations = await readExplanations();

/** One engine with a node of its own, equal to the other's at the start of every case. */
interface Side {
  readonly node: NspawnNode;
  readonly folder: string;
  readonly play: typeof playAnsible;
}

describe('tsprov beside Ansible', () => {
  let home: string;
  let sides: readonly [Side, Side];

  before(async function () {
    await needMachines(this);
    home = await mkdtemp(join(tmpdir(), 'td-'));
    // The same name: whatever a play shows of the node must be equal.
    const nodes = [await startTwin(), await startTwin()] as const;
    const side = async (node: NspawnNode, name: string, play: Side['play']) => {
      const folder = join(home, name);
      await mkdir(folder);
      return { node, folder, play };
    };
    sides = [
      await side(nodes[0], 'ansible', playAnsible),
      await side(nodes[1], 'tsprov', playTsprov),
    ];
  });
  after(async () => {
    await Promise.all((sides ?? []).map(({ node }) => node.stop()));
    if (home) await rm(home, { recursive: true, force: true });
  });

  for (const test of cases) {
    it(`plays ${test.name} as Ansible does`, async () => {
      const found = await differences(test, sides, home);
      expect(unexplained(test, found).map(show).join('\n')).to.equal('');
    });
  }

  it('explains every difference on purpose in docs/differences.md', () => {
    const used = cases.flatMap(({ differences }) => Object.values(differences));
    expect(used.filter((id) => !explanations.has(id))).to.deep.equal([]);
  });
});

function startTwin(): Promise<NspawnNode> {
  return startNode({ name: 'twin', python: true });
}

async function differences(
  test: Case,
  sides: readonly [Side, Side],
  home: string,
): Promise<Difference[]> {
  const folders = await Promise.all(sides.map((side) => prepare(test, side)));
  const normalise = (text: string) =>
    sides.reduce(
      (rest, { node }, i) =>
        rest.replaceAll(folders[i] ?? '', '<folder>').replaceAll(node.address, '<node>'),
      text,
    );
  const found: Difference[] = [];
  for (const [run, args] of test.runs.entries()) {
    const [ansible, tsprov] = await Promise.all([
      sides[0].play(folders[0] ?? '', args, home),
      sides[1].play(folders[1] ?? '', args, home),
    ]);
    const differing = compareOutcomes(ansible, tsprov, normalise);
    const prefix = test.runs.length > 1 ? `run ${run + 1}/` : '';
    found.push(...differing.map((each) => ({ ...each, at: prefix + each.at })));
    if (differing.length > 0 && process.env['DIFF_OUTPUT']) process.stderr.write(tsprov.output);
  }
  const nodes = await Promise.all(sides.map(({ node }) => readNode(node, test)));
  const controllers = await Promise.all(folders.map(readController));
  for (const [left, right] of [nodes, controllers]) {
    if (left && right) found.push(...compareWorlds(left, right));
  }
  return found;
}

/** Lays the case out on the controller and its start on the node. */
async function prepare(test: Case, { node, folder }: Side): Promise<string> {
  const work = workFolder(test.name);
  await node.exec(`rm -rf ${work}; mkdir -p ${work}; ${test.node ?? ''}`);
  const laid = await layOut(test, folder, node);
  const env = { ...process.env, PATH: `${await ansibleBin()}:${process.env['PATH']}` };
  for (const command of test.prepare) await mustRun('sh', ['-c', command], { cwd: laid, env });
  return laid;
}

function show({ at, ansible, tsprov }: Difference): string {
  return `${at}\n    ansible ${JSON.stringify(ansible)}\n    tsprov  ${JSON.stringify(tsprov)}`;
}
