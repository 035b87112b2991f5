/** The program by itself: its folder of `dist`, the executable and the version, with no package anywhere near. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { BUNDLE } from '../../../scripts/bundle-options.ts';
import { mustRun, runCommand } from '../../support/run-command.ts';
import { REPOSITORY, tsprovProgram } from '../../support/tsprov.ts';

const FILES = ['package.json', 'bin/tsprov-scaler.js', 'dist/scaler'];

/** Sources that a client of a package reaches for, and what it says where nobody listens. */
const SOURCES = {
  external: /unavailable|ECONNREFUSED/i,
  kafka: /ECONNREFUSED/,
  mysql: /ECONNREFUSED/,
  postgresql: /ECONNREFUSED/,
  rabbitmq: /ECONNREFUSED/,
  redis: /ECONNREFUSED/,
  'redis-cluster': /ECONNREFUSED/,
  'redis-sentinel': /ECONNREFUSED|sentinels are unreachable/,
} as const;

describe('tsprov-scaler without node_modules', () => {
  let folder = '';
  before(async () => {
    await tsprovProgram();
    folder = await mkdtemp(join(tmpdir(), 'tsprov-alone-'));
    for (const file of FILES) {
      await cp(join(REPOSITORY, file), join(folder, file), { recursive: true });
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = (...args: string[]) =>
    runCommand(process.execPath, [join(folder, 'bin/tsprov-scaler.js'), ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], KUBECONFIG: join(folder, 'kubeconfig') },
    });

  for (const args of [
    ['--version'],
    ['crds'],
    ['run', '--help'],
    ['validate', join(REPOSITORY, 'examples')],
  ]) {
    it(`does: ${args[0]}`, async () => {
      const { code, stderr } = await run(...args);
      expect(stderr).to.equal('');
      expect(code).to.equal(0);
    });
  }

  it('gets as far as the cluster', async () => {
    const { code, stderr } = await run('run');
    expect(stderr).to.include('kubeconfig');
    expect(stderr).not.to.include('Cannot find');
    expect(code).to.equal(1);
  });

  describe('that opens triggers', () => {
    let said: Readonly<Record<string, string>> = {};

    before(async () => {
      await build({
        ...BUNDLE,
        entryPoints: [join(REPOSITORY, 'test/support/scaler/reach-sources.ts')],
        outdir: join(folder, 'dist/reach'),
      });
      const program = join(folder, 'dist/reach/reach-sources.js');
      const words = [program, ...Object.keys(SOURCES)];
      said = JSON.parse(await mustRun(process.execPath, words, { cwd: folder }));
    });

    for (const [source, message] of Object.entries(SOURCES)) {
      it(`reaches for ${source}`, () => expect(said[source]).to.match(message));
    }
  });
});
