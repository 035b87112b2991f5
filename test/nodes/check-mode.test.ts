import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { makeWorld, type PlayedHere, playHere, type World } from '../support/play-here.ts';
import { REPOSITORY } from '../support/tsprov.ts';

const PLAYBOOKS = ['test/playbooks/local', 'test/playbooks/node'].flatMap((folder) =>
  readdirSync(join(REPOSITORY, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${folder}/${name}`),
);

/**
 * Tasks that a check run calls unknown, because they are about files of a package that is not there yet: only the
 * package says what is in it, and a check run fetches nothing.
 */
const OF_PACKAGES = new Set(['Write into its directory', 'Change a setting of the package']);

for (const playbook of PLAYBOOKS) {
  describe(`a check of ${playbook} on an empty node`, () => {
    let node: NspawnNode;
    let world: World;
    let predicted: PlayedHere;
    let first: PlayedHere;
    let second: PlayedHere;

    before(async function () {
      await needMachines(this);
      world = makeWorld();
      node = await startNode({ name: 'check' });
      await node.exec('mkdir /opt/play');
      world.write({ 'hosts.yaml': stringify({ all: { hosts: { check: reach(node) } } }) });
      predicted = await play({ check: true, diff: true });
      first = await play({ diff: true });
      second = await play({ diff: true });
    });
    after(async () => {
      await node?.stop();
      world?.remove();
    });

    it('succeeds, and so does the run', () => {
      for (const { summary, failures } of [predicted, first]) {
        expect([...summary.failed, ...summary.unreachable], failures.join('\n')).to.deep.equal([]);
      }
    });

    it('tells which tasks the run changes', () => {
      expect(predicted.changed).to.deep.equal(first.changed);
      expect(first.changed).not.to.be.empty;
    });

    it('calls nothing unknown but what only a package knows', () => {
      const unknown = predicted.events.flatMap((event) =>
        event.type === 'result' && event.info.unknown !== undefined ? [event.task.title] : [],
      );
      expect(unknown.filter((task) => !OF_PACKAGES.has(task))).to.deep.equal([]);
    });

    it('shows the differences that the run shows, unless a package decides them', () => {
      const known = ({ diffs }: PlayedHere) => diffs.filter(({ task }) => !OF_PACKAGES.has(task));
      expect(known(predicted)).to.deep.equal(known(first));
    });

    it('has nothing left to tell after the run', () => {
      expect(second.changed).to.deep.equal([]);
    });

    function play(flags: { check?: boolean; diff?: boolean }): Promise<PlayedHere> {
      const inventory = [world.path('hosts.yaml')];
      const extraVars = ['dir=/opt/play'];
      return playHere(world, {
        file: join(REPOSITORY, playbook),
        flags: { ...flags, inventory, extraVars },
      });
    }
  });
}

function reach({ address, port, keyFile, knownHostsFile }: NspawnNode) {
  return {
    ansible_host: address,
    ansible_port: port,
    ansible_user: 'root',
    ansible_timeout: 60,
    ansible_ssh_private_key_file: keyFile,
    ansible_ssh_common_args: `-o UserKnownHostsFile=${knownHostsFile}`,
  };
}
