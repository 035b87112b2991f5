import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runScaler } from '../../support/scaler/scaler-program.ts';

describe('tsprov-scaler run', () => {
  it('ends where no API server answers, so that it is started again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'scaler-run-'));
    const kubeconfig = join(folder, 'kubeconfig');
    const config = {
      clusters: [{ name: 'away', cluster: { server: 'http://127.0.0.1:9' } }],
      users: [{ name: 'nobody', user: {} }],
      contexts: [{ name: 'away', context: { cluster: 'away', user: 'nobody' } }],
      'current-context': 'away',
    };
    await writeFile(kubeconfig, JSON.stringify(config));
    const addresses = ['--metrics-address', '127.0.0.1:0', '--secure-address', '127.0.0.1:0'];
    const { code, stderr } = await runScaler(['run', '--kubeconfig', kubeconfig, ...addresses], {
      timeoutMs: 240_000,
    });
    await rm(folder, { recursive: true });
    expect(code).to.equal(1);
    expect(stderr).to.match(/http:\/\/127\.0\.0\.1:9 had no answer: .*ECONNREFUSED/);
  });
});
