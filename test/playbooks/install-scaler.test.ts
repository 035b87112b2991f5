/** What the scaler's playbooks tell before they reach a cluster. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/source-files.ts';
import { runTsprov } from '../support/tsprov.ts';

/** Without an image to be built: no node is contacted for one. */
const READY_IMAGE = ['-e', 'scaler_image_source=registry'];
const YES = ['-e', 'confirm=yes'];

describe('the playbooks of the scaler', () => {
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'home-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  async function play(name: string, ...words: readonly string[]) {
    const path = join(ROOT, 'playbooks', `${name}.yaml`);
    const env = { ...process.env, HOME: home, KUBECONFIG: '' };
    const { code, stdout, stderr } = await runTsprov(
      ['play', path, '-i', 'localhost,', '-c', 'local', ...READY_IMAGE, ...words],
      { env },
    );
    return { code, text: stdout + stderr };
  }

  it('say where they have looked for a kubeconfig', async () => {
    for (const name of ['install-scaler', 'uninstall-scaler']) {
      const { code, text } = await play(name, ...YES);
      expect(code, text).to.equal(2);
      expect(text).to.match(
        /There is no kubeconfig that can be read on localhost: looked for \/etc\/kubernetes\/admin\.conf, .* set scaler_kubeconfig/s,
      );
    }
  });

  it('name a variable that has no such value, before anything is asked of a cluster', async () => {
    const { code, text } = await play('install-scaler', '-e', 'scaler_secret_access=everywhere');
    expect(code, text).to.equal(2);
    expect(text).to.match(/scaler_secret_access must be one of: own, namespaces, cluster/);
    expect(text).to.not.include('Look for the kubeconfig');
  });

  for (const group of ['control_plane', 'kube_control_plane']) {
    it(`talk to the cluster through the first host of ${group}`, async () => {
      const away = (name: string) => `${name} ansible_host=127.0.0.1 ansible_port=9\n`;
      const inventory = join(home, 'hosts.ini');
      await writeFile(inventory, `${away('w1')}[${group}]\n${away('cp1')}${away('cp2')}`);
      for (const name of ['install-scaler', 'uninstall-scaler']) {
        const path = join(ROOT, 'playbooks', `${name}.yaml`);
        const { stdout } = await runTsprov(['play', path, '-i', inventory, ...READY_IMAGE, ...YES]);
        const [, recap = ''] = stdout.split('PLAY RECAP');
        expect(recap)
          .to.include('cp1')
          .and.to.not.match(/cp2|w1/);
      }
    });
  }
});
