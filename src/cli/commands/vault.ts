import { Command, Option } from 'commander';
import { readSecret, secretSources, type VaultOptions } from '../../engine/vault/secret-source.ts';
import {
  DEFAULT_LABEL,
  encryptWith,
  type VaultSecret,
  type VaultSecrets,
} from '../../engine/vault/secrets.ts';
import { InvalidInput } from '../../shared/errors.ts';
import { writeFileAtomic } from '../../shared/write-file.ts';
import { askNewSecret } from '../ask.ts';
import { addVerbosity } from '../options.ts';
import {
  announce,
  configuredSalt,
  type EncryptFlags,
  encrypter,
  openingSecrets,
} from '../vault-encrypter.ts';
import {
  editText,
  exists,
  readPlainFile,
  readVaultFile,
  realPath,
  showText,
} from '../vault-file.ts';
import { addVaultOptions, type VaultFlags } from '../vault-options.ts';
import { encryptStringCommand } from './vault-encrypt-string.ts';

interface RekeyFlags extends EncryptFlags {
  readonly newVaultId?: string;
  readonly newVaultPasswordFile?: string;
}

/** `tsprov vault`: the commands of ansible-vault. */
export function vaultCommand(): Command {
  const vault = new Command('vault').description('encrypt and decrypt files as ansible-vault does');
  const commands = [
    create(),
    view(),
    edit(),
    encrypt(),
    decrypt(),
    rekey(),
    encryptStringCommand(),
  ];
  for (const command of commands) vault.addCommand(command);
  return vault;
}

function create(): Command {
  return encrypting('create', 'write a new encrypted file in the editor')
    .argument('<file>')
    .action(async (file: string, flags: EncryptFlags) => {
      if (exists(file)) {
        throw InvalidInput.at(undefined, `${file} exists already`, 'use tsprov vault edit');
      }
      const seal = await encrypter(flags);
      writeFileAtomic(file, seal(editText(Buffer.alloc(0), file)));
    });
}

function view(): Command {
  return command('view', 'show encrypted files')
    .argument('<files...>')
    .action(async (files: string[], flags: VaultFlags) => {
      const secrets = await openingSecrets(flags, files);
      for (const file of files) showText(secrets.decrypt(readVaultFile(file), placeOf(file)));
    });
}

function edit(): Command {
  return encrypting('edit', 'change encrypted files in the editor')
    .argument('<files...>')
    .action(async (files: string[], flags: EncryptFlags) => {
      const secrets = await openingSecrets(flags);
      for (const file of files) editFile(file, secrets, flags);
    });
}

function editFile(file: string, secrets: VaultSecrets, flags: EncryptFlags): void {
  const { content, secret } = secrets.open(readVaultFile(file), placeOf(file));
  const edited = editText(content, file);
  if (edited.equals(content)) return;
  const chosen =
    flags.encryptVaultId === undefined ? secret : secrets.secretFor(flags.encryptVaultId);
  writeFileAtomic(realPath(file), encryptWith(chosen, edited, configuredSalt()));
}

function encrypt(): Command {
  return encrypting('encrypt', 'encrypt files, or standard input')
    .argument('[files...]')
    .option('--output <path>', 'where the result goes, - for standard output')
    .action(async (files: string[], flags: EncryptFlags) => {
      const names = checkedInputs(files, flags);
      const seal = await encrypter(flags, names);
      const inputs = names.map((file) => [file, readPlainFile(file)] as const);
      for (const [file, content] of inputs) writeResult(file, seal(content), flags);
      announce('Encryption successful');
    });
}

function decrypt(): Command {
  return command('decrypt', 'decrypt files, or standard input')
    .argument('[files...]')
    .option('--output <path>', 'where the result goes, - for standard output')
    .action(async (files: string[], flags: EncryptFlags) => {
      const names = checkedInputs(files, flags);
      const secrets = await openingSecrets(flags, names);
      const outputs = names.map(
        (file) => [file, secrets.decrypt(readVaultFile(file), placeOf(file))] as const,
      );
      for (const [file, content] of outputs) writeResult(file, content, flags);
      announce('Decryption successful');
    });
}

function rekey(): Command {
  return encrypting('rekey', 'encrypt files with another password')
    .argument('<files...>')
    .option('--new-vault-id <label@source>', 'the new vault id and password')
    .addOption(
      new Option(
        '--new-vault-password-file <path>',
        'file or script with the new password',
      ).conflicts('newVaultId'),
    )
    .action(async (files: string[], flags: RekeyFlags) => {
      const secrets = await openingSecrets(flags);
      const opened = files.map(
        (file) => [file, secrets.decrypt(readVaultFile(file), placeOf(file))] as const,
      );
      const secret = await newSecret(flags);
      for (const [file, content] of opened) {
        writeFileAtomic(realPath(file), encryptWith(secret, content, configuredSalt()));
      }
      announce('Rekey successful');
    });
}

async function newSecret(flags: RekeyFlags): Promise<VaultSecret> {
  const given: VaultOptions = {
    vaultIds: flags.newVaultId === undefined ? [] : [flags.newVaultId],
    passwordFiles: flags.newVaultPasswordFile === undefined ? [] : [flags.newVaultPasswordFile],
  };
  const [source] = secretSources(given);
  if (source === undefined)
    return { label: DEFAULT_LABEL, password: await askNewSecret('New vault password: ') };
  return { label: source.label, password: await readSecret(source, [], askNewSecret) };
}

function command(name: string, description: string): Command {
  return addVerbosity(addVaultOptions(new Command(name).description(description)));
}

function encrypting(name: string, description: string): Command {
  return command(name, description).option(
    '--encrypt-vault-id <label>',
    'vault id to encrypt with',
  );
}

function checkedInputs(files: readonly string[], { output }: EncryptFlags): readonly string[] {
  if (files.length <= 1 || output === undefined) return files.length === 0 ? ['-'] : files;
  throw InvalidInput.at(undefined, '--output takes the result of one file only');
}

function writeResult(file: string, content: string | Buffer, { output }: EncryptFlags): void {
  const target = output ?? file;
  if (target === '-') process.stdout.write(content);
  else writeFileAtomic(realPath(target), content);
}

function placeOf(file: string) {
  return { file, line: 1, column: 1 };
}
