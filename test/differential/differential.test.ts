import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { needMachines } from '../support/nodes/requirements.ts';
import { type Answers, answersOfAnsible, lazyNode, playCase, type Side } from './answers.ts';
import { readCases } from './case.ts';
import { compareOutcomes, compareWorlds, type Difference } from './compare.ts';
import { readExplanations, unexplained } from './explanations.ts';
import { playAnsible } from './play-ansible.ts';
import { playTsprov } from './play-tsprov.ts';

const cases = await readCases();
const explanations = await readExplanations();

describe('tsprov beside Ansible', () => {
  const nodes = [lazyNode(), lazyNode()] as const;
  let home: string;
  let ansible: Side;
  let tsprov: Side;

  before(async function () {
    await needMachines(this);
    home = await mkdtemp(join(tmpdir(), 'td-'));
    const side = async (name: string, node: Side['node'], play: typeof playAnsible) => {
      const folder = join(home, name);
      await mkdir(folder);
      const inHome = (at: string, args: readonly string[]) => play(at, args, home);
      return { node, folder, play: inHome };
    };
    ansible = await side('ansible', nodes[0].start, playAnsible);
    tsprov = await side('tsprov', nodes[1].start, playTsprov);
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    if (home) await rm(home, { recursive: true, force: true });
  });

  for (const test of cases) {
    it(`plays ${test.name} as Ansible does`, async () => {
      const [theirs, ours] = await Promise.all([
        answersOfAnsible(test, ansible),
        playCase(test, tsprov),
      ]);
      const left = unexplained(test, differences(theirs, ours));
      if (left.length > 0) expect.fail(`\n${left.map(show).join('\n')}`);
    });
  }

  it('has recorded nothing but cases that are there', async () => {
    const recorded = await readdir(join(import.meta.dirname, 'recorded'));
    const names = cases.map(({ name }) => `${name}.json`);
    expect(recorded.filter((name) => !names.includes(name))).to.deep.equal([]);
  });

  it('explains every difference on purpose in docs/differences.md', () => {
    const used = cases.flatMap(({ differences }) => Object.values(differences));
    expect(used.filter((id) => !explanations.has(id))).to.deep.equal([]);
  });
});

function differences(theirs: Answers, ours: Answers): Difference[] {
  const many = theirs.outcomes.length > 1;
  const runs = theirs.outcomes.flatMap((outcome, i) => {
    const other = ours.outcomes[i];
    const found = other ? compareOutcomes(outcome, other) : [];
    return many ? found.map((each) => ({ ...each, at: `run ${i + 1}/${each.at}` })) : found;
  });
  return [
    ...runs,
    ...compareWorlds(theirs.node, ours.node),
    ...compareWorlds(theirs.controller, ours.controller),
  ];
}

function show({ at, ansible, tsprov }: Difference): string {
  return `${at}\n    ansible ${JSON.stringify(ansible)}\n    tsprov  ${JSON.stringify(tsprov)}`;
}
