/** What happens to a node where its packages cannot be installed now, and that the next run makes up for it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CRIO_REPOSITORY, offerCrio } from '../support/nodes/crio.ts';
import { holdLock, releaseLock } from '../support/nodes/lock.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { playNode } from '../support/nodes/play-node.ts';
import { needReleases } from '../support/nodes/requirements.ts';
import type { PlayRun } from '../support/play-on.ts';

/** Each stands in the way of the packages; the play is told to wait two seconds. */
const FAULTS = [
  {
    title: 'another program holds the lock of dpkg',
    file: '/var/lib/dpkg/lock-frontend',
    says: "'apt-get install cri-o conntrack' failed: E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
  },
  {
    title: 'another program fetches the package lists',
    file: '/var/lib/apt/lists/lock',
    says: 'Failed to update apt cache: E: Could not get lock /var/lib/apt/lists/lock.',
  },
] as const;

for (const { title, file, says } of FAULTS) {
  describe(`preparing a node while ${title}`, () => {
    const stage = withNode();

    it('says who holds it and what to do, and installs nothing', async () => {
      await holdLock(stage.node(), file, 600);
      const run = await stage.play({ package_lock_timeout: 2 });
      expect(run.code, run.text).to.equal(2);
      expect(run.text).to.include(says);
      expect(run.text).to.match(
        /\(play again when process \d+ \(perl\) has ended, or wait longer for it with \\"lock_timeout\\"\)/,
      );
      expect(await stage.state()).to.equal('none\n');
    });

    it('goes on with the next run', async () => {
      await releaseLock(stage.node());
      await stage.converges();
    });
  });
}

describe('preparing a node while its repository does not have a package', () => {
  const stage = withNode();

  it('names the package, and installs no other', async () => {
    const run = await stage.play({ crio_packages: ['cri-o', 'cri-o-tools'] });
    expect(run.code, run.text).to.equal(2);
    expect(run.text).to.include('package \\"cri-o-tools\\" does not exist');
    expect(await stage.state()).to.equal('none\n');
  });

  it('goes on with the next run', () => stage.converges());
});

/** A node of its own for a suite, with a repository of CRI-O that it does not know yet. */
function withNode() {
  let node: NspawnNode;
  let folder: string;

  before(async function () {
    await needReleases(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-packages-'));
    node = await startNode({ name: 'faults' });
    await offerCrio(node);
  });
  after(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function play(given: Record<string, unknown> = {}): Promise<PlayRun> {
    const variables = { container_runtime: 'crio', crio_repositories: [CRIO_REPOSITORY], ...given };
    return playNode('prepare', { nodes: node, folder, variables }, ['--tags', 'crio']);
  }

  return {
    ...{ node: () => node, play },
    /** Which of the packages are there, and whether dpkg has anything left to do. */
    state: async () => {
      const wanted = 'dpkg-query -l cri-o conntrack 2>/dev/null | grep ^i || echo none';
      return (await node.exec(`${wanted}; dpkg --audit`)).stdout;
    },
    converges: async () => {
      const next = await play();
      expect(next.code, next.text).to.equal(0);
      const last = await play();
      expect(last.code, last.text).to.equal(0);
      expect(last.changed).to.deep.equal([]);
    },
  };
}
