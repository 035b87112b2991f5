import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeDirectories } from '../../src/shared/make-directories.ts';

describe('directories of the controller', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-directories-'));
    writeFileSync(join(folder, 'file'), '');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('are made with those above them, once, and with their mode', () => {
    const path = join(folder, 'a/b');
    for (let run = 0; run < 2; run++) makeDirectories(path, 0o700);
    expect(statSync(path).mode & 0o777).to.equal(0o700);
    expect(statSync(join(folder, 'a')).mode & 0o777).to.equal(0o700);
  });

  it('fail where none can be made', () => {
    expect(() => makeDirectories(join(folder, 'file/a'))).to.throw('EEXIST');
    expect(() => makeDirectories(join(folder, 'file'))).to.throw('EEXIST');
    expect(() => makeDirectories('/proc/nothing/a')).to.throw('ENOENT');
  });
});
