import type { Become, ConnectionSettings } from '../connection/connection.ts';
import { readBecome } from './become-vars.ts';
import {
  type ConnectionDefaults,
  ConnectionReader,
  type ConnectionRequest,
} from './connection-reader.ts';

/**
 * How a host is reached and as whom its tasks run. A variable beats a keyword, a keyword the command line, the
 * command line environment and configuration. Every spelling of a variable that Ansible knows is honoured.
 * Throws InvalidInput on a value that cannot be.
 */
export function connectionSettings(request: ConnectionRequest): {
  readonly connection: ConnectionSettings;
  readonly become: Become | undefined;
} {
  const reader = new ConnectionReader(request);
  const connection = readConnection(reader, request);
  return { connection, become: readBecome(reader, request.defaults, connection) };
}

function readConnection(
  reader: ConnectionReader,
  { name, defaults }: ConnectionRequest,
): ConnectionSettings {
  const { options, settings, prompt } = defaults;
  const sshArgs = readSshArgs(reader, defaults);
  return {
    transport: reader.transport(options.connection ?? settings.transport),
    name,
    address: reader.text(['ansible_host', 'ansible_ssh_host']) ?? name,
    port: reader.number(['ansible_port', 'ansible_ssh_port'], 'port') ?? settings.remotePort,
    user:
      reader.text(['ansible_user', 'ansible_ssh_user'], 'remote_user') ??
      options.user ??
      settings.remoteUser,
    password:
      reader.text(['ansible_password', 'ansible_ssh_pass', 'ansible_ssh_password']) ??
      options.password,
    privateKeyFile: reader.path(
      ['ansible_private_key_file', 'ansible_ssh_private_key_file'],
      options.privateKeyFile ?? settings.privateKeyFile,
    ),
    privateKeyPassphrase: reader.text([
      'ansible_private_key_passphrase',
      'ansible_ssh_private_key_passphrase',
    ]),
    hostKeyChecking: reader.hostKeyChecking(sshArgs, defaults),
    connectTimeoutMs:
      1000 *
      (reader.number(['ansible_ssh_timeout', 'ansible_timeout']) ??
        options.timeoutSeconds ??
        settings.timeoutSeconds),
    retries: reader.number(['ansible_ssh_retries']) ?? settings.sshRetries,
    sshArgs,
    sshExecutable: reader.text(['ansible_ssh_executable']) ?? settings.sshExecutable,
    shell: reader.text(['ansible_shell_executable']) ?? settings.executable,
    prompt,
  };
}

function readSshArgs(
  reader: ConnectionReader,
  { options, settings }: ConnectionDefaults,
): string[] {
  const texts = [
    reader.text(['ansible_ssh_args']) ?? settings.sshArgs,
    reader.text(['ansible_ssh_common_args']) ?? options.sshCommonArgs ?? settings.sshCommonArgs,
    reader.text(['ansible_ssh_extra_args']) ?? options.sshExtraArgs ?? settings.sshExtraArgs,
  ];
  return texts.flatMap((text) => (text === undefined ? [] : reader.words(text)));
}
