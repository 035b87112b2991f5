/** Command-line options that several commands share, with Ansible's letters. */
import { type Command, InvalidArgumentError } from 'commander';
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
  readonly output?: string;
  readonly profile?: boolean;
}

/** A whole number greater than zero. */
export function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on is needed');
  return value;
}

export function addInventoryOptions(command: Command): Command {
  return command
    .option('-i, --inventory <source>', 'inventory file, directory, script, or host list with a comma; may be repeated', collect)
    .option('-l, --limit <pattern>', 'only hosts that match; @file reads patterns from a file; may be repeated', collect);
}

export function addConnectionOptions(command: Command): Command {
  return command
    .option('-u, --user <name>', 'user to log in as')
    .option('-c, --connection <type>', 'transport: ssh, openssh or local')
    .option('-T, --timeout <seconds>', 'seconds to wait for a connection', positive)
    .option('--key-file, --private-key <file>', 'private key to log in with')
    .option('--ssh-common-args <args>', 'arguments for every ssh connection, e.g. "-J jump"')
    .option('--ssh-extra-args <args>', 'further arguments for ssh')
    .option('-k, --ask-pass', 'ask for the login password')
    .option('--conn-pass-file, --connection-password-file <file>', 'file that holds the login password')
    .option('--accept-new', 'record the keys of hosts that are not known yet')
    .option('-b, --become', 'run as another user')
    .option('--become-method <method>', 'how to become: sudo, su or doas')
    .option('--become-user <name>', 'user to become')
    .option('-K, --ask-become-pass', 'ask for the password of become')
    .option('--become-pass-file, --become-password-file <file>', 'file that holds the password of become');
}

export function addVariableOptions(command: Command): Command {
  return addVaultOptions(
    command.option('-e, --extra-vars <vars>', 'variables as key=value, JSON, YAML or @file; may be repeated', collect),
  );
}

export function addRunningOptions(command: Command): Command {
  return command
    .option('-C, --check', 'predict changes, change nothing')
    .option('-D, --diff', 'show what changes in files and settings')
    .option('-f, --forks <n>', 'hosts that work at the same time', positive)
    .option('-v, --verbose', 'tell more; up to -vvvv', (_: string, level: number) => level + 1, 0);
}
