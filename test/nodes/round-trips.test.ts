import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts';
import { WITHOUT_KEEPALIVES } from '../support/nodes/behind.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { runTsprov } from '../support/tsprov.ts';

/** What a converged play may cost after the connection is up, whatever its length. */
const MOST_ROUND_TRIPS = 12;

describe('round trips of a play, counted on the wire', () => {
  let node: NspawnNode;
  let proxy: CountingProxy;
  let folder: string;
  /** Round trips of a play that does next to nothing: those of the connection itself. */
  let ofConnection: number;

  before(async function () {
    await needMachines(this);
    node = await startNode({ name: 'wire' });
    proxy = await startCountingProxy({ host: node.address, port: node.port });
    folder = await mkdtemp(join(tmpdir(), 'tsprov-wire-'));
    const keys = await readFile(node.knownHostsFile, 'utf8');
    const known = keys.replaceAll(node.address, `[127.0.0.1]:${proxy.port}`);
    await writeFile(join(folder, 'known_hosts'), known);
    ofConnection = (await play([{ raw: 'true' }])).roundTrips - 1;
  });
  after(async () => {
    await proxy?.close();
    await node?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  for (const count of [30, 120]) {
    it(`costs at most ${MOST_ROUND_TRIPS} for ${count} tasks that are converged`, async () => {
      const tasks = states(count);
      await play(tasks);
      const { changed, roundTrips } = await play(tasks);
      expect(changed).to.equal(0);
      expect(roundTrips - ofConnection).to.be.at.most(MOST_ROUND_TRIPS);
    });
  }

  it(`costs at most ${MOST_ROUND_TRIPS} where modules stand for others`, async () => {
    const tasks = Array.from({ length: 15 }, () => [
      { service: { name: 'ssh', state: 'started', enabled: true } },
      { package: { name: 'sudo', state: 'present' } },
    ]).flat();
    const { changed, roundTrips } = await play(tasks);
    expect(changed).to.equal(0);
    expect(roundTrips - ofConnection).to.be.at.most(MOST_ROUND_TRIPS);
  });

  it('reads again what follows a change', async () => {
    const path = '/tmp/wire/changed';
    const tasks = [
      { file: { path: '/tmp/wire', state: 'directory' } },
      { shell: `date +%N > ${path}` },
      { stat: { path }, register: 'seen' },
      { assert: { that: 'seen.stat.exists' } },
      { command: `rm ${path}` },
      { stat: { path }, register: 'gone' },
      { assert: { that: 'not gone.stat.exists' } },
    ];
    const { code, output } = await play(tasks);
    expect(code, output).to.equal(0);
  });

  async function play(tasks: readonly object[]) {
    const host = {
      ansible_host: '127.0.0.1',
      ansible_port: proxy.port,
      ansible_user: 'root',
      ansible_timeout: 60,
      ansible_ssh_private_key_file: node.keyFile,
      ansible_ssh_common_args: `-o UserKnownHostsFile=${join(folder, 'known_hosts')}`,
    };
    await writeFile(join(folder, 'hosts.yaml'), stringify({ all: { hosts: { wire: host } } }));
    const playbook = [{ hosts: 'all', gather_facts: false, tasks }];
    await writeFile(join(folder, 'play.yaml'), stringify(playbook));
    proxy.reset();
    const args = ['play', '-i', 'hosts.yaml', 'play.yaml', ...WITHOUT_KEEPALIVES];
    const { code, stdout, stderr } = await runTsprov(args, { cwd: folder });
    const changed = Number(/changed=(\d+)/.exec(stdout)?.[1]);
    return { code, changed, output: stdout + stderr, ...proxy.traffic() };
  }
});

function states(count: number): object[] {
  return Array.from({ length: count }, (_, i) =>
    i % 3 === 0
      ? { file: { path: `/tmp/wire/d${i}`, state: 'directory', mode: '0755' } }
      : i % 3 === 1
        ? { copy: { content: `text ${i}\n`, dest: `/tmp/wire/d${i - 1}/file`, mode: '0644' } }
        : { lineinfile: { path: `/tmp/wire/d${i - 2}/file`, line: `text ${i - 1}` } },
  );
}
