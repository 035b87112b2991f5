import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { InvalidInput } from '../../shared/errors.ts';
import { writeFileAtomic } from '../../shared/write-file.ts';
import { ask } from '../ask.ts';
import { addVerbosity } from '../options.ts';
import { announce, type EncryptFlags, encrypter } from '../vault-encrypter.ts';
import { addVaultOptions, collect } from '../vault-options.ts';

interface StringFlags extends EncryptFlags {
  readonly name?: string[];
  readonly stdinName?: string;
  readonly prompt?: boolean;
  readonly showInput?: boolean;
}

interface Secret {
  readonly name?: string | undefined;
  readonly text: string;
}

const INDENT = ' '.repeat(10);

/** `tsprov vault encrypt_string`: strings as `!vault` scalars to paste into YAML. */
export function encryptStringCommand(): Command {
  const command = new Command('encrypt_string').description('encrypt a string for use in YAML');
  return addVerbosity(addVaultOptions(command))
    .argument('[strings...]')
    .option('--encrypt-vault-id <label>', 'vault id to encrypt with')
    .option('-n, --name <name>', 'name of the variable (repeatable)', collect)
    .option('--stdin-name <name>', 'name of the variable whose value is read from standard input')
    .option('-p, --prompt', 'ask for the string')
    .option('--show-input', 'show what is typed at the prompt')
    .option('--output <path>', 'where the result goes, - for standard output')
    .action(async (strings: string[], flags: StringFlags) => {
      const seal = await encrypter(flags, readsInput(strings, flags) ? ['-'] : []);
      const secrets = await readStrings(strings, flags);
      const text = secrets.map((secret) => renderScalar(secret, seal)).join('');
      if (flags.output === undefined || flags.output === '-') process.stdout.write(text);
      else writeFileAtomic(flags.output, text);
      announce('Encryption successful');
    });
}

async function readStrings(strings: readonly string[], flags: StringFlags): Promise<Secret[]> {
  const given = strings
    .filter((text) => text !== '-')
    .map((text, i) => ({ name: flags.name?.[i], text }));
  const asked = flags.prompt === true ? [await askString(flags)] : [];
  const input = readsInput(strings, flags)
    ? [{ name: flags.stdinName, text: readFileSync(0, 'utf8') }]
    : [];
  const secrets = [...asked, ...input, ...given];
  if (secrets.every(({ text }) => text !== '')) return secrets;
  throw InvalidInput.at(undefined, 'the string to encrypt is empty');
}

/** Whether standard input holds a string: where it is said so, or where no other is given. */
function readsInput(strings: readonly string[], { stdinName, prompt }: StringFlags): boolean {
  return stdinName !== undefined || strings.includes('-') || (strings.length === 0 && !prompt);
}

async function askString({ showInput, name }: StringFlags): Promise<Secret> {
  const named = name?.[0] ?? ((await ask('Variable name (enter for no name): ')) || undefined);
  return { name: named, text: await ask('String to encrypt: ', { echo: showInput === true }) };
}

function renderScalar({ name, text }: Secret, seal: (data: Buffer) => string): string {
  const lines = seal(Buffer.from(text)).trimEnd().split('\n');
  const head = name === undefined ? '!vault |' : `${name}: !vault |`;
  return [head, ...lines.map((line) => INDENT + line), ''].join('\n');
}
