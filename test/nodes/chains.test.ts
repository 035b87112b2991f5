import { expect } from 'chai';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { faultsOn, hostStories, prepareNode } from '../support/chains/play-host.ts';
import { sourceWorld } from '../support/chains/source-world.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import type { World } from '../support/play-here.ts';

/** Always the same in CI; others, more, or those of a failure again: `CHAINS=1000 CHAIN_SEED=42`. */
const COUNT = Number(process.env['CHAINS'] ?? 25);
const SEED = Number(process.env['CHAIN_SEED'] ?? (process.env['CI'] ? 14 : Date.now() % 2 ** 31));
const LENGTH = 8;
/** Where the machine is busy, fewer will do. */
const LONGEST_MS = 600_000;

describe(`a random chain of tasks about a machine (seed ${SEED})`, () => {
  let node: NspawnNode;
  let world: World;

  before(async function () {
    await needMachines(this);
    world = sourceWorld();
    node = await startNode({ name: 'chains' });
    await prepareNode(node);
    world.write({ 'hosts.yaml': stringify({ all: { hosts: { chains: reach(node) } } }) });
  });
  after(async () => {
    await node?.stop();
    world?.remove();
  });

  it('does what a check run says', async () => {
    const property = fc.asyncProperty(hostStories(LENGTH), async (story) => {
      const faults = await faultsOn(node, story, world);
      if (faults.length > 0) expect.fail(faults.join('\n'));
    });
    const limits = { numRuns: COUNT, interruptAfterTimeLimit: LONGEST_MS };
    await fc.assert(property, { ...limits, seed: SEED, includeErrorInReport: true });
  });
});

function reach({ address, port, keyFile, knownHostsFile }: NspawnNode) {
  return {
    ansible_host: address,
    ansible_port: port,
    ansible_user: 'root',
    ansible_timeout: 60,
    ansible_become_method: 'su',
    ansible_ssh_private_key_file: keyFile,
    ansible_ssh_common_args: `-o UserKnownHostsFile=${knownHostsFile}`,
  };
}
