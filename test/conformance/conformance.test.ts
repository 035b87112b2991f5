import { expect } from 'chai';
import { readModules } from '../../scripts/module-files.ts';
import { readExplanations as readDifferences } from '../differential/explanations.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { compareAnswers } from './compare.ts';
import { checkExplanations, KINDS, readExplanations } from './explanations.ts';
import { giveBack } from './nodes.ts';
import { keepRows, type Row } from './page.ts';
import { askAnsible, askTsprov, type PlacedFault } from './play-target.ts';
import { ansibleSource } from './source.ts';
import { readSelection, readTargets, whyOutside } from './targets.ts';

const selection = await readSelection();
const explanations = await readExplanations();
const everything = await readTargets(await ansibleSource(), selection);
const missing = Object.values(selection.missing).flat();
const targets = everything.filter(
  ({ name }) => whyOutside(name, selection) === undefined && !missing.includes(name),
);

describe("tsprov on ansible-core's own targets", () => {
  before(async function () {
    await needMachines(this);
  });
  after(async () => {
    await giveBack('ansible');
    await giveBack('tsprov');
  });

  for (const target of targets) {
    const mark = selection.smoke.includes(target.name) ? ' @smoke' : '';
    it(`plays ${target.name} as Ansible does${mark}`, async () => {
      const theirs = await askAnsible(target);
      const ours = await askTsprov(target, theirs);
      const found = compareAnswers(theirs, ours);
      const { unexplained, idle } = checkExplanations(found, explanations[target.name] ?? []);
      const row: Row = {
        kind: target.kind,
        asserts: [theirs.asserts, ours.asserts],
        tasks: [theirs.tasks, ours.tasks],
        apart: theirs.faults.filter(({ at }) => !/\.sh:?\d*$/.test(at)).length,
        unexplained: [...new Set(unexplained.map(({ at }) => at))],
      };
      // At once: a run that is ended half-way has seen what it has seen.
      if (!process.env['CI']) await keepRows({ [target.name]: row });
      if (unexplained.length > 0) expect.fail(`\n${unexplained.map(show).join('\n')}`);
      expect(idle, 'explanations of what does not differ any more').to.deep.equal([]);
    });
  }
});

describe('the data of the conformance suite', () => {
  const names = everything.map(({ name }) => name);

  it('names targets that exist', () => {
    const named = [...missing, ...selection.smoke, ...selection.node, ...selection.here];
    const explained = Object.keys(explanations);
    expect([...named, ...explained].filter((name) => !names.includes(name))).to.deep.equal([]);
  });

  it('calls no module missing that exists', async () => {
    const modules = (await readModules()).map(({ module }) => module.name);
    const wrong = Object.keys(selection.missing).filter((name) => modules.includes(name));
    expect(wrong).to.deep.equal([]);
  });

  it('explains what is by design by a row of docs/differences.md', async () => {
    const ids = await readDifferences();
    const wrong = Object.values(explanations)
      .flat()
      .filter(({ kind, row }) => !(kind in KINDS) || (kind === 'design') !== ids.has(row ?? ''));
    expect(wrong).to.deep.equal([]);
  });
});

function show({ at, message }: PlacedFault): string {
  return `${at}\n    ${message}`;
}
