import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { vaultCommand } from '../../src/cli/commands/vault.ts';
import { vaultOptions } from '../../src/cli/vault-options.ts';
import { loadConfig } from '../../src/engine/config.ts';
import { VaultText } from '../../src/engine/values.ts';
import { VaultSecrets } from '../../src/engine/vault/secrets.ts';
import { parseYaml } from '../../src/engine/yaml.ts';
import { toValue } from '../../src/engine/yaml-node.ts';
import { InvalidInput, TaskError } from '../../src/shared/errors.ts';

describe('vault passwords of a command', () => {
  it('are those of the command line, and after them those of the configuration', () => {
    const settings = {
      ...loadConfig().settings,
      vaultPasswordFile: 'c',
      vaultIdentityList: ['a@d'],
    };
    const flags = { vaultId: ['b@e'], vaultPasswordFile: ['f'] };
    const { vaultIds, passwordFiles } = vaultOptions(flags, settings);
    expect({ vaultIds, passwordFiles }).to.deep.equal({
      vaultIds: ['a@d', 'b@e'],
      passwordFiles: ['f', 'c'],
    });
  });
});

describe('tsprov vault', () => {
  let directory: string;
  let password: string;
  let file: string;
  const editor = process.env['EDITOR'];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tsprov-vault-'));
    password = write('password', 'one\n');
    file = write('secret.yml', 'answer: 42\n');
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
    if (editor === undefined) delete process.env['EDITOR'];
    else process.env['EDITOR'] = editor;
  });

  function write(name: string, text: string): string {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  }

  async function vault(...args: string[]): Promise<void> {
    await vaultCommand().parseAsync(args, { from: 'user' });
  }

  function opened(secret = 'one', path = file): string {
    const secrets = new VaultSecrets([{ label: 'default', password: secret }]);
    return secrets.decrypt(readFileSync(path, 'utf8')).toString();
  }

  function header(): string {
    return readFileSync(file, 'utf8').split('\n')[0] ?? '';
  }

  async function refusal(...args: string[]): Promise<string> {
    try {
      await vault(...args);
    } catch (error) {
      if (error instanceof InvalidInput || error instanceof TaskError) return error.message;
      throw error;
    }
    return expect.fail('nothing was refused');
  }

  it('encrypts a file in place, keeps its permissions, and decrypts it again', async () => {
    chmodSync(file, 0o640);
    await vault('encrypt', '--vault-password-file', password, file);
    expect(opened()).to.equal('answer: 42\n');
    expect(header()).to.equal('$ANSIBLE_VAULT;1.1;AES256');
    expect(statSync(file).mode & 0o777).to.equal(0o640);
    await vault('decrypt', '--vault-pass-file', password, file);
    expect(readFileSync(file, 'utf8')).to.equal('answer: 42\n');
    expect(statSync(file).mode & 0o777).to.equal(0o640);
  });

  it('replaces the file behind a link and not the link', async () => {
    const link = join(directory, 'link');
    symlinkSync(file, link);
    await vault('encrypt', '--vault-id', password, link);
    expect(opened()).to.equal('answer: 42\n');
  });

  it('writes the vault id into the header', async () => {
    await vault('encrypt', '--vault-id', `prod@${password}`, file);
    expect(header()).to.equal('$ANSIBLE_VAULT;1.2;AES256;prod');
  });

  it('writes elsewhere with --output', async () => {
    const output = join(directory, 'out');
    await vault('encrypt', '--vault-id', password, '--output', output, file);
    expect(readFileSync(file, 'utf8')).to.equal('answer: 42\n');
    expect(opened('one', output)).to.equal('answer: 42\n');
    expect(statSync(output).mode & 0o777).to.equal(0o600);
  });

  it('changes the password', async () => {
    const other = write('other', 'two');
    await vault('encrypt', '--vault-id', password, file);
    await vault('rekey', '--vault-id', password, '--new-vault-id', `new@${other}`, file);
    expect(opened('two')).to.equal('answer: 42\n');
    expect(header()).to.equal('$ANSIBLE_VAULT;1.2;AES256;new');
    await vault('rekey', '--vault-id', other, '--new-vault-password-file', password, file);
    expect(header()).to.equal('$ANSIBLE_VAULT;1.1;AES256');
  });

  it('leaves every file as it was when one cannot be opened', async () => {
    const other = write('other.yml', 'x: 1\n');
    await vault('encrypt', '--vault-id', password, file);
    const before = readFileSync(file, 'utf8');
    expect(await refusal('decrypt', '--vault-id', password, file, other)).to.include(
      'other.yml is not encrypted',
    );
    expect(readFileSync(file, 'utf8')).to.equal(before);
  });

  it('edits a file and keeps its vault id', async () => {
    await vault('encrypt', '--vault-id', `prod@${password}`, file);
    process.env['EDITOR'] = "sed -i 's/42/43/'";
    await vault('edit', '--vault-id', password, file);
    expect(opened()).to.equal('answer: 43\n');
    expect(header()).to.equal('$ANSIBLE_VAULT;1.2;AES256;prod');
  });

  it('does not touch a file that was not edited, or whose editor failed', async () => {
    await vault('encrypt', '--vault-id', password, file);
    const before = readFileSync(file, 'utf8');
    process.env['EDITOR'] = 'true';
    await vault('edit', '--vault-id', password, file);
    process.env['EDITOR'] = "sh -c 'echo x > $0; exit 3'";
    expect(await refusal('edit', '--vault-id', password, file)).to.include('ended with status 3');
    expect(readFileSync(file, 'utf8')).to.equal(before);
  });

  it('creates a file that only its owner may read, and never over another', async () => {
    const path = join(directory, 'new.yml');
    process.env['EDITOR'] = `cp ${password}`;
    await vault('create', '--vault-id', password, path);
    expect(opened('one', path)).to.equal('one\n');
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(await refusal('create', '--vault-id', password, path)).to.include('exists already');
  });

  it('encrypts strings as YAML that reads back', async () => {
    const output = join(directory, 'strings.yml');
    await vault(
      'encrypt_string',
      '--vault-id',
      password,
      '--output',
      output,
      '-n',
      'a',
      '-n',
      'b',
      'first',
      'se cond',
    );
    const decrypt = (text: VaultText) =>
      new VaultSecrets([{ label: 'default', password: 'one' }]).decryptText(text);
    const value = toValue(
      parseYaml(readFileSync(output, 'utf8'), { file: 'x', trusted: true, decrypt }).root,
    );
    const plain =
      value instanceof Map
        ? [...value].map(([key, text]) => [key, text instanceof VaultText && text.plain()])
        : [];
    expect(plain).to.deep.equal([
      ['a', 'first'],
      ['b', 'se cond'],
    ]);
  });

  it('says what is wrong with what it is given', async () => {
    await vault('encrypt', '--vault-id', password, file);
    const wrong = write('wrong', 'nope');
    expect(await refusal('encrypt', '--vault-id', password, file)).to.include(
      'is already encrypted',
    );
    expect(await refusal('view', '--vault-id', wrong, file)).to.include(
      'the vault password does not open it',
    );
    expect(await refusal('view', '--vault-id', password, join(directory, 'none'))).to.include(
      'none does not exist',
    );
    expect(
      await refusal('decrypt', '--vault-id', password, '--output', 'x', file, file),
    ).to.include('--output takes the result of one file only');
    expect(await refusal('encrypt_string', '--vault-id', password, '')).to.include(
      'the string to encrypt is empty',
    );
    expect(existsSync('x')).to.equal(false);
  });
});
