/** Node.js as nodejs.org publishes it, made of the one that runs the tests. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache.ts';
import { mustRun } from '../run-command.ts';
import { type ReleaseServer, sumLine } from './release-server.ts';

/** Its version, without the `v`. */
export const NODEJS_VERSION = process.versions.node;

/** Publishes it for this computer's architecture, with the list of sums that upstream has beside it. */
export async function publishNodejs(server: ReleaseServer): Promise<void> {
  const tree = `node-v${NODEJS_VERSION}-linux-${process.arch}`;
  const file = await cached(`releases/archives/${tree}.tar.gz`, async (path) => {
    const folder = `${path}.tree`;
    await rm(folder, { recursive: true, force: true });
    for (const each of ['bin', 'lib/node_modules/npm']) {
      await mkdir(join(folder, tree, each), { recursive: true });
    }
    await copyFile(process.execPath, join(folder, tree, 'bin/node'));
    await writeFile(join(folder, tree, 'lib/node_modules/npm/index.js'), '// npm\n');
    await mustRun('tar', ['-C', folder, '--owner=1001', '--group=127', '-czf', path, tree]);
    await rm(folder, { recursive: true, force: true });
  });
  const base = `/nodejs.org/dist/v${NODEJS_VERSION}`;
  const sums = sumLine(await readFile(file), `${tree}.tar.gz`);
  server.answers.set(`${base}/${tree}.tar.gz`, { file });
  server.answers.set(`${base}/SHASUMS256.txt`, Buffer.from(sums));
}
