import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { VaultText } from '../../../src/engine/values.ts';
import { readDataFile } from '../../../src/engine/vault/data-file.ts';
import { loadVaultSecrets, type VaultOptions } from '../../../src/engine/vault/secret-source.ts';
import { VaultSecrets } from '../../../src/engine/vault/secrets.ts';
import { toValue } from '../../../src/engine/yaml-node.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

const FIRST = { label: 'default', password: 'first password' };
const SECOND = { label: 'prod', password: 'zweites Paßwort' };
const SALT = Buffer.from('0123456789abcdef0123456789abcdef');

/** Files that ansible-vault wrote with a fixed salt (data/record.sh) and what it was given. */
const RECORDED = [
  { file: 'plain-1.1.vault', content: Buffer.from('answer: 42\n'), secret: FIRST },
  { file: 'labelled-1.2.vault', content: Buffer.from('answer: 42\n'), secret: SECOND },
  { file: 'empty.vault', content: Buffer.alloc(0), secret: FIRST },
  { file: 'one-block.vault', content: Buffer.from('0123456789abcdef'), secret: FIRST },
  { file: 'binary.vault', content: Buffer.from('\xff\xfe\0binary\x80', 'latin1'), secret: FIRST },
];

describe('vault data', () => {
  for (const { file, content, secret } of RECORDED) {
    it(`opens what ansible-vault wrote: ${file}`, () => {
      expect(new VaultSecrets([secret]).decrypt(recorded(file))).to.deep.equal(content);
    });
    it(`is written byte for byte as ansible-vault writes it: ${file}`, () => {
      expect(new VaultSecrets([secret]).encrypt(content, secret.label, SALT)).to.equal(
        recorded(file),
      );
    });
  }

  it('comes back unchanged, whatever it holds', () => {
    const secrets = new VaultSecrets([FIRST]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(secrets.decrypt(secrets.encrypt(Buffer.from(bytes)))).to.deep.equal(
          Buffer.from(bytes),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('is tried with every password, its own label first', () => {
    const secrets = new VaultSecrets([FIRST, { label: 'dev', password: SECOND.password }]);
    const { secret } = secrets.open(recorded('labelled-1.2.vault'));
    expect(secret).to.deep.equal(SECOND);
  });

  it('is tried with its own label only where vault_id_match is set', () => {
    const secrets = new VaultSecrets([{ label: 'dev', password: SECOND.password }], {
      matchOnly: true,
    });
    expect(() => secrets.decrypt(recorded('labelled-1.2.vault'))).to.throw(
      InvalidInput,
      'this is encrypted for the vault id "prod", and no password with that label is given (give --vault-id prod@FILE)',
    );
  });

  it('says which password is wrong or missing, and where', () => {
    const place = { file: 'secret.yml', line: 3, column: 4 };
    const text = recorded('plain-1.1.vault');
    expect(() => new VaultSecrets([SECOND]).decrypt(text, place)).to.throw(
      'secret.yml:3:4  this is encrypted, and the vault password does not open it',
    );
    expect(() => new VaultSecrets([]).decrypt(text, place)).to.throw(
      'secret.yml:3:4  this is encrypted, and no vault password is given (give --vault-password-file',
    );
  });

  for (const [damage, text] of [
    ['is cut short', recorded('plain-1.1.vault').slice(0, 100)],
    ['has another version', recorded('plain-1.1.vault').replace('1.1', '3.0')],
    ['has another cipher', recorded('plain-1.1.vault').replace('AES256', 'ROT13')],
    ['has letters in its body', recorded('plain-1.1.vault').replace(/\n../, '\nxy')],
    ['has another digit in its body', recorded('plain-1.1.vault').replace(/6263\n$/, '6264\n')],
  ]) {
    it(`is refused when it ${damage}`, () => {
      expect(() => new VaultSecrets([FIRST]).decrypt(text ?? '')).to.throw(InvalidInput);
    });
  }

  it('needs a vault id to be chosen where several could encrypt', () => {
    const secrets = new VaultSecrets([FIRST, SECOND]);
    expect(() => secrets.encrypt('x')).to.throw('several vault ids could encrypt: default, prod');
    const twice = new VaultSecrets([FIRST, FIRST]);
    expect(() => twice.encrypt('x')).to.throw('several vault ids could encrypt: default, default');
    expect(secrets.encrypt('x', 'prod')).to.match(/^\$ANSIBLE_VAULT;1\.2;AES256;prod\n/);
    expect(() => secrets.encrypt('x', 'gone')).to.throw(
      'no vault password is given for the vault id "gone"',
    );
  });
});

describe('vaulted files', () => {
  it('are read as if they were plain', () => {
    const { root, encrypted } = readDataFile(data('plain-1.1.vault'), new VaultSecrets([FIRST]));
    expect(toValue(root)).to.deep.equal(new Map([['answer', 42]]));
    expect(encrypted).to.equal(true);
  });

  it('may hold inline secrets, which are opened with the same passwords and never rendered', () => {
    const value = toValue(readDataFile(data('inline.yml'), new VaultSecrets([FIRST, SECOND])).root);
    const token = value instanceof Map ? value.get('token') : undefined;
    expect(token instanceof VaultText && token.plain()).to.equal('s3cret {{ x }}');
  });
});

describe('vault passwords', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tsprov-vault-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function file(name: string, text: string, mode = 0o600): string {
    const path = join(directory, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  async function load(options: VaultOptions, answers: Record<string, string> = {}) {
    const warnings: string[] = [];
    const secrets = await loadVaultSecrets(options, {
      ask: async (question) => answers[question] ?? '',
      warn: ({ message }) => warnings.push(message),
    });
    return { secrets, warnings };
  }

  it('come from files, with the whitespace around them removed', async () => {
    const { secrets } = await load({ vaultIds: [`prod@${data('second.password')}`] });
    expect(secrets.decrypt(recorded('labelled-1.2.vault')).toString()).to.equal('answer: 42\n');
  });

  it('come from scripts; those named -client are told the vault id', async () => {
    const plain = file('get.sh', '#!/bin/sh\necho "$# arguments"\n', 0o700);
    const client = file('get-client.sh', '#!/bin/sh\necho "$*"\n', 0o700);
    const { secrets } = await load({ vaultIds: [`a@${plain}`, `b@${client}`] });
    expect(secrets.secretFor('a').password).to.equal('0 arguments');
    expect(secrets.secretFor('b').password).to.equal('--vault-id b');
  });

  it('come from prompts that name the vault id', async () => {
    const answers = { 'Vault password (prod): ': 'one', 'Vault password: ': 'two' };
    const { secrets } = await load({ vaultIds: ['prod@prompt'], ask: true }, answers);
    expect(secrets.secretFor('prod').password).to.equal('one');
    expect(secrets.secretFor('default').password).to.equal('two');
  });

  it('may be in a file that is a vault itself', async () => {
    const inner = new VaultSecrets([FIRST]).encrypt('second\n');
    const path = file('inner', inner);
    const { secrets } = await load({ vaultIds: [data('first.password'), `in@${path}`] });
    expect(secrets.secretFor('in').password).to.equal('second');
  });

  for (const [what, make, message] of [
    ['is missing', () => join(directory, 'gone'), 'gone does not exist'],
    ['is a directory', () => directory, 'is not a file'],
    ['is empty', () => file('empty', '\n'), 'is empty'],
    [
      'is a script that fails',
      () => file('x', '#!/bin/sh\necho why >&2\nexit 3\n', 0o700),
      'ended with status 3 (why)',
    ],
    ['is a script that cannot start', () => file('y', '#!/no/such\n', 0o700), 'cannot be run'],
  ] as const) {
    it(`are refused where the file ${what}`, async () => {
      const outcome = await load({ passwordFiles: [make()] }).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(InvalidInput);
      expect(String(outcome)).to.include(message);
    });

    it(`are passed over with a warning where the file ${what} and there is another`, async () => {
      const options = { vaultIds: [`a@${make()}`, `b@${data('first.password')}`] };
      const { secrets, warnings } = await load(options);
      expect(secrets.labels).to.deep.equal(['b']);
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.include(message.replace(/ \(.*/, ''));
    });
  }
});

function data(name: string): string {
  return fileURLToPath(new URL(`data/${name}`, import.meta.url));
}

function recorded(name: string): string {
  return readFileSync(data(name), 'latin1');
}
