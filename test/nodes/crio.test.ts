/** The role of CRI-O with a program that stands in for it: what is around it is real. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseToml, tomlAt } from '../../src/shared/toml.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { type PlayRun, playOn } from '../support/play-on.ts';
import { writeCrioRepository } from '../support/releases/crio-packages.ts';

const REPOSITORY = {
  ...{ name: 'cri-o', url: 'file:/opt/crio/', suite: '/' },
  key: 'file:///opt/crio/Release.key',
};
const LAST_WORD = '/etc/crio/crio.conf.d/99-tsprov.conf';

describe('CRI-O on a node', () => {
  let node: NspawnNode;
  let folder: string;
  let predicted: PlayRun;
  let first: PlayRun;

  before(async function () {
    await needMachines(this);
    folder = await mkdtemp(join(tmpdir(), 'tsprov-crio-'));
    node = await startNode({ name: 'crio', packages: ['conntrack'] });
    await node.exec('mkdir /opt/crio; printf "#!/bin/sh\\necho mine\\nexit 0\\n" > /etc/rc.local');
    await writeCrioRepository(join(node.root, 'opt/crio'));
    predicted = await play('prepare', ['--check']);
    first = await play();
  });
  after(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function play(name = 'prepare', args: readonly string[] = []): Promise<PlayRun> {
    const file = join(folder, 'vars.json');
    const variables = { container_runtime: 'crio', crio_repositories: [REPOSITORY], confirm: true };
    await writeFile(file, JSON.stringify(variables));
    const tags = name === 'prepare' ? ['--tags', 'crio'] : [];
    const all = ['-e', `@${file}`, ...tags, ...args];
    return playOn(node, folder, `playbooks/${name}-node.yaml`, all);
  }
  const toml = async (path: string) => parseToml(await readFile(join(node.root, path), 'utf8'));

  it('is installed from its repository and runs', async () => {
    expect(first.code, first.text).to.equal(0);
    const { stdout } = await node.exec('systemctl is-active crio; systemctl is-enabled crio');
    expect(stdout).to.equal('active\nenabled\n');
  });

  // Which directories its package brings nobody knows before.
  it('is predicted by a check run that has never seen its repository', () => {
    expect(predicted.code, predicted.text).to.equal(0);
    expect(predicted.changed).to.include.members([
      ...['crio : Name the repositories (cri-o)', 'crio : Install CRI-O and conntrack'],
      ...['crio : Configure the storage', 'crio : Configure CRI-O'],
    ]);
  });

  it('changes nothing the second time', async () => {
    const second = await play();
    expect(second.code, second.text).to.equal(0);
    expect(second.changed).to.deep.equal([]);
  });

  it('has the last word over what its package configures', async () => {
    const crio = await toml('etc/crio/crio.conf');
    expect(tomlAt(crio, ['crio', 'runtime', 'default_runtime'])).to.equal('runc');
    const last = await toml(LAST_WORD);
    expect(tomlAt(last, ['crio', 'runtime', 'default_runtime'])).to.equal('runc');
    const storage = await toml('etc/containers/storage.conf');
    expect(tomlAt(storage, ['storage', 'driver'])).to.equal('overlay2');
  });

  it('sets the kernel parameters again at every start', async () => {
    const { stdout } = await node.exec('cat /etc/rc.local; stat -c %a /etc/rc.local');
    expect(stdout).to.equal('#!/bin/sh\necho mine\n/sbin/sysctl --system\nexit 0\n755\n');
  });

  it('is seen by the verification, and so is a drop-in that comes later', async () => {
    const holds = await play('verify');
    expect(holds.text).to.match(
      /crio +sandbox image +registry\.k8s\.io\/pause:3\.10 +registry\S+ +pass/,
    );
    expect(holds.text).not.to.match(/"crio [^"]*FAIL/);
    await node.exec('echo "[crio.runtime]" > /etc/crio/crio.conf.d/zz-other.conf');
    expect((await play('verify')).text).to.match(
      /drop-ins after crio\.conf .*zz-other\.conf +FAIL/,
    );
    await node.exec('rm /etc/crio/crio.conf.d/zz-other.conf');
  });

  it('refuses to take the place of containerd', async () => {
    const unit = '[Service]\\nExecStart=/bin/sleep infinity\\n';
    await node.exec(
      `printf '${unit}' > /etc/systemd/system/containerd.service; systemctl start containerd`,
    );
    const refused = await play();
    expect(refused.code).to.equal(2);
    expect(refused.text).to.include('containerd runs on this host, and its pods would be lost.');
    await node.exec('systemctl stop containerd; rm /etc/systemd/system/containerd.service');
  });

  it('goes without a trace', async () => {
    const reset = await play('reset');
    expect(reset.code, reset.text).to.equal(0);
    const { stdout } = await node.exec(
      `cat /etc/rc.local; ls /usr/bin/crio ${LAST_WORD} /etc/crio/crio.conf /etc/containers/storage.conf /etc/apt/sources.list.d/tsprov* /etc/apt/keyrings/tsprov* /var/lib/tsprov/crio`,
    );
    expect(stdout).to.equal('#!/bin/sh\necho mine\nexit 0\n');
  });
});
