/** The playbooks among the examples. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/source-files.ts';
import { runTsprov } from '../support/tsprov.ts';

const SITES = readdirSync(join(ROOT, 'examples/site'));
const INVENTORY = ['-i', join(ROOT, 'inventory.example.yaml')];

describe('the example of a site', () => {
  for (const file of SITES) {
    const path = join(ROOT, 'examples/site', file);

    it(`has no problems with the inventory that is shipped: ${file}`, async () => {
      const { code, stderr } = await runTsprov(['validate', path, ...INVENTORY]);
      expect(code, stderr).to.equal(0);
    });

    it(`is played in its steps: ${file}`, async () => {
      const hosts = await runTsprov(['play', path, ...INVENTORY, '--list-hosts']);
      expect(hosts.code, hosts.stderr).to.equal(0);
      const tasks = await runTsprov([
        'play',
        path,
        ...INVENTORY,
        '--list-tasks',
        '--tags',
        'scaler',
      ]);
      expect(tasks.stdout)
        .to.include('The API server is there')
        .and.to.include('Have the namespace');
      expect(tasks.stdout).to.not.include('swap');
    });
  }
});
