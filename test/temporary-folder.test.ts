import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { runCommand } from './support/run-command.ts';

const HOOK = join(import.meta.dirname, 'support/temporary-folder.ts');
const LEAVE = `import { mkdtempSync } from 'node:fs'; import { tmpdir } from 'node:os';
console.log(mkdtempSync(tmpdir() + '/left-'));`;

describe('What tests leave in the folder for temporary files', () => {
  let folder: string;
  const { TSPROV_TEST_FOLDER: own = '', ...rest } = process.env;
  const leave = (end: string, env = {}) => {
    const args = ['--import=tsx', `--import=${HOOK}`, '--input-type=module', '-e', LEAVE + end];
    return runCommand(process.execPath, args, {
      env: { ...rest, TSX_DISABLE_CACHE: '1', TMPDIR: folder, ...env },
    });
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const end of ['', 'process.exit(3)', 'throw new Error("a test failed")']) {
    it(`goes with the run that ${end === '' ? 'ends' : `ends with ${end}`}`, async () => {
      const { stdout } = await leave(end);
      expect(dirname(dirname(stdout.trim()))).to.equal(folder);
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  }

  it('stays while a worker of the run ends', async () => {
    const { stdout } = await leave('', { TSPROV_TEST_FOLDER: folder });
    expect(dirname(stdout.trim())).to.equal(folder);
    expect(existsSync(stdout.trim())).to.equal(true);
  });

  it('is in the folder of this run', () => {
    expect(tmpdir()).to.equal(own);
  });
});
