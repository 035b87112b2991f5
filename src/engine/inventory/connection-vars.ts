import { homedir, userInfo } from 'node:os';
import { didYouMean, InvalidInput } from '../../shared/errors.ts';
import { splitWords } from '../../shared/shell-words.ts';
import type { Settings } from '../config/config-settings.ts';
import type { Become, ConnectionSettings } from '../connection/connection.ts';
import { Float, type Position, type Value, VaultText } from '../values.ts';

/** What the command line says of connections. */
export interface ConnectionOptions {
  readonly connection?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly privateKeyFile?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly sshCommonArgs?: string | undefined;
  readonly sshExtraArgs?: string | undefined;
  /** Records the keys of hosts that are not known yet. */
  readonly acceptNew?: boolean | undefined;
  readonly become?: boolean | undefined;
  readonly becomeMethod?: string | undefined;
  readonly becomeUser?: string | undefined;
  readonly becomePassword?: string | undefined;
}

/** What holds where neither a variable nor a keyword says otherwise. */
export interface ConnectionDefaults {
  readonly options: ConnectionOptions;
  readonly settings: Settings;
  /** Asks the person at the terminal; absent where there is none. */
  readonly prompt?: ((question: string) => Promise<string>) | undefined;
}

export interface ConnectionRequest {
  /** Name of the host in the inventory. */
  readonly name: string;
  /** A rendered variable of the host. */
  readonly variable: (name: string) => Value | undefined;
  /** A rendered keyword of the task, its blocks or its play. */
  readonly keyword: (name: string) => Value | undefined;
  readonly defaults: ConnectionDefaults;
  /** Where the task is written, for messages. */
  readonly task?: Position | undefined;
}

const TRANSPORTS: ReadonlyMap<string, ConnectionSettings['transport']> = new Map([
  ['ssh', 'ssh'],
  ['smart', 'ssh'],
  ['paramiko', 'ssh'],
  ['paramiko_ssh', 'ssh'],
  ['openssh', 'openssh'],
  ['local', 'local'],
] as const);

/**
 * How a host is reached and as whom its tasks run. A variable beats a keyword, a keyword the command line, the
 * command line environment and configuration. Every spelling of a variable that Ansible knows is honoured.
 * Throws InvalidInput on a value that cannot be.
 */
export function connectionSettings(request: ConnectionRequest): {
  readonly connection: ConnectionSettings;
  readonly become: Become | undefined;
} {
  const reader = new Reader(request);
  const connection = readConnection(reader, request);
  return { connection, become: readBecome(reader, request, connection) };
}

function readConnection(reader: Reader, { name, defaults }: ConnectionRequest): ConnectionSettings {
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

function readSshArgs(reader: Reader, { options, settings }: ConnectionDefaults): string[] {
  const texts = [
    reader.text(['ansible_ssh_args']) ?? settings.sshArgs,
    reader.text(['ansible_ssh_common_args']) ?? options.sshCommonArgs ?? settings.sshCommonArgs,
    reader.text(['ansible_ssh_extra_args']) ?? options.sshExtraArgs ?? settings.sshExtraArgs,
  ];
  return texts.flatMap((text) => (text === undefined ? [] : reader.words(text)));
}

function readBecome(
  reader: Reader,
  { defaults }: ConnectionRequest,
  connection: ConnectionSettings,
): Become | undefined {
  const { options, settings } = defaults;
  const isWanted = reader.flag(['ansible_become'], 'become') ?? options.become ?? settings.become;
  if (!isWanted) return undefined;
  const method = (
    reader.text(['ansible_become_method'], 'become_method') ??
    options.becomeMethod ??
    settings.becomeMethod
  ).replace(/^.*\./, '');
  const named = (what: string) => [`ansible_become_${what}`, `ansible_${method}_${what}`];
  const user =
    reader.filled(named('user'), 'become_user') ??
    options.becomeUser ??
    settings.becomeUser ??
    'root';
  if (!settings.becomeAllowSameUser && user === loginUser(connection)) return undefined;
  return {
    method,
    user,
    password: reader.text([...named('password'), ...named('pass')]) ?? options.becomePassword,
    exe: reader.filled(named('exe'), 'become_exe') ?? settings.becomeExe,
    flags: reader.filled(named('flags'), 'become_flags') ?? settings.becomeFlags,
  };
}

/** Nobody needs to become who they are already. */
function loginUser({ transport, user }: ConnectionSettings): string | undefined {
  return transport === 'local' ? userInfo().username : user;
}

class Reader {
  readonly #request: ConnectionRequest;

  constructor(request: ConnectionRequest) {
    this.#request = request;
  }

  text(names: readonly string[], keyword?: string): string | undefined {
    const value = this.#find(names, keyword)?.value;
    return value === undefined ? undefined : textOf(value);
  }

  /** Empty text is as if nothing were said. */
  filled(names: readonly string[], keyword?: string): string | undefined {
    return this.text(names, keyword) || undefined;
  }

  number(names: readonly string[], keyword?: string): number | undefined {
    const found = this.#find(names, keyword);
    if (found === undefined) return undefined;
    const number = Number(textOf(found.value));
    if (Number.isFinite(number) && number >= 0) return number;
    throw this.#refuse(found.name, found.value, 'is not a number');
  }

  flag(names: readonly string[], keyword?: string): boolean | undefined {
    const found = this.#find(names, keyword);
    if (found === undefined) return undefined;
    const word = textOf(found.value).toLowerCase();
    if (/^(?:true|yes|y|on|1|t)$/.test(word)) return true;
    if (/^(?:false|no|n|off|0|f|)$/.test(word)) return false;
    throw this.#refuse(found.name, found.value, 'is neither true nor false');
  }

  path(names: readonly string[], otherwise: string | undefined): string | undefined {
    return (this.text(names) ?? otherwise)?.replace(/^~(?=\/|$)/, homedir());
  }

  words(text: string): string[] {
    try {
      return splitWords(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw InvalidInput.at(
        this.#request.task,
        `the SSH arguments "${text}" cannot be split: ${reason}`,
      );
    }
  }

  transport(otherwise: string): ConnectionSettings['transport'] {
    const written = this.text(['ansible_connection'], 'connection') ?? otherwise;
    const name = written.replace(/^ansible\.(?:builtin|legacy)\./, '');
    const transport = TRANSPORTS.get(name);
    if (transport !== undefined) return transport;
    const hint = didYouMean(name, TRANSPORTS.keys()) ?? 'ssh, openssh and local are';
    const message = `${this.#request.name}: the connection "${written}" is not supported`;
    throw InvalidInput.at(this.#request.task, message, hint);
  }

  hostKeyChecking(
    sshArgs: readonly string[],
    { options, settings }: ConnectionDefaults,
  ): ConnectionSettings['hostKeyChecking'] {
    const names = ['ansible_host_key_checking', 'ansible_ssh_host_key_checking'];
    if (this.text(names) === 'accept-new') return 'accept-new';
    const isChecked = this.flag(names) ?? checkingOf(sshArgs);
    if (isChecked === 'accept-new') return isChecked;
    if (isChecked === undefined && options.acceptNew === true) return 'accept-new';
    return (isChecked ?? settings.hostKeyChecking) ? 'strict' : 'off';
  }

  #find(
    names: readonly string[],
    keyword: string | undefined,
  ): { name: string; value: Value } | undefined {
    for (const name of names) {
      const value = this.#request.variable(name);
      if (value !== undefined && value !== null) return { name, value };
    }
    const value = keyword === undefined ? undefined : this.#request.keyword(keyword);
    return value === undefined || value === null ? undefined : { name: keyword ?? '', value };
  }

  #refuse(name: string, value: Value, fault: string): InvalidInput {
    return InvalidInput.at(
      this.#request.task,
      `${this.#request.name}: ${name} "${textOf(value)}" ${fault}`,
    );
  }
}

/** What `-o StrictHostKeyChecking=` says, where it is among the arguments. */
function checkingOf(sshArgs: readonly string[]): boolean | 'accept-new' | undefined {
  const word = /StrictHostKeyChecking[= ](\S+)/i.exec(sshArgs.join(' '))?.[1]?.toLowerCase();
  if (word === undefined || word === 'accept-new') return word;
  return !/^(?:no|off|false)$/.test(word);
}

function textOf(value: Value): string {
  if (value instanceof VaultText) return value.plain();
  return String(value instanceof Float ? value.value : value);
}
