/** Command-line options that several commands share, with Ansible's letters. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addVaultOptions, collect, type VaultFlags } from './vault-options.ts';

export interface InventoryFlags {
  readonly inventory?: readonly string[];
  readonly limit?: readonly string[];
}

export interface ConnectionFlags {
  readonly user?: string;
  readonly connection?: string;
  readonly timeout?: number;
  readonly privateKey?: string;
  readonly sshCommonArgs?: string;
  readonly sshExtraArgs?: string;
  readonly sftpExtraArgs?: string;
  readonly scpExtraArgs?: string;
  readonly askPass?: boolean;
  readonly connectionPasswordFile?: string;
  readonly become?: boolean;
  readonly becomeMethod?: string;
  readonly becomeUser?: string;
  readonly askBecomePass?: boolean;
  readonly becomePasswordFile?: string;
  readonly acceptNew?: boolean;
}

export interface VariableFlags extends VaultFlags {
  readonly extraVars?: readonly string[];
}

export interface RunningFlags {
  readonly check?: boolean;
  readonly diff?: boolean;
  readonly forks?: number;
  readonly verbose?: number;
  readonly modulePath?: readonly string[];
  readonly flushCache?: boolean;
}

/** A whole number greater than zero. */
export function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('a whole number from 1 on is needed');
  return value;
}

/** Another long name of an option, which help does not show. */
export class TwinOption extends Option {
  readonly #attribute: string;

  /** `attribute` is the flag that the option sets, as commander names it. */
  constructor(flags: string, attribute: string) {
    super(flags);
    this.#attribute = attribute;
    this.hideHelp();
  }

  override attributeName(): string {
    return this.#attribute;
  }
}

export function addInventoryOptions(command: Command): Command {
  return command
    .option(
      '-i, --inventory <source>',
      'inventory file, directory, script, or host list with a comma; may be repeated',
      collect,
    )
    .addOption(new TwinOption('--inventory-file <source>', 'inventory').argParser(collect))
    .option(
      '-l, --limit <pattern>',
      'only hosts that match; @file reads patterns from a file; may be repeated',
      collect,
    )
    .addOption(new TwinOption('--subset <pattern>', 'limit').argParser(collect));
}

export function addConnectionOptions(command: Command): Command {
  command
    .option('-u, --user <name>', 'user to log in as')
    .option('-c, --connection <type>', 'transport: ssh, openssh or local')
    .option('-T, --timeout <seconds>', 'seconds to wait for a connection', positive)
    .option('--private-key <file>', 'private key to log in with (also --key-file)')
    .addOption(new TwinOption('--key-file <file>', 'privateKey'))
    .option('--ssh-common-args <args>', 'arguments for every ssh connection, e.g. "-J jump"')
    .option('--ssh-extra-args <args>', 'further arguments for ssh')
    .addOption(new Option('--sftp-extra-args <args>').hideHelp())
    .addOption(new Option('--scp-extra-args <args>').hideHelp())
    .option('-k, --ask-pass', 'ask for the login password')
    .option(
      '--connection-password-file <file>',
      'file or script with the login password (also --conn-pass-file)',
    )
    .addOption(new TwinOption('--conn-pass-file <file>', 'connectionPasswordFile'))
    .option('--accept-new', 'record the keys of hosts that are not known yet');
  return addBecomeOptions(command);
}

function addBecomeOptions(command: Command): Command {
  return command
    .option('-b, --become', 'run as another user')
    .option('--become-method <method>', 'how to become: sudo, su or doas')
    .option('--become-user <name>', 'user to become')
    .option('-K, --ask-become-pass', 'ask for the password of become')
    .option(
      '--become-password-file <file>',
      'file or script with the password of become (also --become-pass-file)',
    )
    .addOption(new TwinOption('--become-pass-file <file>', 'becomePasswordFile'));
}

export function addVariableOptions(command: Command): Command {
  return addVaultOptions(
    command.option(
      '-e, --extra-vars <vars>',
      'variables as key=value, JSON, YAML or @file; may be repeated',
      collect,
    ),
  );
}

export function addRunningOptions(command: Command): Command {
  return addVerbosity(
    command
      .option('-C, --check', 'predict changes, change nothing')
      .option('-D, --diff', 'show what changes in files and settings')
      .option('-f, --forks <n>', 'hosts that work at the same time', positive)
      .option('--flush-cache', 'forget the cached facts of all hosts first'),
  ).option(
    '-M, --module-path <directories>',
    'more directories of modules, separated by colons; may be repeated',
    collect,
  );
}

export function addVerbosity(command: Command): Command {
  return command.option(
    '-v, --verbose',
    'tell more; up to -vvvv',
    (_: string, level: number) => level + 1,
    0,
  );
}

/** Options that are taken for the sake of those who come from Ansible, and why they do nothing. */
export function needlessOptions(flags: ConnectionFlags): string[] {
  const why = 'has no effect: files travel through the connection that is open anyway';
  return [
    ...(flags.sftpExtraArgs === undefined ? [] : [`--sftp-extra-args ${why}`]),
    ...(flags.scpExtraArgs === undefined ? [] : [`--scp-extra-args ${why}`]),
  ];
}
