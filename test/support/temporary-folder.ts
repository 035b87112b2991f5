/**
 * One folder for all temporary files of a run of mocha, which goes with it: also what tests leave that fail, or that
 * were not selected after their file was loaded. The workers of mocha get it from their environment.
 */
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const NAME = 'TSPROV_TEST_FOLDER';

if (process.env[NAME] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'tsprov-'));
  // Tests act as other users too.
  chmodSync(folder, 0o1777);
  // What tsx has compiled is for the next run too.
  const compiled = `tsx-${userInfo().uid}`;
  symlinkSync(join(tmpdir(), compiled), join(folder, compiled));
  process.env[NAME] = folder;
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
}
