import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { TaskError } from '../../src/engine/module.ts';
import { includeVars } from '../../src/modules/include-vars.ts';
import { parseArgs } from '../../src/shared/validate.ts';
import { dict, fakeController, fakeConversation } from '../support/fake-conversation.ts';
import { FakeHost } from '../support/fake-host.ts';

const FILES = ['.hidden.yml', 'a.yml', 'b.json', 'sub/c.yaml', 'noext', 'readme.txt'];

describe('include_vars of a directory', () => {
  let directory = '';
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'include-vars-'));
    mkdirSync(join(directory, 'sub'));
    for (const file of FILES) writeFileSync(join(directory, file), '');
  });
  after(() => rmSync(directory, { recursive: true }));

  /** Every file holds one variable, named after it. */
  async function read(wish: Record<string, unknown>) {
    const variables = Object.fromEntries(
      FILES.map((file) => [join(directory, file), { [file.replace(/\W/g, '')]: 1 }]),
    );
    const given = { dir: directory, ...wish };
    const talk = fakeConversation(new FakeHost(), fakeController({ variables }), dict(given));
    const { result } = await includeVars.run(talk, parseArgs(includeVars.args, includeVars, given));
    const files = result['ansible_included_var_files'] as readonly string[]; // As the module declares.
    return files.map((file) => file.slice(directory.length + 1));
  }

  it('fails at the first file with another extension, and says which', async () => {
    const error = await read({}).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(TaskError);
    expect((error as TaskError).message).to.equal(
      `${directory}/noext does not have a valid extension: yaml, yml, json`,
    );
    expect((error as TaskError).result['ansible_included_var_files']).to.have.length(3);
  });

  it('reads files before directories, in alphabetical order', async () => {
    expect(await read({ ignore_unknown_extensions: true })).to.deep.equal([
      '.hidden.yml',
      'a.yml',
      'b.json',
      'sub/c.yaml',
    ]);
  });

  it('goes no deeper than it may', async () => {
    expect(await read({ ignore_unknown_extensions: true, depth: 1 })).not.to.include('sub/c.yaml');
  });

  it('takes files without extension where an empty one is allowed', async () => {
    const wish = { extensions: ['yml', ''], ignore_unknown_extensions: true };
    expect(await read(wish)).to.deep.equal(['.hidden.yml', 'a.yml', 'noext']);
  });

  it('reads only the files that match', async () => {
    expect(await read({ files_matching: '^[ab]', ignore_files: ['a.yml'] })).to.deep.equal([
      'b.json',
    ]);
  });
});
