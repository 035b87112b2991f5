import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';
import { REPOSITORY } from '../../support/tsprov.ts';

const FOLDER = join(REPOSITORY, 'test/playbooks/local');
const PLAYBOOKS = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

for (const playbook of PLAYBOOKS) {
  describe(`test/playbooks/local/${playbook} on this machine`, () => {
    let world: World;
    let predicted: PlayedHere;
    let first: PlayedHere;
    let second: PlayedHere;

    before(async () => {
      world = makeWorld();
      predicted = await play({ check: true, diff: true });
      first = await play({ diff: true });
      second = await play({});
    });
    after(() => world.remove());

    it('succeeds, in a check as well', () => {
      expect(predicted.summary.failed.size + first.summary.failed.size, messages()).to.equal(0);
    });

    it('changes what a check says', () => {
      expect(predicted.changed).to.deep.equal(first.changed);
      expect(first.changed).not.to.be.empty;
    });

    it('shows the differences that a check shows', () => {
      expect(predicted.diffs).to.deep.equal(first.diffs);
    });

    it('changes nothing the second time', () => {
      expect(second.changed).to.deep.equal([]);
    });

    function play(flags: { check?: boolean; diff?: boolean }): Promise<PlayedHere> {
      const extraVars = [`dir=${world.directory}`];
      const inventory = { inventory: ['localhost,'], connection: 'local' };
      return playHere(world, {
        file: join(FOLDER, playbook),
        flags: { ...flags, ...inventory, extraVars },
      });
    }

    const messages = () => [...predicted.failures, ...first.failures].join('\n');
  });
}
